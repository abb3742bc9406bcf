/**
 * One Postgres server for all test files of a run. It starts when the first file asks for it, so that a run that needs none
 * waits for none; each file gets a database of its own, copied from one that is migrated already.
 */
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { inheritedEnv } from '#platform/env.ts'
import { createLogger } from '#platform/logger.ts'
import { embeddedPostgres } from '../dev/engines/postgres.ts'
import { migratePostgresAt } from '../dev/migrate.ts'
import { freePort } from '../dev/processes/free-port.ts'
import { ManagedProcess } from '../dev/processes/managed-process.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** `GET` it: the URL of the migrated database, which is only to be copied. */
    readonly postgresHost: string
  }
}

/** Each test file holds a few, and there may be as many files at a time as cores. */
const connectionsMax = 500

/** Vitest calls it before the first file of a project; what it returns is called after the last. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  let started: ReturnType<typeof startPostgres> | undefined
  const server = createServer((_request, response) => {
    started ??= startPostgres()
    started.then(
      ({ url }) => response.end(url),
      (error: unknown) => response.writeHead(500).end(String(error)),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  project.provide('postgresHost', `http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  return async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
    const postgres = await started?.catch(() => undefined)
    await postgres?.stop()
  }
}

export interface PostgresServer {
  /** Of a database that is migrated. */
  readonly url: string
  readonly process: ManagedProcess
  readonly stop: () => Promise<void>
}

export async function startPostgres(): Promise<PostgresServer> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-postgres-'))
  // The user that Postgres runs as must be able to walk through.
  await chmod(folder, 0o711)
  const engine = await embeddedPostgres({
    dataDir: folder,
    port: await freePort(),
    password: 'test',
    env: inheritedEnv(),
    progress: () => undefined,
    connectionsMax,
  })
  const process = new ManagedProcess(engine.plan, {
    line: () => undefined,
    started: async () => undefined,
    exited: () => undefined,
    broughtBack: () => undefined,
  })
  const stop = async () => {
    await process.stop()
    for (const path of [folder, ...engine.outsideFolders]) {
      await rm(path, { recursive: true, force: true, maxRetries: 5 })
    }
  }
  try {
    await process.start()
    await migratePostgresAt(engine.url, createLogger('test', 'silent'))
    return { url: engine.url, process, stop }
  } catch (error) {
    await stop()
    throw error
  }
}
