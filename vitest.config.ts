import { readdirSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
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
 * Limits for tests that hang. On a machine that is busy with other things, a test may take ten
 * times as long as on a quiet one, and still passes.
 */
const expectOptions = { poll: { timeout: 60_000 } }
const timeouts = { testTimeout: 120_000, hookTimeout: 300_000, expect: expectOptions }
const folders = ['schemas', 'platform', 'ingest', 'workers', 'api', 'web', 'dev', 'bench', 'test']

/** Tests that import one of these files start Postgres, ClickHouse, NATS or the whole product. */
const startsEngines =
  /^(?:test\/fixtures\/processes\/(?:use-postgres|stores|bus|running-product|common-product)|dev\/engines\/(?:postgres|clickhouse|nats)|dev\/processes\/managed-process)\.ts$/

/** They take more than a minute each, so that the last of them would run alone. */
const long = [
  'test/dashboard/pages.test.ts',
  'test/backup/backup-and-restore.test.ts',
  'test/faults/rounds.test.ts',
  'test/processes/partitions.test.ts',
  'test/event-loop/event-loop.test.ts',
  'test/reconcile/restored-postgres.test.ts',
  'test/processes/readiness.test.ts',
  'test/faults/kill.test.ts',
  'test/api-fuzz/api-fuzz.test.ts',
  'test/reconcile/last-range.test.ts',
].map((path) => join(root, path))

class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const at = long.indexOf(moduleId)
      return at === -1 ? long.length : at
    }
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b))
  }
}

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

export default defineConfig({
  test: {
    sequence: { sequencer: LongFirst },
    // Tests wait for processes, disks and timeouts for a third of the time, so one file more than
    // there are cores runs concurrently.
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
          globalSetup: 'test/fixtures/processes/common-postgres.ts',
          include: withEngines,
          server,
          ...timeouts,
          isolate: false,
        },
      },
      {
        ...source,
        test: {
          // Tests of whole processes and real clients.
          name: 'product',
          pool: testForks,
          globalSetup: [
            'test/fixtures/processes/common-postgres.ts',
            'test/fixtures/processes/common-product.ts',
          ],
          include: ['test/**/*.test.ts'],
          ...timeouts,
          isolate: false,
        },
      },
    ],
  },
})
