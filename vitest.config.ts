import { defineConfig } from 'vitest/config';

const shared = { mockReset: true, restoreMocks: true, unstubEnvs: true };

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
        },
      },
      {
        test: {
          ...shared,
          name: 'e2e',
          include: ['test/{e2e,bypass}/**/*.test.ts'],
          testTimeout: 300_000,
          hookTimeout: 300_000,
          fileParallelism: false,
          // Of those tests of a file that say they are concurrent.
          maxConcurrency: 2,
          globalSetup: ['test/e2e/setup.ts'],
        },
      },
    ],
  },
});
