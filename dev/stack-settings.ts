/**
 * The variables, ports and URLs of one start of the whole product, resolved before any process
 * runs.
 */
import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '#platform/clock.ts'
import { inheritedEnv, readEnv, type VariableName, variableNames } from '#platform/env.ts'
import { SetupError } from './engines/engine.ts'
import { freePort, tryListen } from './processes/free-port.ts'

export const engineNames = ['postgres', 'nats', 'clickhouse', 'smtp'] as const
export type EngineName = (typeof engineNames)[number]
export const serviceNames = ['ingest', 'workers', 'mailer', 'api'] as const
export type ServiceName = (typeof serviceNames)[number]
/** Operations ports of the services that also have a public port. */
export const opsPortNames = ['ingestOps', 'apiOps'] as const
export type OpsPortName = (typeof opsPortNames)[number]
type PortName = ServiceName | EngineName | OpsPortName

const portVariables = {
  ingest: 'INGEST_PORT',
  workers: 'WORKERS_PORT',
  mailer: 'MAILER_PORT',
  api: 'API_PORT',
  postgres: 'EMBEDDED_POSTGRES_PORT',
  nats: 'EMBEDDED_NATS_PORT',
  clickhouse: 'EMBEDDED_CLICKHOUSE_PORT',
  smtp: 'EMBEDDED_SMTP_PORT',
  ingestOps: 'INGEST_OPS_PORT',
  apiOps: 'API_OPS_PORT',
} as const satisfies Record<PortName, VariableName>

const urlVariables = {
  postgres: 'POSTGRES_URL',
  nats: 'NATS_URL',
  clickhouse: 'CLICKHOUSE_URL',
  smtp: 'SMTP_URL',
} as const satisfies Record<EngineName, VariableName>

export interface StackSettings {
  readonly dataDir: string
  /** Ports of the services and of the embedded engines. */
  readonly ports: Readonly<Record<PortName, number>>
  readonly hosts: Readonly<Record<ServiceName | OpsPortName, string>>
  /** URLs of engines that run elsewhere. */
  readonly given: Readonly<Partial<Record<EngineName, string>>>
  readonly ingestUrl: string
  readonly apiUrl: string
  readonly partitions: number
  readonly streams: number
  readonly streamBytesMax: number
  readonly streamReplicas: number
  /** The environment of every child process. It omits the variables that are resolved here. */
  readonly env: NodeJS.ProcessEnv
}

/**
 * @param env the product's variables. The rest of a child's environment (PATH, HOME) is inherited.
 */
export async function settle(
  env: NodeJS.ProcessEnv,
  ports: 'as given' | 'free',
): Promise<StackSettings> {
  const read = readEnv(
    [
      'SLUICE_DATA_DIR',
      'INGEST_HOST',
      'WORKERS_HOST',
      'MAILER_HOST',
      'API_HOST',
      'INGEST_OPS_HOST',
      'API_OPS_HOST',
      'INGEST_PARTITIONS',
      'INGEST_STREAMS',
      'INGEST_STREAM_BYTES_MAX',
      'INGEST_STREAM_REPLICAS',
      ...Object.values(portVariables),
    ],
    env,
  )
  const given: Partial<Record<EngineName, string>> = {}
  for (const engine of engineNames) {
    const variable = urlVariables[engine]
    if (env[variable]) given[engine] = readEnv([variable], env)[variable]
  }
  const hosts = {
    ingest: read.INGEST_HOST,
    workers: read.WORKERS_HOST,
    mailer: read.MAILER_HOST,
    api: read.API_HOST,
    ingestOps: read.INGEST_OPS_HOST,
    apiOps: read.API_OPS_HOST,
  }
  const settled = {} as Record<PortName, number>
  for (const [name, variable] of Object.entries(portVariables)) {
    const anyPort = read[variable] === 0 || (ports === 'free' && !env[variable])
    settled[name as PortName] = anyPort ? await freePort() : read[variable]
  }
  // Only demo.json publishes these ports, so a taken default is replaced instead of failing the
  // start.
  for (const name of opsPortNames) {
    if (env[portVariables[name]]) continue
    const isTaken = (await tryListen(hosts[name], settled[name])) === 'taken'
    if (isTaken) settled[name] = await freePort(hosts[name])
  }
  return {
    dataDir: resolve(read.SLUICE_DATA_DIR),
    ports: settled,
    hosts,
    given,
    // The default URL contains the default port, so it applies only when that port is used.
    ingestUrl: env['INGEST_URL'] || localUrl(hosts.ingest, settled.ingest),
    apiUrl: env['API_URL'] || localUrl(hosts.api, settled.api),
    partitions: read.INGEST_PARTITIONS,
    streams: read.INGEST_STREAMS,
    streamBytesMax: read.INGEST_STREAM_BYTES_MAX,
    streamReplicas: read.INGEST_STREAM_REPLICAS,
    env: { ...withoutProductVariables(inheritedEnv()), ...withoutEmpty(env) },
  }
}

/** URL of a service on this machine, also when it listens on every address. */
export function localUrl(host: string, port: number): string {
  const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`
}

/**
 * The metrics URL of each service on its operations port. Workers and mailer have no other port.
 */
export function metricsUrls({ hosts, ports }: StackSettings): Record<ServiceName, string> {
  const url = (name: ServiceName | OpsPortName) => `${localUrl(hosts[name], ports[name])}/metrics`
  return {
    ingest: url('ingestOps'),
    workers: url('workers'),
    mailer: url('mailer'),
    api: url('apiOps'),
  }
}

/** Throws a SetupError for the first port that is still taken after `waitMs`. */
export async function checkPorts(
  settings: StackSettings,
  names: readonly string[],
  waitMs: number,
): Promise<void> {
  const deadline = systemClock.monotonicMs() + waitMs
  for (const [name, variable] of Object.entries(portVariables)) {
    if (!names.includes(name)) continue
    const port = settings.ports[name as PortName]
    const host = settings.hosts[name as ServiceName | OpsPortName] ?? '127.0.0.1'
    while ((await tryListen(host, port)) === 'taken') {
      if (systemClock.monotonicMs() < deadline) {
        await sleep(200)
        continue
      }
      throw new SetupError(
        `Port ${port} for ${name.replace(/Ops$/, ' (operations port)')} is already in use. Stop the program that listens on it, or set ${variable} to a free port.`,
      )
    }
  }
}

function withoutProductVariables(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const names: readonly string[] = variableNames
  return Object.fromEntries(Object.entries(env).filter(([name]) => !names.includes(name)))
}

function withoutEmpty(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([, value]) => value))
}
