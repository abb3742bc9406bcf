/**
 * The only reader of `process.env`. Each `main.ts` asks once, before any socket opens, for the
 * variables that it uses, and hears of all wrong ones together. `.env.example` lists the same
 * variables with the same defaults (env.test.ts compares the two).
 */
import { z } from 'zod'
import type { Mailbox } from '#schemas/mail/mailbox.ts'
import { proxyList } from './http/forwarded-address.ts'
import { readNatsUrls } from './nats/nats-urls.ts'
import { parseMailbox } from './parse-mailbox.ts'

const port = (number: number) => z.coerce.number().int().min(0).max(65_535).default(number)
const count = (number: number) => z.coerce.number().int().positive().default(number)

const variables = {
  LOG_LEVEL: z.enum(['debug', 'info', 'warn', 'error']).default('info'),

  POSTGRES_URL: z.url({ protocol: /^postgres(ql)?$/ }),
  /** One server, or several of a cluster with commas between them. */
  NATS_URL: z.string().superRefine((urls, ctx) => {
    try {
      readNatsUrls(urls)
    } catch (error) {
      ctx.addIssue(error instanceof Error ? error.message : String(error))
    }
  }),
  CLICKHOUSE_URL: z.url({ protocol: /^https?$/ }),
  SMTP_URL: z.url({ protocol: /^smtps?$/ }),

  INGEST_HOST: z.string().default('127.0.0.1'),
  INGEST_PORT: port(8030),
  /** Where SDKs reach ingest: the host and port of the DSNs that are handed out. */
  INGEST_URL: z.url({ protocol: /^https?$/ }).default('http://127.0.0.1:8030'),
  /** Addresses and networks of the proxies whose X-Forwarded-For is believed, comma separated. */
  INGEST_TRUSTED_PROXIES: proxies(),
  /** A request whose frames are not acknowledged by then is answered 503. */
  INGEST_ACK_TIMEOUT_MS: count(10_000),

  /**
   * `log`: a 200 means on our disk and on the bus. `broker`: the log is used only while the bus is
   * away.
   */
  INGEST_DURABILITY: z.enum(['log', 'broker']).default('log'),
  /**
   * Where ingest keeps its write-ahead logs, one folder for each process; `ingest-log/<installation
   * id>` in SLUICE_DATA_DIR when left out.
   */
  INGEST_LOG_DIR: z.string().optional(),
  /** Bytes of the write-ahead log of one process. */
  INGEST_LOG_BYTES_MAX: count(2 * 1024 ** 3),
  /**
   * Several processes may listen on one port (SO_REUSEPORT), for more of them and for a restart
   * without a gap.
   */
  INGEST_SHARE_PORT: z.stringbool().default(false),
  /**
   * Operations port: metrics, and health of this one process; 0 for none. While another process has
   * it, this one waits for it.
   */
  INGEST_OPS_HOST: z.string().default('127.0.0.1'),
  INGEST_OPS_PORT: port(8038),

  /** Fixed when the streams are made. */
  INGEST_PARTITIONS: z.coerce.number().int().min(1).max(64).default(4),
  /**
   * Streams that share the partitions, so that their leaders spread over a cluster. Fixed like the
   * partitions.
   */
  INGEST_STREAMS: z.coerce.number().int().min(1).max(64).default(1),
  INGEST_STREAM_BYTES_MAX: count(8 * 1024 ** 3),
  INGEST_STREAM_REPLICAS: z.coerce.number().int().min(1).max(5).default(1),

  /**
   * Signs the links in letters and seals stored secrets; the same in every process, and kept:
   * another one makes all links of the past worthless. Any 32 characters or more that nobody can
   * guess.
   */
  SLUICE_SECRET: z.string().min(32).max(1_000),
  /**
   * While SLUICE_SECRET is rotated: the one before. Its links and sealed values are accepted,
   * nothing new is made with it. Remove it when `admin secret rotate` is done and the links of
   * emails sent until then may expire.
   */
  SLUICE_SECRET_PREVIOUS: z.string().min(32).max(1_000).optional(),
  /**
   * Terms of an SPF record that name the servers which hand our letters out, as in
   * include:relay.example.com.
   */
  MAIL_SPF: z
    .string()
    .trim()
    .max(200)
    .regex(/^[\x21-\x7e]+(?: +[\x21-\x7e]+)*$/, 'must be terms of an SPF record')
    .default('a mx'),
  /**
   * The sender of Sluice's own emails, such as invitations and warnings to owners: `Name <address>`
   * or an address.
   */
  MAIL_FROM: mailbox('Sluice <sluice@localhost>'),

  /**
   * True: a From address outside the organization's verified and allowed domains is a warning, not
   * an error. For the API and the mailer. `npm start` sets it while the embedded server captures
   * all mail.
   */
  MAIL_ALLOW_UNVERIFIED_FROM: z.stringbool().default(false),

  WORKERS_HOST: z.string().default('127.0.0.1'),
  /** Operations port: metrics and health. */
  WORKERS_PORT: port(8036),
  /** Digest threads of one worker process; 0 means one for each core. */
  WORKERS_THREADS: z.coerce.number().int().min(0).max(256).default(0),
  /** Days an event is kept. */
  RETENTION_DAYS: z.coerce.number().int().min(1).max(3650).default(90),

  MAILER_HOST: z.string().default('127.0.0.1'),
  /** Operations port: metrics and health. */
  MAILER_PORT: port(8037),
  /** Lines to the mail server of one process; what SMTP_URL says with maxConnections wins. */
  MAIL_CONNECTIONS_MAX: z.coerce.number().int().min(1).max(200).default(10),
  /** How long a claim on a letter holds when its process is gone. */
  MAIL_LEASE_MS: z.coerce.number().int().min(1_000).max(3_600_000).default(120_000),
  /**
   * Waits after the first attempts at a letter, comma separated; then it is tried hourly for a day.
   */
  MAIL_RETRY_SECONDS: z
    .string()
    .regex(/^\d{1,5}(,\d{1,5}){0,9}$/)
    .default('60,300,900,3600')
    .transform((list) => list.split(',').map(Number)),

  API_HOST: z.string().default('127.0.0.1'),
  API_PORT: port(8031),
  /**
   * Operations port: metrics and health; 0 for none. While another process has it, this one waits
   * for it.
   */
  API_OPS_HOST: z.string().default('127.0.0.1'),
  API_OPS_PORT: port(8039),
  /** Where people and scripts reach the API. */
  API_URL: z.url({ protocol: /^https?$/ }).default('http://127.0.0.1:8031'),
  /**
   * Proxies between clients and the API whose X-Forwarded-For is believed, counted from our side;
   * 0: none.
   */
  TRUST_PROXY_HOPS: z.coerce.number().int().min(0).max(10).default(0),
  /** Instead of TRUST_PROXY_HOPS: addresses and networks of those proxies, comma separated. */
  TRUSTED_PROXIES: proxies(),

  SLUICE_DATA_DIR: z.string().default('.sluice'),
  /** For tests: where the process dies or stands still (failpoint.ts). */
  SLUICE_FAILPOINTS: z.string().optional(),
  /** Ports of the embedded engines. */
  EMBEDDED_POSTGRES_PORT: port(8032),
  EMBEDDED_NATS_PORT: port(8033),
  EMBEDDED_CLICKHOUSE_PORT: port(8034),
  EMBEDDED_SMTP_PORT: port(8035),
} satisfies Record<string, z.ZodType>

function proxies() {
  return z
    .string()
    .default('')
    .transform((list) => list.split(',').flatMap((entry) => entry.trim() || []))
    .superRefine((entries, ctx) => {
      try {
        proxyList(entries)
      } catch (error) {
        ctx.addIssue(error instanceof Error ? error.message : String(error))
      }
    })
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
 * Reads the named variables; an empty one counts as absent. Throws one error that lists every wrong
 * one.
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
 * For a `main.ts`: what is wrong goes to standard error, one line each, and the process ends with
 * 1.
 */
export function readEnvOrExit<Name extends VariableName>(names: readonly Name[]): Env<Name> {
  try {
    return readEnv(names)
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    process.exit(1)
  }
}

/** The environment as it is, for a child process that must find the same tools and settings. */
export function inheritedEnv(): NodeJS.ProcessEnv {
  return { ...process.env }
}

/**
 * uWebSockets.js reads its limit on request headers from the environment while it is being loaded,
 * and refuses more than 4 KiB by default: less than a long DSN query with tracing headers. Call
 * before loading it.
 */
export function setHttpHeaderBytesMax(bytes: number): void {
  process.env['UWS_HTTP_MAX_HEADERS_SIZE'] = String(bytes)
}
