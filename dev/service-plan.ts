/** How each service is started, probed and stopped. */

import { readEnv } from '#platform/env.ts'
import { startRetryMsMax } from '#platform/installation/retry-at-start.ts'
import { formatSupervisorArguments } from '#platform/supervisor-arguments.ts'
import { freePort } from './processes/free-port.ts'
import { nodeLaunch } from './processes/node-launch.ts'
import type { ProcessPlan } from './processes/process-plan.ts'
import {
  type EngineName,
  localUrl,
  type ServiceName,
  type StackSettings,
} from './stack-settings.ts'

/** Longer than a service's own limit for draining (platform/run-service.ts). */
const drainMsMax = 26_000
/**
 * A service waits for both of its databases, one after the other
 * (platform/installation/retry-at-start.ts).
 */
const readyMsMax = 2 * startRetryMsMax

export function servicePlan(
  name: ServiceName,
  settings: StackSettings,
  engineUrls: Readonly<Record<EngineName, string>>,
  parts: { mailboxDir: string | undefined; secret: string },
): ProcessPlan {
  // A mailer whose mail server is away has started, but is not ready. Its port opens last.
  const path = name === 'mailer' ? '/health' : '/health/ready'
  let health = `${localUrl(settings.hosts[name], settings.ports[name])}${path}`
  const env = {
    ...settings.env,
    SLUICE_DATA_DIR: settings.dataDir,
    POSTGRES_URL: engineUrls.postgres,
    NATS_URL: engineUrls.nats,
    CLICKHOUSE_URL: engineUrls.clickhouse,
    SMTP_URL: engineUrls.smtp,
    INGEST_PORT: String(settings.ports.ingest),
    // Lets a second process take over from a running one. The stack checks beforehand that the port
    // is free.
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
      // The shared ports may still be answered by the process that is being replaced.
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

/** True while the embedded SMTP server captures all emails, so that none leaves the machine. */
export function isMailCaptured({ given }: StackSettings): boolean {
  return given.smtp === undefined
}

/**
 * The value that the services get: true while emails are captured, unless the variable overrides
 * it.
 */
export function allowsUnverifiedFrom(settings: StackSettings): boolean {
  const told = isMailCaptured(settings) ? captured(settings) : settings.env
  return readEnv(['MAIL_ALLOW_UNVERIFIED_FROM'], told).MAIL_ALLOW_UNVERIFIED_FROM
}

function captured({ env }: StackSettings): NodeJS.ProcessEnv {
  return { MAIL_ALLOW_UNVERIFIED_FROM: env['MAIL_ALLOW_UNVERIFIED_FROM'] ?? 'true' }
}

/** Paths below dist/. */
export const serviceEntries: Readonly<Record<ServiceName, string>> = {
  ingest: 'ingest/main.js',
  workers: 'workers/main.js',
  mailer: 'workers/mail/main.js',
  api: 'api/main.js',
}

/**
 * Workers and mailers serve no clients; they are simply restarted, and partitions and claims move
 * to other processes.
 */
const handOvers: Readonly<Record<ServiceName, Pick<ProcessPlan, 'handOver'>>> = {
  ingest: { handOver: { kind: 'beside', ending: { signal: 'SIGTERM', waitMs: drainMsMax } } },
  workers: {},
  mailer: {},
  api: { handOver: { kind: 'signal', signal: 'SIGHUP' } },
}
