/**
 * `sluice engines`: runs the embedded Postgres, NATS and ClickHouse alone, for services that run as
 * separate units on the same machine. Their URLs and a secret are in `engines.env` of the data
 * folder, in the form of an environment file, from when all engines answer until they stop.
 */
import { rmSync } from 'node:fs'
import { rename, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { inheritedEnv, readEnv } from '#platform/env.ts'
import { createLogger } from '#platform/logger.ts'
import { readSecrets } from '../engines/secrets.ts'
import { type StackControls, type StackUrls, startEnginesAlone } from '../stack.ts'

const variables = {
  postgres: 'POSTGRES_URL',
  nats: 'NATS_URL',
  clickhouse: 'CLICKHOUSE_URL',
} as const
type StoreName = keyof typeof variables

const fileName = 'engines.env'

async function runEngines(env: NodeJS.ProcessEnv): Promise<void> {
  const { LOG_LEVEL, SLUICE_DATA_DIR } = readEnv(['LOG_LEVEL', 'SLUICE_DATA_DIR'], env)
  const log = createLogger('engines', LOG_LEVEL)
  const dataDir = resolve(SLUICE_DATA_DIR)
  const path = join(dataDir, fileName)
  const names = (Object.keys(variables) as StoreName[]).filter((name) => !env[variables[name]])
  let controls: StackControls | undefined
  let isAsked = false
  let isStarted = false
  const asked = new Promise<void>((done) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.once(signal, () => {
        isAsked = true
        if (!isStarted) void controls?.stop()
        done()
      })
    }
  })
  try {
    const { urls, stop } = await startEnginesAlone(names, {
      dataDir,
      ports: 'as given',
      env,
      onControls: (given) => {
        controls = given
        // Units wait for the file, so that of an earlier run is removed. No other process has it:
        // the data folder is locked.
        rmSync(path, { force: true })
        if (isAsked) void given.stop()
      },
      report: {
        line: (engine, line) => log.debug({ code: 'engine_line', engine }, line),
        exited: (engine, how, restartMs) =>
          log.warn({ code: 'engine_exited', engine, how, restartMs }, 'An engine exited.'),
        broughtBack: (engine) => log.info({ code: 'engine_back', engine }, 'It runs again.'),
        progress: (sentence) => log.info({ code: 'engines' }, sentence),
      },
    })
    isStarted = true
    try {
      await writeEnvironment(path, names, urls, dataDir)
      log.info({ code: 'engines_started', file: path }, 'The engines are running.')
      await asked
      log.info({ code: 'draining' }, 'Stopping the engines.')
    } finally {
      await rm(path, { force: true })
      await stop()
    }
  } catch (error) {
    // A start that was interrupted ends with an error.
    if (isStarted || !isAsked) throw error
  }
}

async function writeEnvironment(
  path: string,
  names: readonly StoreName[],
  urls: StackUrls,
  dataDir: string,
): Promise<void> {
  const { sluice: secret } = await readSecrets(dataDir)
  const lines = [
    ...names.map((name) => `${variables[name]}=${urls[name]}`),
    `SLUICE_SECRET=${secret}`,
  ]
  // Written completely before it gets its name, because units wait for it.
  await rm(`${path}.new`, { force: true })
  await writeFile(`${path}.new`, `${lines.join('\n')}\n`, { mode: 0o600 })
  await rename(`${path}.new`, path)
}

export async function main(): Promise<void> {
  try {
    await runEngines(inheritedEnv())
  } catch (error) {
    process.stderr.write(`engines: ${error instanceof Error ? error.message : String(error)}\n`)
    process.exitCode = 1
  }
}
