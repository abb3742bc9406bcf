/**
 * The whole product on one machine: embedded engines, migrations, the demo, and the services, each
 * a process under supervision. `npm start` (start.ts) is a thin user of it; tests and benches use
 * it as a library, each with a data folder and ports of its own. It runs `dist/`, so build first.
 */
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Demo } from './demo.ts'
import { type Engines, embeddedEngines, nativePrograms } from './engines/embedded-engines.ts'
import { SetupError } from './engines/engine.ts'
import { lockDataDir } from './processes/lock-data-dir.ts'
import type { ManagedProcess } from './processes/managed-process.ts'
import { endStaleProcesses } from './processes/stale-processes.ts'
import { pidFolder, type StackReport, StackRun } from './stack-run.ts'
import {
  checkPorts,
  type EngineName,
  engineNames,
  localUrl,
  opsPortNames,
  type ServiceName,
  type StackSettings,
  serviceNames,
  settle,
} from './stack-settings.ts'

export type { StackReport } from './stack-run.ts'

export interface StackOptions {
  /** Kept afterwards. Without it the stack makes a temporary one and removes it when it stops. */
  readonly dataDir?: string
  /** `free`: any port for whatever `env` does not name. The default. */
  readonly ports?: 'free' | 'as given'
  readonly services?: readonly ServiceName[]
  /** The product's variables (platform/env.ts). */
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly report?: StackReport
  /**
   * What works off a backlog gives way to what answers, as far as cores are short. Evenly by
   * default: a test waits for both.
   */
  readonly answersFirst?: boolean
  /** Hands out the means to stop a start that is still under way. */
  readonly onControls?: (controls: StackControls) => void
}

export interface StackControls {
  /** Drains and ends everything; safe to call twice. */
  readonly stop: () => Promise<void>
  /** Ends everything at once. */
  readonly killNow: () => void
  /** Runs the services anew from what is on disk now, without a request being refused. */
  readonly handOver: () => Promise<void>
}

export type StackUrls = Readonly<Record<EngineName | ServiceName, string>>

export interface Stack extends StackControls {
  readonly dataDir: string
  readonly urls: StackUrls
  readonly demo: Demo
  /** Whether this start made the demo. */
  readonly demoIsFresh: boolean
  /** Those that were not asked for are down; `start()` brings them up. */
  readonly services: Readonly<Record<ServiceName, ManagedProcess>>
  /** One that runs elsewhere has no process here. */
  readonly engines: Readonly<Record<EngineName, ManagedProcess>>
  /** The last lines of every process, for the message of a failed test. */
  readonly lastLines: () => readonly string[]
}

const lastLinesMax = 500
/** Services of a killed supervisor let go of their ports within this time. */
const stalePortsWaitMs = 6_000

export async function startStack(options: StackOptions = {}): Promise<Stack> {
  const temporary = options.dataDir === undefined && !options.env?.['SLUICE_DATA_DIR']
  const dataDir = temporary ? await temporaryFolder() : options.dataDir
  const env = { ...options.env, ...(dataDir === undefined ? {} : { SLUICE_DATA_DIR: dataDir }) }
  const settings = await settle(env, options.ports ?? 'free')
  const lock = await lockDataDir(settings.dataDir)
  if (lock.kind === 'held') {
    throw new SetupError(
      `Sluice runs already on ${settings.dataDir} (process ${lock.pid}): stop it, or set SLUICE_DATA_DIR to another folder.`,
    )
  }
  const lines: string[] = []
  const report = withLastLines(options.report ?? silentReport, lines)
  const run = new StackRun(settings, report, options.answersFirst ?? false)
  run.atEnd(lock.release)
  if (temporary) run.atEnd(() => removeFolders([settings.dataDir]))
  const controls = {
    stop: () => run.stop(),
    killNow: () => run.killNow(),
    handOver: () => run.handOver(),
  }
  options.onControls?.(controls)
  try {
    await endStaleProcesses(pidFolder(settings), nativePrograms)
    const services = options.services ?? serviceNames
    await checkPorts(settings, portOwners(settings, services), lock.stale ? stalePortsWaitMs : 0)
    const engines = await embeddedEngines(settings, report.progress, run.stopping)
    if (temporary) run.atEnd(() => removeFolders(outsideFolders(engines)))
    const { demo, demoIsFresh } = await run.start(engines, services)
    return {
      dataDir: settings.dataDir,
      urls: urlsOf(settings, engines),
      demo,
      demoIsFresh,
      services: run.services,
      engines: run.engines,
      lastLines: () => lines,
      ...controls,
    }
  } catch (error) {
    await run.stop()
    throw error
  }
}

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-'))
  // Open enough for the user that Postgres runs as to walk through; what it holds stays closed.
  await chmod(folder, 0o711)
  return folder
}

async function removeFolders(folders: readonly string[]): Promise<void> {
  for (const folder of folders) await rm(folder, { recursive: true, force: true, maxRetries: 5 })
}

function outsideFolders(engines: Engines): string[] {
  return Object.values(engines).flatMap((engine) => engine.outsideFolders)
}

function portOwners(settings: StackSettings, services: readonly ServiceName[]): string[] {
  const opsPorts = opsPortNames.filter((name) =>
    services.some((service) => name === `${service}Ops`),
  )
  return [
    ...services,
    ...opsPorts,
    ...engineNames.filter((name) => settings.given[name] === undefined),
  ]
}

function urlsOf(settings: StackSettings, engines: Engines): StackUrls {
  return {
    postgres: engines.postgres.url,
    nats: engines.nats.url,
    clickhouse: engines.clickhouse.url,
    smtp: engines.smtp.url,
    ingest: localUrl(settings.hosts.ingest, settings.ports.ingest),
    workers: localUrl(settings.hosts.workers, settings.ports.workers),
    mailer: localUrl(settings.hosts.mailer, settings.ports.mailer),
    api: localUrl(settings.hosts.api, settings.ports.api),
  }
}

const silentReport: StackReport = {
  line: () => undefined,
  exited: () => undefined,
  broughtBack: () => undefined,
  progress: () => undefined,
}

function withLastLines(report: StackReport, lines: string[]): StackReport {
  return {
    ...report,
    line: (name, line) => {
      lines.push(`${name}: ${line}`)
      if (lines.length > lastLinesMax) lines.shift()
      report.line(name, line)
    },
  }
}
