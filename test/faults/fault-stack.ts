/**
 * The product for the fault rounds: the engines of one stack, three ingest and two workers
 * processes, a faulty link between each process and each engine, and a receiver of webhooks. The
 * log of every process goes to a folder, which is kept when a round has findings.
 */
import { createWriteStream, type WriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { failpointMark } from '#platform/failpoint.ts'
import { SecretBox } from '#platform/secret-box.ts'
import { readSecrets } from '../../dev/engines/secrets.ts'
import { ManagedProcess } from '../../dev/processes/managed-process.ts'
import { servicePlan } from '../../dev/service-plan.ts'
import { type Stack, startStack } from '../../dev/stack.ts'
import { settle } from '../../dev/stack-settings.ts'
import { AlertReceiver } from './alerts/alert-receiver.ts'
import { allowedNetworks } from './alerts/round-rules.ts'
import { FlakyLink } from './flaky-link.ts'
import {
  type EngineTarget,
  engineTargets,
  ingestNames,
  type ServiceTarget,
  serviceTargets,
  type Target,
} from './plan-faults.ts'
import { isStopped, signalTree } from './process-tree.ts'

export interface FaultStackOptions {
  readonly env?: Readonly<Record<string, string>>
  readonly onProgress?: (sentence: string) => void
}

interface Member {
  readonly process: ManagedProcess
  /** Failpoints of its next start only. */
  failpoints: string | undefined
  /** Whether it runs with failpoints and none has acted yet. */
  armed: boolean
}

/** An address without a mail server: nothing here sends email. */
const noMailServer = 'smtp://127.0.0.1:9'

const wakeEveryMs = 250

export class FaultStack {
  readonly engines: Stack
  readonly logsFolder: string
  /** URLs of the ingest processes, ordered by process name. */
  readonly ingestUrls: readonly string[]
  readonly receiver: AlertReceiver
  /** Seals what the workers open. */
  readonly box: SecretBox
  readonly #members: ReadonlyMap<Target, Member>
  readonly #links: ReadonlyMap<string, FlakyLink>
  readonly #logs: Logs

  private constructor(parts: {
    engines: Stack
    logs: Logs
    members: ReadonlyMap<Target, Member>
    links: ReadonlyMap<string, FlakyLink>
    ingestUrls: readonly string[]
    receiver: AlertReceiver
    box: SecretBox
  }) {
    this.engines = parts.engines
    this.logsFolder = parts.logs.folder
    this.ingestUrls = parts.ingestUrls
    this.receiver = parts.receiver
    this.box = parts.box
    this.#logs = parts.logs
    this.#members = parts.members
    this.#links = parts.links
  }

  static async start(options: FaultStackOptions = {}): Promise<FaultStack> {
    const logs = await Logs.open()
    const links = new Map<string, FlakyLink>()
    const receiver = await AlertReceiver.start()
    let engines: Stack | undefined
    const members = new Map<Target, Member>()
    try {
      options.onProgress?.('Starting NATS, ClickHouse and Postgres.')
      const env = {
        ...options.env,
        SMTP_URL: noMailServer,
        WORKERS_THREADS: '1',
        WEBHOOK_ALLOWED_NETWORKS: allowedNetworks,
      }
      const report = {
        line: (name: string, line: string) => {
          const member = members.get(name as Target)
          if (member !== undefined && line.startsWith(failpointMark)) member.armed = false
          logs.write(name, line)
        },
        started: async () => undefined,
        exited: (name: string, how: string) => logs.write(name, `(ended: ${how})`),
        broughtBack: (name: string) => logs.write(name, '(brought back)'),
        progress: (sentence: string) => options.onProgress?.(sentence),
      }
      engines = await startStack({ env, report, services: [], survivesPowerFailure: false })
      for (const engine of engineTargets) {
        members.set(engine, {
          process: engines.engines[engine],
          failpoints: undefined,
          armed: false,
        })
      }
      const ingestUrls: string[] = []
      const { sluice: secret } = await readSecrets(engines.dataDir)
      for (const name of serviceTargets) {
        const urls = await openLinks(name, engines, links)
        const settings = await settle({ ...env, SLUICE_DATA_DIR: engines.dataDir }, 'free')
        const kind = ingestNames.some((ingest) => ingest === name) ? 'ingest' : 'workers'
        if (kind === 'ingest') ingestUrls.push(`http://127.0.0.1:${settings.ports.ingest}`)
        const parts = { mailboxDir: undefined, secret }
        const plan = servicePlan(kind, settings, { ...urls, smtp: noMailServer }, parts)
        const launch = async () => {
          const launch = await plan.launch()
          const { failpoints } = member
          member.failpoints = undefined
          member.armed = failpoints !== undefined
          const variable = failpoints === undefined ? {} : { SLUICE_FAILPOINTS: failpoints }
          return { ...launch, env: { ...launch.env, ...variable } }
        }
        const member: Member = {
          process: new ManagedProcess({ ...plan, name, launch }, report),
          failpoints: undefined,
          armed: false,
        }
        members.set(name, member)
      }
      const stack = new FaultStack({
        engines,
        logs,
        members,
        links,
        ingestUrls,
        receiver,
        box: new SecretBox(secret),
      })
      options.onProgress?.('Starting three ingest and two workers processes.')
      await stack.heal()
      return stack
    } catch (error) {
      const processes = serviceTargets.flatMap((name) => members.get(name)?.process ?? [])
      await stopAll(processes, links, engines)
      receiver.close()
      await logs.close()
      throw error
    }
  }

  pidOf(target: Target): number | undefined {
    return this.#member(target).process.pid
  }

  link(from: ServiceTarget, to: EngineTarget): FlakyLink {
    const link = this.#links.get(linkName(from, to))
    if (link === undefined) throw new Error(`there is no link from ${from} to ${to}`)
    return link
  }

  /** Kills the process and its children with SIGKILL. It stays down. */
  async kill(target: Target): Promise<void> {
    const { process } = this.#member(target)
    // SIGKILL also ends a stopped process.
    if (process.pid !== undefined) signalTree(process.pid, 'SIGKILL')
    await process.kill('SIGKILL')
  }

  /** @param failpoints apply to this start only. */
  async start(target: Target, failpoints?: string): Promise<void> {
    const member = this.#member(target)
    member.failpoints = failpoints
    await member.process.start()
  }

  async restart(target: Target): Promise<void> {
    await this.#member(target).process.restart()
  }

  signal(target: Target, signal: NodeJS.Signals): void {
    const pid = this.pidOf(target)
    if (pid !== undefined) signalTree(pid, signal)
  }

  /**
   * Heals all links, continues stopped processes, clears failpoints that have not acted, and waits
   * until every process is ready.
   */
  async heal(): Promise<void> {
    for (const link of this.#links.values()) link.heal()
    this.wakeAll()
    await Promise.all(engineTargets.map((name) => this.#bringUp(name)))
    await Promise.all(serviceTargets.map((name) => this.#disarm(name)))
    // A failpoint may have stopped its process in the meantime.
    const waking = setInterval(() => this.wakeAll(), wakeEveryMs)
    try {
      await Promise.all(serviceTargets.map((name) => this.#bringUp(name)))
    } finally {
      clearInterval(waking)
    }
  }

  wakeAll(): void {
    for (const target of this.#members.keys()) {
      const pid = this.pidOf(target)
      if (pid !== undefined && isStopped(pid)) this.signal(target, 'SIGCONT')
    }
  }

  /** Processes that crashed since the last call. */
  takeCrashes(): string[] {
    return this.#logs.crashes.splice(0)
  }

  /** Failpoints that acted since the last call. */
  takeFailpoints(): string[] {
    return this.#logs.failpoints.splice(0)
  }

  /** Writes a line to the log of every process, so that the rounds can be told apart. */
  mark(text: string): void {
    for (const name of this.#members.keys()) this.#logs.write(name, `---- ${text}`)
  }

  /** Stops everything. The folder of logs is kept if `keepLogs` is true. */
  async stop(keepLogs: boolean): Promise<void> {
    this.wakeAll()
    const processes = serviceTargets.map((name) => this.#member(name).process)
    await stopAll(processes, this.#links, this.engines)
    this.receiver.close()
    await this.#logs.close()
    if (!keepLogs) await rm(this.logsFolder, { recursive: true, force: true })
  }

  async #disarm(target: ServiceTarget): Promise<void> {
    if (!this.#member(target).armed) return
    await this.kill(target)
    await this.start(target)
  }

  async #bringUp(target: Target): Promise<void> {
    const { process } = this.#member(target)
    const { pid } = process
    // A process without a pid may be waiting for a long restart delay, so it is restarted now.
    if (pid === undefined) await process.restart()
    else await process.ready()
  }

  #member(target: Target): Member {
    const member = this.#members.get(target)
    if (member === undefined) throw new Error(`there is no ${target}`)
    return member
  }
}

async function openLinks(
  from: ServiceTarget,
  engines: Stack,
  links: Map<string, FlakyLink>,
): Promise<Record<EngineTarget, string>> {
  const urls = {} as Record<EngineTarget, string>
  for (const to of engineTargets) {
    const url = new URL(engines.urls[to])
    const name = linkName(from, to)
    const link = await FlakyLink.open(name, { host: url.hostname, port: Number(url.port) })
    links.set(name, link)
    url.port = String(link.port)
    urls[to] = url.href
  }
  return urls
}

function linkName(from: ServiceTarget, to: EngineTarget): string {
  return `${from} → ${to}`
}

async function stopAll(
  processes: readonly ManagedProcess[],
  links: ReadonlyMap<string, FlakyLink>,
  engines: Stack | undefined,
): Promise<void> {
  // SIGKILL instead of SIGTERM: nothing is left to drain, and draining each process takes time.
  await Promise.all(processes.map((one) => one.kill('SIGKILL')))
  for (const link of links.values()) await link.close()
  await engines?.stop()
}

class Logs {
  readonly folder: string
  readonly crashes: string[] = []
  readonly failpoints: string[] = []
  readonly #files = new Map<string, WriteStream>()

  private constructor(folder: string) {
    this.folder = folder
  }

  static async open(): Promise<Logs> {
    return new Logs(await mkdtemp(join(tmpdir(), 'sluice-faults-')))
  }

  write(name: string, line: string): void {
    let file = this.#files.get(name)
    if (file === undefined) {
      file = createWriteStream(join(this.folder, `${name}.log`), { flags: 'a' })
      this.#files.set(name, file)
    }
    file.write(`${line}\n`)
    if (line.startsWith(failpointMark)) this.failpoints.push(line.slice(failpointMark.length))
    if (line.includes('"code":"crashed"'))
      this.crashes.push(`${name} crashed: ${line.slice(0, 300)}`)
  }

  async close(): Promise<void> {
    const files = [...this.#files.values()]
    await Promise.all(files.map((file) => new Promise<void>((done) => file.end(() => done()))))
  }
}
