/**
 * A Postgres and a ClickHouse for the tests of one file: the embedded engines on free ports and a
 * temporary folder, migrated. About two seconds to start; `stop` leaves nothing behind.
 */
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inheritedEnv } from '#platform/env.ts'
import { createLogger } from '#platform/logger.ts'
import { answerCall } from '../dev/engines/clickhouse-answer.ts'
import { ClickHouseSessions } from '../dev/engines/clickhouse-sessions.ts'
import { embeddedPostgres } from '../dev/engines/postgres.ts'
import { migrate } from '../dev/migrate.ts'
import { freePort } from '../dev/processes/free-port.ts'
import { ManagedProcess } from '../dev/processes/managed-process.ts'

export interface TestStores {
  readonly folder: string
  readonly postgresUrl: string
  readonly clickhouseUrl: string
  /** Takes Postgres away, and gives it back. */
  readonly postgres: ManagedProcess
  readonly stop: () => Promise<void>
}

const password = 'test'

export async function startStores(): Promise<TestStores> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-stores-'))
  // The user that Postgres runs as must be able to walk through.
  await chmod(folder, 0o711)
  const clickhouse = await startClickHouse(folder)
  const engine = await embeddedPostgres({
    dataDir: folder,
    port: await freePort(),
    password,
    env: inheritedEnv(),
    progress: () => undefined,
  })
  const postgres = new ManagedProcess(engine.plan, {
    line: () => undefined,
    started: async () => undefined,
    exited: () => undefined,
    broughtBack: () => undefined,
  })
  const stop = async () => {
    await Promise.all([postgres.stop(), clickhouse.stop()])
    for (const path of [folder, ...engine.outsideFolders]) {
      await rm(path, { recursive: true, force: true, maxRetries: 5 })
    }
  }
  try {
    await postgres.start()
    const urls = { postgresUrl: engine.url, clickhouseUrl: clickhouse.url }
    await migrate(urls, createLogger('test', 'silent'))
    return { folder, ...urls, postgres, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** In this process: the front that the product puts before the embedded engine needs no child here. */
async function startClickHouse(folder: string) {
  const rowsFolder = join(folder, 'rows')
  await mkdir(rowsFolder)
  const sessions = new ClickHouseSessions(join(folder, 'clickhouse'), 2)
  const server = createServer((request, response) => {
    response.on('error', () => undefined)
    void answerCall(request, response, { sessions, password, rowsFolder })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://default:${password}@127.0.0.1:${port}/sluice`,
    stop: async () => {
      await closeServer(server)
      await sessions.close()
    },
  }
}

function closeServer(server: Server): Promise<unknown> {
  server.closeAllConnections()
  return new Promise((resolve) => server.close(resolve))
}
