/**
 * Runs the whole product on one machine: embedded engines, migrations, the demo, and the services,
 * each as a supervised process. `npm start` (start.ts) uses it, and so do tests and benchmarks,
 * each with its own data folder and ports. It runs `dist/`, so build first.
 */
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Demo } from './demo/demo.ts'
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
  /**
   * Kept after the stop. Without it, the stack creates a temporary folder and removes it when it
   * stops.
   */
  readonly dataDir?: string
  /** `free` (default): a free port for each port variable that `env` does not set. */
  readonly ports?: 'free' | 'as given'
  readonly services?: readonly ServiceName[]
  /** The product's variables (platform/env.ts). */
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly report?: StackReport
  /**
   * Lowers the scheduling priority of the workers, so that ingest and API answer first when cores
   * are short. Off by default: tests wait for both.
   */
  readonly answersFirst?: boolean
  /**
   * False: nothing waits for the disk, and a power failure may destroy the embedded Postgres (a
   * killed process loses nothing). For tests. Default: true.
   */
  readonly survivesPowerFailure?: boolean
  /** Called before the start begins, so that the caller can stop it while it is under way. */
  readonly onControls?: (controls: StackControls) => void
}

export interface StackControls {
  /** Drains and stops all processes; may be called twice. */
  readonly stop: () => Promise<void>
  /** Kills all processes without draining. */
  readonly killNow: () => void
  /** Restarts the services from the current build without refusing a request. */
  readonly handOver: () => Promise<void>
}

/** Engines without migrations, demo and services: for the restore of a backup. */
export interface RunningEngines extends StackControls {
  readonly dataDir: string
  readonly urls: StackUrls
}

export type StackUrls = Readonly<Record<EngineName | ServiceName, string>>

export interface Stack extends StackControls {
  readonly dataDir: string
  readonly urls: StackUrls
  readonly demo: Demo
  /** Whether this start created the demo. */
  readonly demoIsFresh: boolean
  /** Services that `options.services` left out are stopped; `start()` starts them. */
  readonly services: Readonly<Record<ServiceName, ManagedProcess>>
  /** An engine whose URL was given has no process here; starting it throws. */
  readonly engines: Readonly<Record<EngineName, ManagedProcess>>
  /** The last 500 lines of all processes, for the message of a failed test. */
  readonly lastLines: () => readonly string[]
}

const lastLinesMax = 500
/** The services of a killed supervisor release their ports within this time. */
const stalePortsWaitMs = 6_000

export async function startStack(options: StackOptions = {}): Promise<Stack> {
  return openStack(options, async ({ run, engines, services, common, lastLines }) => {
    const { demo, demoIsFresh } = await run.start(engines, services)
    const { services: managed, engines: managedEngines } = run
    return { ...common, demo, demoIsFresh, services: managed, engines: managedEngines, lastLines }
  })
}

/** The data folder may be empty or hold anything: only a restore writes to the databases. */
export async function startEngines(options: StackOptions = {}): Promise<RunningEngines> {
  return openStack({ ...options, services: [] }, async ({ run, engines, common }) => {
    await run.startEngines(engines)
    await run.writeEngineUrls(engines)
    return common
  })
}

/** Some engines for services that are started by something else, such as systemd. */
export async function startEnginesAlone(
  names: readonly EngineName[],
  options: StackOptions,
): Promise<RunningEngines> {
  return openStack({ ...options, services: [], engines: names }, async (opened) => {
    await opened.run.startEngines(opened.engines, names)
    return opened.common
  })
}

interface OpenedStack {
  readonly run: StackRun
  readonly engines: Engines
  readonly services: readonly ServiceName[]
  readonly common: RunningEngines
  readonly lastLines: () => readonly string[]
}

interface OpenOptions extends StackOptions {
  /** Default: all. */
  readonly engines?: readonly EngineName[]
}

async function openStack<T>(
  options: OpenOptions,
  start: (opened: OpenedStack) => Promise<T>,
): Promise<T> {
  const temporary = options.dataDir === undefined && !options.env?.['SLUICE_DATA_DIR']
  const dataDir = temporary ? await temporaryFolder() : options.dataDir
  const env = { ...options.env, ...(dataDir === undefined ? {} : { SLUICE_DATA_DIR: dataDir }) }
  const settings = await settle(env, options.ports ?? 'free')
  const lock = await lockDataDir(settings.dataDir)
  if (lock.kind === 'held') {
    throw new SetupError(
      `Sluice is already running on ${settings.dataDir} (process ${lock.pid}). Stop it, or set SLUICE_DATA_DIR to another folder.`,
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
    const owners = portOwners(settings, services, options.engines ?? engineNames)
    await checkPorts(settings, owners, lock.stale ? stalePortsWaitMs : 0)
    const { survivesPowerFailure } = options
    const engines = await embeddedEngines(settings, report.progress, run.stopping, {
      ...(survivesPowerFailure === undefined ? {} : { survivesPowerFailure }),
    })
    if (temporary) run.atEnd(() => removeFolders(outsideFolders(engines)))
    const common = { dataDir: settings.dataDir, urls: urlsOf(settings, engines), ...controls }
    return await start({ run, engines, services, common, lastLines: () => lines })
  } catch (error) {
    await run.stop()
    throw error
  }
}

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-'))
  // The Postgres user must be able to enter this folder; the folders in it are closed to others.
  await chmod(folder, 0o711)
  return folder
}

async function removeFolders(folders: readonly string[]): Promise<void> {
  for (const folder of folders) await rm(folder, { recursive: true, force: true, maxRetries: 5 })
}

function outsideFolders(engines: Engines): string[] {
  return Object.values(engines).flatMap((engine) => engine.outsideFolders)
}

function portOwners(
  settings: StackSettings,
  services: readonly ServiceName[],
  engines: readonly EngineName[],
): string[] {
  const opsPorts = opsPortNames.filter((name) =>
    services.some((service) => name === `${service}Ops`),
  )
  return [...services, ...opsPorts, ...engines.filter((name) => settings.given[name] === undefined)]
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
