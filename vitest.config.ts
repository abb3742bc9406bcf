import { readdirSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { reachableFrom, readImportGraph } from './dev/check/import-graph.ts'
import { testForks } from './test/runner/test-forks.ts'

const root = import.meta.dirname
const source = { resolve: { conditions: ['source'] }, ssr: { resolve: { conditions: ['source'] } } }
/**
 * Dependencies of the MCP client whose packages map the condition `source` to TypeScript. Node does
 * not load that from node_modules; Vite does.
 */
const server = { deps: { inline: [/@modelcontextprotocol\/client/, /eventsource/] } }
/**
 * Limits for tests that hang, and the only ones: a machine that is busy with other things may take
 * ten times as long as a quiet one, and a test must pass there, too.
 */
const expectOptions = { poll: { timeout: 180_000 } }
const timeouts = { testTimeout: 600_000, hookTimeout: 600_000, expect: expectOptions }
const folders = ['schemas', 'platform', 'ingest', 'workers', 'api', 'web', 'dev', 'bench', 'test']

/** Tests that import one of these files start Postgres, ClickHouse, NATS or the whole product. */
const startsEngines =
  /^(?:test\/fixtures\/processes\/(?:use-postgres|stores|bus|running-product|common-product)|dev\/engines\/(?:postgres|clickhouse|nats)|dev\/processes\/managed-process)\.ts$/

const paths = folders.flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name)),
)
const { files } = readImportGraph(root, paths)
const beside = paths.filter((path) => path.endsWith('.test.ts') && !path.startsWith('test/'))
const withEngines = beside.filter((path) =>
  [...reachableFrom(files, path)].some((file) => startsEngines.test(file)),
)

/** Tests of how long the main thread of their own process is blocked, also by garbage of others. */
const mainThreadTests = ['test/event-loop/*.test.ts', 'test/processes/compose-threads.test.ts']
const commonPostgres = 'test/fixtures/processes/common-postgres.ts'

export default defineConfig({
  test: {
    // Tests wait for processes, disks and timeouts for a third of the time, so one file more than
    // there are cores runs concurrently. Vitest takes the projects in the order of their names: the
    // long files of `product` come first, and the short ones of `unit` keep the cores busy to the
    // end.
    maxWorkers: availableParallelism() + 1,
    projects: [
      {
        ...source,
        test: {
          // Tests next to the code that start no engine; `npm run check` runs them.
          name: 'unit',
          pool: testForks,
          include: beside.filter((path) => !withEngines.includes(path)),
          ...timeouts,
          // With a process per file, loading modules would take longer than the tests.
          isolate: false,
        },
      },
      {
        ...source,
        test: {
          // Tests next to the code that start engines.
          name: 'store',
          pool: testForks,
          globalSetup: commonPostgres,
          include: withEngines,
          server,
          ...timeouts,
          isolate: false,
        },
      },
      {
        ...source,
        test: {
          name: 'main-thread',
          pool: testForks,
          globalSetup: commonPostgres,
          include: mainThreadTests,
          ...timeouts,
        },
      },
      {
        ...source,
        test: {
          // Tests of whole processes and real clients.
          name: 'product',
          pool: testForks,
          globalSetup: [commonPostgres, 'test/fixtures/processes/common-product.ts'],
          include: ['test/**/*.test.ts'],
          exclude: mainThreadTests,
          ...timeouts,
          testTimeout: 1_200_000,
          isolate: false,
        },
      },
    ],
  },
})
