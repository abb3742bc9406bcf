/**
 * A Postgres database and a ClickHouse for the tests of one file, migrated. Postgres is one server for all files unless a file
 * takes it away; ClickHouse is the embedded engine in this process, opened by the first query. `stop` leaves nothing behind.
 */
import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { inject } from 'vitest'
import { createLogger } from '#platform/logger.ts'
import { answerCall } from '../dev/engines/clickhouse-answer.ts'
import { ClickHouseSessions } from '../dev/engines/clickhouse-sessions.ts'
import { migrateClickHouseAt } from '../dev/migrate.ts'
import type { ManagedProcess } from '../dev/processes/managed-process.ts'
import { startPostgres } from './common-postgres.ts'

export interface TestStores {
  readonly postgresUrl: string
  readonly clickhouseUrl: string
  readonly stop: () => Promise<void>
}

/** Those of a file that takes Postgres away and gives it back. */
export interface OwnStores extends TestStores {
  readonly postgres: ManagedProcess
}

const password = 'test'
const log = createLogger('test', 'silent')

export async function startStores(): Promise<TestStores> {
  const [postgres, clickhouse] = await Promise.all([copyDatabase(), startClickHouse()])
  return {
    postgresUrl: postgres.url,
    clickhouseUrl: clickhouse.url,
    stop: async () => {
      await Promise.all([postgres.drop(), clickhouse.stop()])
    },
  }
}

export async function startOwnStores(): Promise<OwnStores> {
  const [postgres, clickhouse] = await Promise.all([startPostgres(), startClickHouse()])
  return {
    postgresUrl: postgres.url,
    clickhouseUrl: clickhouse.url,
    postgres: postgres.process,
    stop: async () => {
      await Promise.all([postgres.stop(), clickhouse.stop()])
    },
  }
}

async function copyDatabase() {
  const answer = await fetch(inject('postgresHost'))
  const migrated = new URL(await answer.text())
  const database = `test_${randomBytes(8).toString('hex')}`
  const copy = new URL(migrated)
  copy.pathname = `/${database}`
  const run = async (sql: string) => {
    const server = new URL(migrated)
    server.pathname = '/postgres'
    const client = new pg.Client({ connectionString: server.href })
    await client.connect()
    try {
      await client.query(sql)
    } finally {
      await client.end()
    }
  }
  await run(`create database ${database} template ${migrated.pathname.slice(1)}`)
  return { url: copy.href, drop: () => run(`drop database ${database} with (force)`) }
}

/**
 * In this process: the front that the product puts before the embedded engine needs no child here. The first call opens the
 * engine and migrates it, over a port of its own; most files of the API and the workers speak to Postgres alone.
 */
async function startClickHouse() {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-clickhouse-'))
  const rowsFolder = join(folder, 'rows')
  await mkdir(rowsFolder)
  let sessions: ClickHouseSessions | undefined
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    sessions ??= new ClickHouseSessions(join(folder, 'data'), 2)
    response.on('error', () => undefined)
    void answerCall(request, response, { sessions, password, rowsFolder })
  }
  const inner = createServer(answer)
  const innerUrl = urlOf(await listen(inner))
  let migrated: Promise<unknown> | undefined
  const outer = createServer((request, response) => {
    migrated ??= migrateClickHouseAt(innerUrl, log)
    migrated.then(
      () => answer(request, response),
      (error: unknown) => response.writeHead(500).end(String(error)),
    )
  })
  const url = urlOf(await listen(outer))
  return {
    url,
    stop: async () => {
      await Promise.all([closeServer(outer), closeServer(inner)])
      await sessions?.close()
      await rm(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

function urlOf(port: number): string {
  return `http://default:${password}@127.0.0.1:${port}/sluice`
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

function closeServer(server: Server): Promise<unknown> {
  server.closeAllConnections()
  return new Promise((resolve) => server.close(resolve))
}
