/** How one of our services is run and watched. */

import { readEnv } from '#platform/env.ts'
import { startRetryMsMax } from '#platform/installation/retry-at-start.ts'
import { formatSupervisorArguments } from '#platform/supervisor-arguments.ts'
import { freePort } from './processes/free-port.ts'
import type { ProcessPlan } from './processes/managed-process.ts'
import { nodeLaunch } from './processes/node-launch.ts'
import {
  type EngineName,
  localUrl,
  type ServiceName,
  type StackSettings,
} from './stack-settings.ts'

/** A little more than a service gives itself (platform/run-service.ts). */
const drainMsMax = 26_000
/** A service waits for each of its databases in turn (platform/installation/retry-at-start.ts). */
const readyMsMax = 2 * startRetryMsMax

export function servicePlan(
  name: ServiceName,
  settings: StackSettings,
  engineUrls: Readonly<Record<EngineName, string>>,
  parts: { mailboxDir: string | undefined; secret: string },
): ProcessPlan {
  let health = `${localUrl(settings.hosts[name], settings.ports[name])}/health/ready`
  const env = {
    ...settings.env,
    SLUICE_DATA_DIR: settings.dataDir,
    POSTGRES_URL: engineUrls.postgres,
    NATS_URL: engineUrls.nats,
    CLICKHOUSE_URL: engineUrls.clickhouse,
    SMTP_URL: engineUrls.smtp,
    INGEST_PORT: String(settings.ports.ingest),
    // So that another process can take over from one that runs. Whether the port is free was
    // checked before.
    INGEST_SHARE_PORT: 'true',
    INGEST_URL: settings.ingestUrl,
    INGEST_OPS_PORT: String(settings.ports.ingestOps),
    WORKERS_PORT: String(settings.ports.workers),
    MAILER_PORT: String(settings.ports.mailer),
    API_PORT: String(settings.ports.api),
    API_OPS_PORT: String(settings.ports.apiOps),
    API_URL: settings.apiUrl,
    SLUICE_SECRET: settings.env['SLUICE_SECRET'] ?? parts.secret,
    ...(isMailCaptured(settings) ? captured(settings) : {}),
  }
  return {
    name,
    launch: async () => {
      const entry = serviceEntries[name]
      if (name === 'api') {
        const { mailboxDir } = parts
        return nodeLaunch(entry, formatSupervisorArguments({ mailboxDir }), env)
      }
      if (name !== 'ingest') return nodeLaunch(entry, [], env)
      // On its other ports it might be the process before it that says it is ready.
      const probePort = await freePort()
      health = `${localUrl('127.0.0.1', probePort)}/health/ready`
      return nodeLaunch(entry, formatSupervisorArguments({ probePort }), env)
    },
    probe: async () => {
      const response = await fetch(health, { signal: AbortSignal.timeout(2_000) })
      await response.body?.cancel()
      if (!response.ok) throw new Error(`${health} answered ${response.status}`)
    },
    readyMsMax,
    stopSteps: [{ signal: 'SIGINT', waitMs: drainMsMax }],
    hasLowerPriority: name === 'workers',
    ...handOvers[name],
  }
}

/** No email leaves the machine: the embedded SMTP server takes all of them. */
export function isMailCaptured({ given }: StackSettings): boolean {
  return given.smtp === undefined
}

/** As the services are told: yes while all emails are captured, unless the variable says no. */
export function allowsUnverifiedFrom(settings: StackSettings): boolean {
  const told = isMailCaptured(settings) ? captured(settings) : settings.env
  return readEnv(['MAIL_ALLOW_UNVERIFIED_FROM'], told).MAIL_ALLOW_UNVERIFIED_FROM
}

function captured({ env }: StackSettings): NodeJS.ProcessEnv {
  return { MAIL_ALLOW_UNVERIFIED_FROM: env['MAIL_ALLOW_UNVERIFIED_FROM'] ?? 'true' }
}

/** Below dist/. */
export const serviceEntries: Readonly<Record<ServiceName, string>> = {
  ingest: 'ingest/main.js',
  workers: 'workers/main.js',
  mailer: 'workers/mail/main.js',
  api: 'api/main.js',
}

/** Workers and mailers have no clients: their partitions and claims change hands anyway. */
const handOvers: Readonly<Record<ServiceName, Pick<ProcessPlan, 'handOver'>>> = {
  ingest: { handOver: { kind: 'beside', ending: { signal: 'SIGTERM', waitMs: drainMsMax } } },
  workers: {},
  mailer: {},
  api: { handOver: { kind: 'signal', signal: 'SIGHUP' } },
}
