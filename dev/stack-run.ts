/**
 * The order in which the product starts and stops. Start: engines, migrations of both databases,
 * streams, the demo, the services, and finally `demo.json`. Stop: the services that take requests,
 * then workers and mailer, then the engines.
 */

import { rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readEnv } from '#platform/env.ts'
import { currentLayout, readLayouts } from '#platform/installation/layouts.ts'
import { retryAtStart } from '#platform/installation/retry-at-start.ts'
import { createLogger, type Logger } from '#platform/logger.ts'
import { ensureIngestStreams } from '#platform/nats/ingest-streams.ts'
import { connectNats } from '#platform/nats/nats.ts'
import { createPool } from '#platform/postgres.ts'
import { formatDsn } from '../api/keys/format-dsn.ts'
import { type Demo, demoFileName } from './demo/demo.ts'
import { type DemoSeed, seedDemo } from './demo/seed-demo.ts'
import { type Engines, mailboxFolder, nativePrograms } from './engines/embedded-engines.ts'
import { readSecrets } from './engines/secrets.ts'
import { migrate } from './migrate.ts'
import { ManagedProcess } from './processes/managed-process.ts'
import type { ProcessPlan, ProcessReport } from './processes/process-plan.ts'
import { forgetProcess, recordProcess } from './processes/stale-processes.ts'
import { allowsUnverifiedFrom, servicePlan } from './service-plan.ts'
import {
  type EngineName,
  engineNames,
  localUrl,
  metricsUrls,
  type ServiceName,
  type StackSettings,
  serviceNames,
} from './stack-settings.ts'

export interface StackReport extends Omit<ProcessReport, 'started'> {
  readonly progress: (sentence: string) => void
}

const handOverOrder = ['mailer', 'workers', 'api', 'ingest'] as const satisfies ServiceName[]

export class StackRun {
  services = {} as Readonly<Record<ServiceName, ManagedProcess>>
  engines = {} as Readonly<Record<EngineName, ManagedProcess>>
  readonly #settings: StackSettings
  readonly #report: StackReport
  readonly #answersFirst: boolean
  readonly #ends: (() => Promise<void>)[] = []
  readonly #stopping = new AbortController()
  #stopped: Promise<void> | undefined

  constructor(settings: StackSettings, report: StackReport, answersFirst: boolean) {
    this.#settings = settings
    this.#report = report
    this.#answersFirst = answersFirst
  }

  /** Registers work for after the last process has ended; runs in reverse order of registration. */
  atEnd(work: () => Promise<void>): void {
    this.#ends.push(work)
  }

  async start(
    engines: Engines,
    services: readonly ServiceName[],
  ): Promise<{ demo: Demo; demoIsFresh: boolean }> {
    const settings = this.#settings
    await this.startEngines(engines)
    const urls = {
      postgresUrl: engines.postgres.url,
      clickhouseUrl: engines.clickhouse.url,
      clickhouseCluster: readEnv(['CLICKHOUSE_CLUSTER'], settings.env).CLICKHOUSE_CLUSTER,
    }
    const log = this.#startLog()
    const { fresh, installationId } = await migrate(urls, log)
    await retryAtStart(log, 'NATS', () => ensureStreams(engines, settings, installationId))
    if (fresh.length > 0) {
      this.#report.progress(`Ran ${fresh.length} migrations of Postgres, up to ${fresh.at(-1)}.`)
    }
    const { seed, fresh: demoIsFresh } = await retryAtStart(log, 'Postgres', () =>
      seedDemo(engines.postgres.url, settings.dataDir),
    )

    this.#report.progress(`Starting ${services.join(', ')}.`)
    await this.#startAll(services.map((name) => this.services[name]))
    const demo = describeDemo(seed, engines, settings)
    await writeDemo(demo, settings.dataDir)
    return { demo, demoIsFresh }
  }

  /** Writes `demo.json` with what `admin backup restore` reads. */
  async writeEngineUrls(engines: Engines): Promise<void> {
    const { ingestUrl, apiUrl, dataDir } = this.#settings
    const urls = {
      ingestUrl,
      apiUrl,
      postgresUrl: engines.postgres.url,
      natsUrl: engines.nats.url,
      clickhouseUrl: engines.clickhouse.url,
    }
    await writeDemo(urls, dataDir)
  }

  /** `names`: those that have a URL already are left out. */
  async startEngines(engines: Engines, names: readonly EngineName[] = engineNames): Promise<void> {
    const settings = this.#settings
    // Scripts wait for this file, so remove the one of an earlier run first.
    await rm(join(settings.dataDir, demoFileName), { force: true })
    const { sluice: secret } = await readSecrets(settings.dataDir)
    this.#makeProcesses(engines, secret)

    const embedded = names.filter((name) => settings.given[name] === undefined)
    if (embedded.length > 0) this.#report.progress(`Starting ${embedded.join(', ')}.`)
    await this.#startAll(embedded.map((name) => this.engines[name]))
  }

  /** Aborted as soon as a stop is requested. */
  get stopping(): AbortSignal {
    return this.#stopping.signal
  }

  /** Log of the start itself; its warnings appear among the lines of the processes. */
  #startLog(): Logger {
    const write = (line: string) => this.#report.line('sluice', line.trimEnd())
    return createLogger('sluice', 'warn', { destination: { write } })
  }

  stop(): Promise<void> {
    this.#stopping.abort(new Error('stopped while starting'))
    this.#stopped ??= this.#stop()
    return this.#stopped
  }

  /**
   * Restarts one service at a time, so that the others keep running. Workers come before ingest, so
   * that they understand what a new version of it sends.
   */
  async handOver(): Promise<void> {
    for (const name of handOverOrder) {
      if (this.#stopping.signal.aborted) return
      await this.services[name]?.handOver()
    }
  }

  killNow(): void {
    this.#stopping.abort(new Error('killed while starting'))
    for (const running of this.#all()) running.killNow()
  }

  #makeProcesses(engines: Engines, secret: string): void {
    const urls = Object.fromEntries(engineNames.map((name) => [name, engines[name].url])) as Record<
      EngineName,
      string
    >
    const parts = { mailboxDir: mailboxFolder(this.#settings), secret }
    this.engines = processes(engineNames, (name) => this.#managed(engines[name].plan))
    this.services = processes(serviceNames, (name) =>
      this.#managed(servicePlan(name, this.#settings, urls, parts)),
    )
  }

  #managed(plan: ProcessPlan): ManagedProcess {
    const folder = pidFolder(this.#settings)
    const hasLowerPriority = this.#answersFirst && plan.hasLowerPriority === true
    return new ManagedProcess(
      { ...plan, hasLowerPriority },
      {
        ...this.#report,
        started: async (name, pid) => {
          if (name in nativePrograms) await recordProcess(folder, name, pid)
        },
      },
    )
  }

  /**
   * Waits for all processes even if one fails, because nothing may start after the stop that
   * follows.
   */
  async #startAll(wanted: readonly ManagedProcess[]): Promise<void> {
    this.stopping.throwIfAborted()
    const results = await Promise.allSettled(wanted.map((one) => one.start()))
    for (const result of results) if (result.status === 'rejected') throw result.reason
  }

  async #stop(): Promise<void> {
    await rm(join(this.#settings.dataDir, demoFileName), { force: true })
    const { api, ingest, workers, mailer } = this.services
    await Promise.all([api?.stop(), ingest?.stop()])
    await Promise.all([workers?.stop(), mailer?.stop()])
    await Promise.all(Object.values(this.engines).map((engine) => engine.stop()))
    for (const name of Object.keys(nativePrograms)) {
      await forgetProcess(pidFolder(this.#settings), name)
    }
    for (const end of this.#ends.reverse()) await end()
  }

  #all(): ManagedProcess[] {
    return [...Object.values(this.services), ...Object.values(this.engines)]
  }
}

export function pidFolder(settings: StackSettings): string {
  return join(settings.dataDir, 'pids')
}

function processes<Name extends string>(
  names: readonly Name[],
  make: (name: Name) => ManagedProcess,
): Readonly<Record<Name, ManagedProcess>> {
  return Object.fromEntries(names.map((name) => [name, make(name)])) as Record<Name, ManagedProcess>
}

async function ensureStreams(
  engines: Engines,
  settings: StackSettings,
  installationId: string,
): Promise<void> {
  const pool = createPool(
    { url: engines.postgres.url, applicationName: 'sluice-start', connectionsMax: 1 },
    createLogger('start', 'silent'),
  )
  const nats = await connectNats(engines.nats.url, 'sluice-start')
  try {
    const layout = currentLayout(await readLayouts(pool), settings)
    await ensureIngestStreams(nats, {
      installationId,
      ...layout,
      bytesMax: settings.streamBytesMax,
      replicas: settings.streamReplicas,
    })
  } finally {
    await Promise.all([nats.close(), pool.end()])
  }
}

function describeDemo(seed: DemoSeed, engines: Engines, settings: StackSettings): Demo {
  const { ingestUrl, apiUrl } = settings
  const dsn = (publicKey: string) => formatDsn({ ingestUrl, publicKey, dsnId: seed.dsnId })
  return {
    ingestUrl,
    apiUrl,
    dashboardUrl: `${apiUrl}/`,
    dsn: dsn(seed.publicKeys.default),
    componentDsns: { worker: dsn(seed.publicKeys.worker), cli: dsn(seed.publicKeys.cli) },
    projectId: seed.projectId,
    dsnId: seed.dsnId,
    projectKey: seed.projectKey,
    accessToken: seed.accessToken,
    apiKey: seed.apiKey,
    newsletter: seed.newsletter,
    owner: seed.owner,
    // The mailbox is served on loopback only, independent of API_URL.
    mailbox: `${localUrl(settings.hosts.api, settings.ports.api)}/dev/mailbox`,
    allowUnverifiedFrom: allowsUnverifiedFrom(settings),
    postgresUrl: engines.postgres.url,
    natsUrl: engines.nats.url,
    clickhouseUrl: engines.clickhouse.url,
    smtpUrl: engines.smtp.url,
    metricsUrls: metricsUrls(settings),
  }
}

/** Renames a complete file into place, so that a reader never sees half of it. */
async function writeDemo(demo: Demo | object, dataDir: string): Promise<void> {
  const path = join(dataDir, demoFileName)
  await writeFile(`${path}.new`, `${JSON.stringify(demo, null, 2)}\n`, { mode: 0o600 })
  await rename(`${path}.new`, path)
}
