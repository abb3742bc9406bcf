/**
 * The only code that reads `process.env`. Each `main.ts` reads the variables that it needs once,
 * before it opens a socket, and reports all invalid ones together. `.env.example` lists the same
 * variables with the same defaults (env.test.ts compares them).
 */
import { z } from 'zod'
import type { Mailbox } from '#schemas/mail/mailbox.ts'
import {
  type RetentionDays,
  type RetentionSetting,
  retentionDaysMax,
  retentionVariables,
} from '#schemas/retention/policy.ts'
import { createDnsResolver } from './dns-resolver.ts'
import { proxyList } from './http/forwarded-address.ts'
import { clusterNamePattern } from './installation/replicated-sql.ts'
import { metricsUrlFault } from './metrics/metrics-url.ts'
import { readNatsUrls } from './nats/nats-urls.ts'
import { readObjectStoreUrl } from './objects/object-store-url.ts'
import { parseMailbox } from './text/parse-mailbox.ts'

const port = (number: number) => z.coerce.number().int().min(0).max(65_535).default(number)
const count = (number: number) => z.coerce.number().int().positive().default(number)

const days = (setting: RetentionSetting) => {
  const { min, days: byDefault } = retentionVariables[setting]
  return z.coerce.number().int().min(min).max(retentionDaysMax).default(byDefault)
}

const variables = {
  LOG_LEVEL: z.enum(['debug', 'info', 'warn', 'error']).default('info'),

  POSTGRES_URL: z.url({ protocol: /^postgres(ql)?$/ }),
  /** One server, or several of one cluster, separated by commas. */
  NATS_URL: z.string().superRefine((urls, ctx) => {
    try {
      readNatsUrls(urls)
    } catch (error) {
      ctx.addIssue(error instanceof Error ? error.message : String(error))
    }
  }),
  CLICKHOUSE_URL: z.url({ protocol: /^https?$/ }),
  /**
   * Name of a ClickHouse cluster with one shard of several replicas. Read by `migrate`, which then
   * creates replicated tables on every replica. Unset for a single server and for ClickHouse Cloud.
   */
  CLICKHOUSE_CLUSTER: z
    .string()
    .regex(clusterNamePattern, 'must be the name of a cluster')
    .optional(),
  SMTP_URL: z.url({ protocol: /^smtps?$/ }),

  INGEST_HOST: z.string().default('127.0.0.1'),
  INGEST_PORT: port(8030),
  /** URL under which SDKs reach ingest: scheme, host and port of all DSNs. */
  INGEST_URL: z.url({ protocol: /^https?$/ }).default('http://127.0.0.1:8030'),
  /**
   * Addresses and networks of the proxies whose X-Forwarded-For is trusted, separated by commas.
   */
  INGEST_TRUSTED_PROXIES: networks(),
  /** A request whose frames are not acknowledged within this time gets a 503. Milliseconds. */
  INGEST_ACK_TIMEOUT_MS: count(10_000),

  /**
   * `log`: 200 means stored in the write-ahead log and on the bus. `broker`: on the bus; the
   * write-ahead log is used only while the bus is unavailable.
   */
  INGEST_DURABILITY: z.enum(['log', 'broker']).default('log'),
  /**
   * Folder of the write-ahead logs, with one subfolder per process. Default:
   * `ingest-log/<installation id>` in SLUICE_DATA_DIR.
   */
  INGEST_LOG_DIR: z.string().optional(),
  /** Maximum size of the write-ahead log of one process, in bytes. */
  INGEST_LOG_BYTES_MAX: count(2 * 1024 ** 3),
  /**
   * Lets several ingest processes listen on one port (SO_REUSEPORT), to scale and to restart
   * without a gap.
   */
  INGEST_SHARE_PORT: z.stringbool().default(false),
  /**
   * Operations port with metrics and health of this process; 0 disables it. While another process
   * uses the port, this one waits for it.
   */
  INGEST_OPS_HOST: z.string().default('127.0.0.1'),
  INGEST_OPS_PORT: port(8038),

  /** Partitions when the streams are created; `admin partitions set` changes them later. */
  INGEST_PARTITIONS: z.coerce.number().int().min(1).max(64).default(4),
  /**
   * Streams that share the partitions, so that their leaders are distributed over a cluster. Used
   * when the streams are created; `admin partitions set` changes their number later.
   */
  INGEST_STREAMS: z.coerce.number().int().min(1).max(64).default(1),
  INGEST_STREAM_BYTES_MAX: count(8 * 1024 ** 3),
  INGEST_STREAM_REPLICAS: z.coerce.number().int().min(1).max(5).default(1),

  /**
   * Signs the links in emails and encrypts stored secrets. Must be the same in every process and
   * must not change: another secret invalidates all links sent so far. At least 32 random
   * characters.
   */
  SLUICE_SECRET: z.string().min(32).max(1_000),
  /**
   * The previous SLUICE_SECRET during a rotation. Its links and encrypted values are accepted; new
   * ones use SLUICE_SECRET. Remove it when `admin secret rotate` is done and the links of emails
   * sent until then may expire.
   */
  SLUICE_SECRET_PREVIOUS: z.string().min(32).max(1_000).optional(),
  /**
   * Terms of an SPF record that name the servers which deliver our emails, such as
   * include:relay.example.com.
   */
  MAIL_SPF: z
    .string()
    .trim()
    .max(200)
    .regex(/^[\x21-\x7e]+(?: +[\x21-\x7e]+)*$/, 'must be terms of an SPF record')
    .default('a mx'),
  /**
   * Sender of Sluice's own emails, such as invitations and warnings to owners: an address, or `Name
   * <address>`.
   */
  MAIL_FROM: mailbox('Sluice <sluice@localhost>'),

  /**
   * True: a From address outside the organization's verified and allowed domains is a warning, not
   * an error. Read by the API and the mailer. `npm start` sets it while the embedded SMTP server
   * captures all emails.
   */
  MAIL_ALLOW_UNVERIFIED_FROM: z.stringbool().default(false),

  WORKERS_HOST: z.string().default('127.0.0.1'),
  /** Operations port with metrics and health. */
  WORKERS_PORT: port(8036),
  /** Digest threads of one worker process; 0 means one per core. */
  WORKERS_THREADS: z.coerce.number().int().min(0).max(256).default(0),
  /**
   * File in MaxMind's format (.mmdb) with places of addresses, such as GeoLite2 City. Read by the
   * workers at their start: they then add country, region and city of the user to events.
   */
  GEOIP_FILE: z.string().optional(),
  /** Days that events are kept. A project may choose its own number. */
  RETENTION_DAYS: days('events'),
  /**
   * Days that issues without events, unseen grouping hashes of other issues and releases are kept,
   * counted from when they were last seen; never shorter than the events of the project.
   */
  RETENTION_ISSUE_DAYS: days('issues'),
  /** The same for ignored issues: one that is forgotten comes back as a new issue. */
  RETENTION_IGNORED_ISSUE_DAYS: days('ignoredIssues'),
  /** Days that outcomes and the use of quota are kept; outcomes go by whole months. */
  RETENTION_OUTCOMES_DAYS: days('outcomes'),
  /** Days that the audit log and the activity of issues are kept. */
  RETENTION_AUDIT_DAYS: days('audit'),
  /**
   * Days that bounce reports, opens and clicks, events of contacts that prove no consent, results
   * of imports and addresses that nothing refers to are kept.
   */
  RETENTION_EMAIL_EVENTS_DAYS: days('emailEvents'),

  MAILER_HOST: z.string().default('127.0.0.1'),
  /** Operations port with metrics and health. */
  MAILER_PORT: port(8037),
  /** SMTP connections of one process. `maxConnections` in SMTP_URL takes precedence. */
  MAIL_CONNECTIONS_MAX: z.coerce.number().int().min(1).max(200).default(10),
  /** Milliseconds after which the result of an email is recorded whose mailer died sending it. */
  MAIL_LEASE_MS: z.coerce.number().int().min(1_000).max(3_600_000).default(120_000),
  /**
   * Seconds between the first attempts to send an email, separated by commas; after these, it is
   * retried hourly for a day.
   */
  MAIL_RETRY_SECONDS: z
    .string()
    .regex(/^\d{1,5}(,\d{1,5}){0,9}$/)
    .default('60,300,900,3600')
    .transform((list) => list.split(',').map(Number)),

  API_HOST: z.string().default('127.0.0.1'),
  API_PORT: port(8031),
  /**
   * Operations port with metrics and health; 0 disables it. While another process uses the port,
   * this one waits for it.
   */
  API_OPS_HOST: z.string().default('127.0.0.1'),
  API_OPS_PORT: port(8039),
  /** URL under which people and scripts reach the API. */
  API_URL: z.url({ protocol: /^https?$/ }).default('http://127.0.0.1:8031'),
  /**
   * Number of proxies in front of the API whose X-Forwarded-For is trusted, counted from the API; 0
   * for none.
   */
  TRUST_PROXY_HOPS: z.coerce.number().int().min(0).max(10).default(0),
  /**
   * Alternative to TRUST_PROXY_HOPS: addresses and networks of those proxies, separated by commas.
   */
  TRUSTED_PROXIES: networks(),

  /**
   * Networks outside of the public internet that webhooks and notifications may be sent to, as
   * CIDRs separated by commas; http is accepted there. Read by the API and the workers.
   */
  WEBHOOK_ALLOWED_NETWORKS: networks(),
  /**
   * Name servers for the check of sending domains, as `<IP address>` or `<IP address>:<port>`,
   * separated by commas. Default: those of the machine. Read by the API and `admin`.
   */
  DNS_SERVERS: nameServers(),
  /** URL of the Telegram Bot API; a Bot API server of your own has another one. */
  TELEGRAM_URL: z.url({ protocol: /^https?$/ }).default('https://api.telegram.org'),
  /** URL of PagerDuty's Events API; `https://events.eu.pagerduty.com` in the EU. */
  PAGERDUTY_URL: z.url({ protocol: /^https?$/ }).default('https://events.pagerduty.com'),
  /** URL of the Opsgenie API. Default: the URL of the region that a target names. */
  OPSGENIE_URL: z.url({ protocol: /^https?$/ }).optional(),

  /**
   * Storage of backups in `s3://bucket/prefix`: the URL of a service with the S3 API. Without it,
   * Amazon's endpoint of the region.
   */
  S3_ENDPOINT: z.url({ protocol: /^https?$/ }).optional(),
  S3_REGION: z
    .string()
    .regex(/^[a-z0-9-]{1,64}$/)
    .default('us-east-1'),
  /** Whether the bucket is in the path. Default: true if S3_ENDPOINT is set. */
  S3_PATH_STYLE: z.stringbool().optional(),
  AWS_ACCESS_KEY_ID: z.string().optional(),
  AWS_SECRET_ACCESS_KEY: z.string().optional(),
  AWS_SESSION_TOKEN: z.string().optional(),

  /**
   * Where the files of events lie: a folder that ingest, workers and the API share, or
   * `s3://bucket/prefix?endpoint=…&region=…` with the AWS variables. Default: `objects` in
   * SLUICE_DATA_DIR.
   */
  OBJECT_STORE_URL: z
    .string()
    .max(2_000)
    .superRefine((url, ctx) => {
      try {
        readObjectStoreUrl(url)
      } catch (error) {
        ctx.addIssue(error instanceof Error ? error.message : String(error))
      }
    })
    .optional(),

  SLUICE_DATA_DIR: z.string().default('.sluice'),
  /**
   * Metrics URLs of all processes. Read by the API, `top`, `admin doctor` and `admin upgrade
   * --check`.
   */
  SLUICE_METRICS_URLS: z
    .string()
    .default('')
    .transform(listed)
    .superRefine((urls, ctx) => {
      const fault = urls.map(metricsUrlFault).find((one) => one !== undefined)
      if (fault !== undefined) ctx.addIssue(`each URL ${fault}`)
    }),
  /** For tests: places at which the process is killed, paused or delayed (failpoint.ts). */
  SLUICE_FAILPOINTS: z.string().optional(),
  /** Ports of the embedded engines. */
  EMBEDDED_POSTGRES_PORT: port(8032),
  EMBEDDED_NATS_PORT: port(8033),
  EMBEDDED_CLICKHOUSE_PORT: port(8034),
  EMBEDDED_SMTP_PORT: port(8035),
} satisfies Record<string, z.ZodType>

/** Addresses and networks, separated by commas. */
function networks() {
  return z
    .string()
    .default('')
    .transform(listed)
    .superRefine((entries, ctx) => {
      try {
        proxyList(entries)
      } catch (error) {
        ctx.addIssue(error instanceof Error ? error.message : String(error))
      }
    })
}

function nameServers() {
  return z
    .string()
    .default('')
    .transform(listed)
    .superRefine((servers, ctx) => {
      try {
        createDnsResolver(servers)
      } catch {
        ctx.addIssue('must be IP addresses, each with an optional port: 10.0.0.53,[fd00::53]:5353')
      }
    })
}

function listed(text: string): string[] {
  return text.split(',').flatMap((entry) => entry.trim() || [])
}

function mailbox(text: string) {
  return z
    .string()
    .default(text)
    .transform((given, ctx): Mailbox => {
      const parsed = parseMailbox(given)
      if (parsed.kind === 'mailbox') return parsed.mailbox
      ctx.addIssue(parsed.rule)
      return z.NEVER
    })
}

export type VariableName = keyof typeof variables
export type Env<Name extends VariableName = VariableName> = Readonly<{
  [Key in Name]: z.infer<(typeof variables)[Key]>
}>

export const variableNames = Object.keys(variables) as VariableName[]

/**
 * Reads the named variables; an empty one counts as unset. Throws one error that lists all invalid
 * variables.
 */
export function readEnv<Name extends VariableName>(
  names: readonly Name[],
  source: NodeJS.ProcessEnv = process.env,
): Env<Name> {
  const shape = Object.fromEntries(names.map((name) => [name, variables[name]]))
  const given = Object.fromEntries(names.map((name) => [name, source[name] || undefined]))
  const parsed = z.object(shape).safeParse(given)
  if (!parsed.success) {
    const wrong = parsed.error.issues.map((issue) => `  ${issue.path.join('.')}: ${issue.message}`)
    throw new Error(`invalid environment:\n${wrong.join('\n')}`)
  }
  return Object.freeze(parsed.data) as Env<Name>
}

/**
 * For a `main.ts`: prints invalid variables to standard error, one per line, and exits with code 1.
 */
export function readEnvOrExit<Name extends VariableName>(names: readonly Name[]): Env<Name> {
  try {
    return readEnv(names)
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    process.exit(1)
  }
}

/** The variables of `retentionDays`, for `readEnv`. */
export const retentionNames = [
  'RETENTION_DAYS',
  'RETENTION_ISSUE_DAYS',
  'RETENTION_IGNORED_ISSUE_DAYS',
  'RETENTION_OUTCOMES_DAYS',
  'RETENTION_AUDIT_DAYS',
  'RETENTION_EMAIL_EVENTS_DAYS',
] as const satisfies readonly VariableName[]

export function retentionDaysOf(env: Env<(typeof retentionNames)[number]>): RetentionDays {
  return {
    events: env.RETENTION_DAYS,
    issues: env.RETENTION_ISSUE_DAYS,
    ignoredIssues: env.RETENTION_IGNORED_ISSUE_DAYS,
    outcomes: env.RETENTION_OUTCOMES_DAYS,
    audit: env.RETENTION_AUDIT_DAYS,
    emailEvents: env.RETENTION_EMAIL_EVENTS_DAYS,
  }
}

/** The whole environment, for child processes that need the same tools and settings. */
export function inheritedEnv(): NodeJS.ProcessEnv {
  return { ...process.env }
}

/**
 * Must be called before uWebSockets.js is loaded, which then reads its limit for request headers
 * from the environment. The default of 4 KiB is too small for a long DSN query with tracing
 * headers.
 */
export function setHttpHeaderBytesMax(bytes: number): void {
  process.env['UWS_HTTP_MAX_HEADERS_SIZE'] = String(bytes)
}
