import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

const source = { resolve: { conditions: ['source'] }, ssr: { resolve: { conditions: ['source'] } } }

export default defineConfig({
  test: {
    // Most of a test's time is waiting for a process, a disk or a time-out: two at a time on the smallest machine.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    projects: [
      {
        ...source,
        test: {
          name: 'unit',
          globalSetup: 'test/fixtures/processes/common-postgres.ts',
          include: ['{schemas,platform,ingest,workers,api,dev,bench}/**/*.test.ts'],
          testTimeout: 20_000,
          // A process for each file would spend more time on loading the same modules than on tests.
          isolate: false,
        },
      },
      {
        ...source,
        test: {
          name: 'product',
          globalSetup: 'test/fixtures/processes/common-postgres.ts',
          include: ['test/**/*.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 180_000,
          maxWorkers: 2,
        },
      },
    ],
  },
})
