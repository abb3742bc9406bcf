/**
 * The built product for the tests of one file: one stack on free ports and a folder of its own, with the
 * admin command line and both stores within reach. Tests do not disturb each other because each makes
 * a project of its own.
 */
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { type ClickHouseClient, createClickHouse } from '#platform/clickhouse.ts'
import { createLogger } from '#platform/logger.ts'
import { createPool, type Pool } from '#platform/postgres.ts'
import { projectRoot } from '#platform/project-root.ts'
import {
  createAccessToken,
  createDsnKey,
  createProject,
  formatDsn,
} from '../api/io/account-store.ts'
import { type Stack, type StackOptions, startStack } from '../dev/stack.ts'
import { type ProgramEnd, runProgram } from './run-program.ts'
import { type MadeProject, TestProject } from './test-project.ts'

/** Building nats-server the first time takes a while. */
const startMsMax = 300_000

/** Call at the top of a test file; what it returns is there once the tests run. */
export function productOfThisFile(): () => RunningProduct {
  let product: RunningProduct | undefined
  beforeAll(async () => {
    product = await RunningProduct.start()
  }, startMsMax)
  afterAll(async () => {
    await product?.stop()
  })
  return () => {
    if (product === undefined) throw new Error('the product has not started')
    return product
  }
}

export class RunningProduct {
  readonly stack: Stack
  readonly postgres: Pool
  readonly clickhouse: ClickHouseClient

  private constructor(stack: Stack) {
    this.stack = stack
    const log = createLogger('test', 'silent')
    const { postgresUrl: url, clickhouseUrl } = stack.demo
    this.postgres = createPool({ url, applicationName: 'test', connectionsMax: 4 }, log)
    this.clickhouse = createClickHouse(clickhouseUrl, 'test')
  }

  static async start(options?: StackOptions): Promise<RunningProduct> {
    return new RunningProduct(await startStack(options))
  }

  async stop(): Promise<void> {
    await Promise.allSettled([this.postgres.end(), this.clickhouse.close()])
    await this.stack.stop()
  }

  /** `npm run admin -- …` as a process of its own. */
  admin(...args: string[]): Promise<ProgramEnd> {
    const entry = join(projectRoot, 'dist/api/admin/main.js')
    const env = { SLUICE_DATA_DIR: this.stack.dataDir, POSTGRES_URL: '', INGEST_URL: '' }
    return runProgram(process.execPath, [entry, ...args], env)
  }

  /** The one JSON value that a command prints. */
  async adminJson<T>(...args: string[]): Promise<T> {
    const end = await this.admin(...args, '--json')
    if (end.code !== 0) throw new Error(`admin ${args.join(' ')} ended with ${end.stderr}`)
    return JSON.parse(end.stdout) as T
  }

  /** Made on the command line, as a person does it. */
  async project(name: string): Promise<TestProject> {
    const organizationId = await this.#demoOrganization()
    const made = await this.adminJson<MadeProject>(
      ...['project', 'create', '--name', name, '--organization', organizationId],
    )
    return new TestProject(this, made, await this.#token(organizationId))
  }

  /** For the many rows of a table, which a process each would make slow. */
  async projectAtOnce(name: string): Promise<TestProject> {
    const organizationId = await this.#demoOrganization()
    const { id, dsnId } = await createProject(this.postgres, { organizationId, name })
    const { publicKey } = await createDsnKey(this.postgres, { projectId: id, label: null })
    const dsn = formatDsn({ ingestUrl: this.stack.urls.ingest, publicKey, dsnId })
    const token = await this.#token(organizationId)
    return new TestProject(this, { id, dsn_id: String(dsnId), dsn }, token)
  }

  /** Requests are limited for each token, so no test uses up those of another. */
  async #token(organizationId: string): Promise<string> {
    const token = await createAccessToken(this.postgres, { organizationId, label: 'test' })
    return token.value
  }

  async #demoOrganization(): Promise<string> {
    const text = 'select organization_id as id from projects where id = $1'
    const { rows } = await this.postgres.query(text, [this.stack.demo.projectId])
    return rows[0].id
  }

  async rowsOf<Row>(query: string, parameters: Record<string, unknown> = {}): Promise<Row[]> {
    const result = await this.clickhouse.query({
      query,
      query_params: parameters,
      format: 'JSONEachRow',
    })
    return result.json<Row>()
  }

  async deadLetterCount(): Promise<number> {
    const { rows } = await this.postgres.query('select count(*) as count from dead_letters')
    return rows[0].count
  }
}
