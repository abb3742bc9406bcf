/**
 * `sluice engines`: runs the embedded Postgres, NATS and ClickHouse alone, for services that run as
 * separate units on the same machine. Their URLs and a secret are in `engines.env` of the data
 * folder, in the form of an environment file, from when all engines answer until they stop.
 */
import { chmod, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { inheritedEnv } from '#platform/env.ts'
import { createLogger } from '#platform/logger.ts'
import { embeddedEngines, nativePrograms } from '../engines/embedded-engines.ts'
import { readSecrets } from '../engines/secrets.ts'
import { lockDataDir } from '../processes/lock-data-dir.ts'
import { ManagedProcess } from '../processes/managed-process.ts'
import { endStaleProcesses, forgetProcess, recordProcess } from '../processes/stale-processes.ts'
import { checkPorts, settle } from '../stack-settings.ts'

const names = ['postgres', 'nats', 'clickhouse'] as const
const variables = { postgres: 'POSTGRES_URL', nats: 'NATS_URL', clickhouse: 'CLICKHOUSE_URL' }
const fileName = 'engines.env'
/** Engines of a process that was killed release their ports within this time. */
const stalePortsWaitMs = 6_000

export async function runEngines(env: NodeJS.ProcessEnv = inheritedEnv()): Promise<void> {
  const log = createLogger('engines', 'info')
  const stopping = new AbortController()
  const asked = new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.once(signal, () => {
        stopping.abort(new Error('stopped while starting'))
        resolve()
      })
    }
  })
  const settings = await settle(env, 'as given')
  const { dataDir } = settings
  const lock = await lockDataDir(dataDir)
  if (lock.kind === 'held') {
    throw new Error(
      `Sluice is already running on ${dataDir} (process ${lock.pid}). Stop it, or set SLUICE_DATA_DIR to another folder.`,
    )
  }
  const path = join(dataDir, fileName)
  const pids = join(dataDir, 'pids')
  const running: ManagedProcess[] = []
  try {
    await rm(path, { force: true })
    await endStaleProcesses(pids, nativePrograms)
    const wanted = names.filter((name) => settings.given[name] === undefined)
    await checkPorts(settings, [...wanted], lock.stale ? stalePortsWaitMs : 0)
    const progress = (sentence: string) => log.info({ code: 'engines' }, sentence)
    const engines = await embeddedEngines(settings, progress, stopping.signal)
    for (const name of wanted) {
      running.push(
        new ManagedProcess(engines[name].plan, {
          line: (_, line) => log.debug({ code: 'engine_line', engine: name }, line),
          started: async (started, pid) => {
            if (started in nativePrograms) await recordProcess(pids, started, pid)
          },
          exited: (_, how, restartMs) =>
            log.warn({ code: 'engine_exited', engine: name, how, restartMs }, 'An engine exited.'),
          broughtBack: () => log.info({ code: 'engine_back', engine: name }, 'It runs again.'),
        }),
      )
    }
    const started = await Promise.allSettled(running.map((one) => one.start()))
    for (const one of started) if (one.status === 'rejected') throw one.reason
    stopping.signal.throwIfAborted()
    const { sluice: secret } = await readSecrets(dataDir)
    const lines = [
      ...wanted.map((name) => `${variables[name]}=${engines[name].url}`),
      `SLUICE_SECRET=${secret}`,
    ]
    // Written completely before it gets its name, because units wait for it.
    await writeFile(`${path}.new`, `${lines.join('\n')}\n`, { mode: 0o600 })
    await chmod(`${path}.new`, 0o600)
    await rename(`${path}.new`, path)
    log.info({ code: 'engines_started', file: path }, 'The engines are running.')
    await asked
    log.info({ code: 'draining' }, 'Stopping the engines.')
  } finally {
    await rm(path, { force: true })
    await Promise.all(running.map((one) => one.stop()))
    for (const name of Object.keys(nativePrograms)) await forgetProcess(pids, name)
    await lock.release()
  }
}

export async function main(): Promise<void> {
  try {
    await runEngines()
  } catch (error) {
    process.stderr.write(`engines: ${error instanceof Error ? error.message : String(error)}\n`)
    process.exitCode = 1
  }
}
