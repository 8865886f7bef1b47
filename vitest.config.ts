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
/** Their files need something of the host for themselves: its load, a directory of builds, addresses. The others' run two at a time. */
const ALONE = [
  'test/e2e/{exec,faults,kernel,native,net-native,service,trace}/**/*.test.ts',
  'test/e2e/network/{engine,reserved}.test.ts',
  'test/e2e/wrapper/deaths.test.ts',
  'test/e2e/docker-user.test.ts',
];

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
      {
        test: {
          ...e2e,
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          exclude: ALONE,
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: { ...e2e, name: 'e2e-alone', include: ALONE, fileParallelism: false, sequence: { groupOrder: 2 } },
      },
    ],
  },
});
