import { defineConfig } from 'vitest/config';

const shared = { mockReset: true, restoreMocks: true, unstubEnvs: true };
const e2e = {
  ...shared,
  testTimeout: 300_000,
  hookTimeout: 300_000,
  // Of those tests of a file that say they are concurrent.
  maxConcurrency: 2,
  globalSetup: ['test/e2e/setup.ts'],
};
/** Their files need nothing of the host for themselves, and run two at a time. */
const PARALLEL = 'test/e2e/{js-sensor,py-sensor,s3}/**/*.test.ts';

export default defineConfig({
  test: {
    ...shared,
    projects: [
      {
        test: {
          ...shared,
          name: 'unit',
          include: ['{src,sensors/js,test/fakes,scripts}/**/*.test.ts'],
          testTimeout: 20_000,
          maxWorkers: 2,
        },
      },
      { test: { ...e2e, name: 'parallel', include: [PARALLEL], maxWorkers: 2, sequence: { groupOrder: 1 } } },
      {
        test: {
          ...e2e,
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          exclude: [PARALLEL],
          fileParallelism: false,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
