/**
 * The product for the drills: one process of each service on embedded engines, an SMTP server whose
 * behaviour can be changed, a write-ahead log on a small disk of its own where that is possible,
 * and a Prometheus with the alert rules where one is installed.
 */
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type ClickHouseClient, createClickHouse } from '#platform/clickhouse.ts'
import { createLogger } from '#platform/logger.ts'
import { createPool, type Pool } from '#platform/postgres.ts'
import { addDsnKey } from '../../api/keys/dsn-key-store.ts'
import { addProject } from '../../api/projects/project-store.ts'
import { type Stack, startStack } from '../../dev/stack.ts'
import type { EngineName, ServiceName } from '../../dev/stack-settings.ts'
import { signalTree } from '../faults/process-tree.ts'
import { DrillMailServer } from './mail-server.ts'
import { Prometheus } from './prometheus.ts'

const run = promisify(execFile)

export type DrillProcess = ServiceName | Exclude<EngineName, 'smtp'>

export interface DrillProject {
  readonly id: string
  readonly dsnId: number
  /** Where an SDK posts envelopes, with its credentials. */
  readonly envelopeUrl: string
}

/** Size of the disk of the write-ahead log. Ingest may use `logBytesMax` of it. */
const logDiskMegabytes = 96
const logBytesMax = 64 * 1024 ** 2
/** Small enough to be filled within a drill. */
const streamBytesMax = 24 * 1024 ** 2

export class DrillStack {
  readonly stack: Stack
  readonly postgres: Pool
  readonly clickhouse: ClickHouseClient
  readonly mail: DrillMailServer
  readonly prometheus: Prometheus | undefined
  /** The disk of the write-ahead log; undefined where no file system can be mounted. */
  readonly logDisk: string | undefined
  readonly #folder: string

  private constructor(parts: {
    stack: Stack
    mail: DrillMailServer
    prometheus: Prometheus | undefined
    logDisk: string | undefined
    folder: string
  }) {
    this.stack = parts.stack
    const { postgresUrl: url, clickhouseUrl } = parts.stack.demo
    const log = createLogger('drills', 'silent')
    this.postgres = createPool({ url, applicationName: 'drills', connectionsMax: 4 }, log)
    this.clickhouse = createClickHouse(clickhouseUrl, 'drills')
    this.mail = parts.mail
    this.prometheus = parts.prometheus
    this.logDisk = parts.logDisk
    this.#folder = parts.folder
  }

  static async start(): Promise<DrillStack> {
    const folder = await mkdtemp(join(tmpdir(), 'sluice-drills-'))
    const logDisk = await mountDisk(join(folder, 'log-disk'))
    const mail = await DrillMailServer.start()
    const stack = await startStack({
      env: {
        SMTP_URL: mail.url,
        MAIL_ALLOW_UNVERIFIED_FROM: 'true',
        MAIL_RETRY_SECONDS: '1,1,2,2,3,3,5,5',
        INGEST_LOG_BYTES_MAX: String(logBytesMax),
        INGEST_STREAM_BYTES_MAX: String(streamBytesMax),
        WORKERS_THREADS: '1',
        ...(logDisk === undefined ? {} : { INGEST_LOG_DIR: join(logDisk, 'ingest-log') }),
      },
    })
    const prometheus = await Prometheus.start(stack.demo.metricsUrls)
    return new DrillStack({ stack, mail, prometheus, logDisk, folder })
  }

  signal(name: DrillProcess, signal: NodeJS.Signals): void {
    const pid = this.#process(name).pid
    if (pid !== undefined) signalTree(pid, signal)
  }

  /** Kills a process and its children; the supervisor starts it again. */
  async crash(name: DrillProcess): Promise<void> {
    const { pid } = this.#process(name)
    if (pid !== undefined) signalTree(pid, 'SIGKILL')
    await this.#process(name).ready()
  }

  /** Ends a process. It stays down until `bringUp`. */
  async takeDown(name: DrillProcess): Promise<void> {
    const { pid } = this.#process(name)
    if (pid !== undefined) signalTree(pid, 'SIGKILL')
    await this.#process(name).kill('SIGKILL')
  }

  async bringUp(name: DrillProcess): Promise<void> {
    await this.#process(name).restart()
  }

  /** Creates a project of the demo organization. */
  async project(name: string): Promise<DrillProject> {
    const { rows } = await this.postgres.query<{ id: string }>(
      'select organization_id as id from projects where id = $1',
      [this.stack.demo.projectId],
    )
    const organizationId = rows[0]?.id
    if (organizationId === undefined) throw new Error('there is no demo organization')
    const { id, dsnId } = await addProject(this.postgres, { organizationId, name })
    const { public_key: publicKey } = await addDsnKey(this.postgres, { projectId: id, label: null })
    const query = `sentry_key=${publicKey}&sentry_version=7`
    return {
      id,
      dsnId: Number(dsnId),
      envelopeUrl: `${this.stack.urls.ingest}/api/${dsnId}/envelope/?${query}`,
    }
  }

  /** The drills together send more emails than an organization may in an hour. */
  async forgetSentEmails(): Promise<void> {
    await this.postgres.query(`delete from rate_windows where bucket like 'sends:%'`)
  }

  async stop(): Promise<void> {
    await this.prometheus?.stop()
    await Promise.allSettled([this.postgres.end(), this.clickhouse.close()])
    await this.stack.stop()
    await this.mail.stop()
    if (this.logDisk !== undefined) await run('umount', ['--lazy', this.logDisk])
    await rm(this.#folder, { recursive: true, force: true })
  }

  #process(name: DrillProcess) {
    const { services, engines } = this.stack
    return name in services ? services[name as ServiceName] : engines[name as EngineName]
  }
}

/** Mounting needs Linux and root; without them the drills of the disk are left out. */
async function mountDisk(folder: string): Promise<string | undefined> {
  await mkdir(folder, { recursive: true })
  const options = ['-t', 'tmpfs', '-o', `size=${logDiskMegabytes}m,mode=0755`, 'tmpfs', folder]
  return run('mount', options).then(
    () => folder,
    () => undefined,
  )
}
