/**
 * Formats a line of a child process for the terminal: JSON of our services and plain text of
 * engines become `12:00:01 ingest     info  Listening. port=8030`.
 */
import { z } from 'zod'

export interface LineStyle {
  readonly colored: boolean
  /** Shows informational lines of engines, which are hidden by default. */
  readonly withEngineChatter: boolean
}

const PinoLine = z.looseObject({
  level: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal']),
  time: z.string().optional(),
  msg: z.string().default(''),
})

type Level = z.infer<typeof PinoLine>['level']

const levelColors: Readonly<Record<Level, number>> = {
  trace: 90,
  debug: 90,
  info: 32,
  warn: 33,
  error: 31,
  fatal: 31,
}
const sourceColors: Readonly<Record<string, number>> = {
  ingest: 36,
  workers: 35,
  api: 34,
}
const sourceWidth = 10
/** Fields that every line has, or that are shown elsewhere in the line. */
const hiddenFields = new Set(['level', 'time', 'msg', 'service', 'pid', 'hostname', 'err'])

/** @returns undefined when the line is hidden. */
export function formatLine(
  source: string,
  line: string,
  nowMs: number,
  style: LineStyle,
): string | undefined {
  const parsed = parsePino(line)
  if (parsed) {
    const time = parsed.time === undefined ? nowMs : Date.parse(parsed.time)
    return compose(source, parsed.level, time, describe(parsed), style)
  }
  const level = engineLevel(line)
  if (level === 'info' && !style.withEngineChatter) return undefined
  return compose(source, level ?? 'info', nowMs, withoutOwnTime(line), style)
}

export function compose(
  source: string,
  level: Level,
  timeMs: number,
  text: string,
  style: LineStyle,
): string {
  const paint = (code: number, part: string) =>
    style.colored ? `\u001b[${code}m${part}\u001b[0m` : part
  const time = paint(90, clockTime(timeMs))
  const name = paint(sourceColors[source] ?? 37, source.padEnd(sourceWidth))
  return `${time} ${name} ${paint(levelColors[level], level.padEnd(5))} ${printable(text)}`
}

function parsePino(line: string): z.infer<typeof PinoLine> | undefined {
  if (!line.startsWith('{')) return undefined
  try {
    return PinoLine.safeParse(JSON.parse(line)).data
  } catch {
    return undefined
  }
}

function describe(line: z.infer<typeof PinoLine>): string {
  const fields = Object.entries(line)
    .filter(([name]) => !hiddenFields.has(name))
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
  const error = z
    .object({ message: z.string(), stack: z.string().optional() })
    .safeParse(line['err'])
  if (error.success) fields.push(`err=${error.data.message}`)
  const text = [line.msg, ...fields].filter((part) => part !== '').join(' ')
  const isBad = line.level === 'error' || line.level === 'fatal'
  return isBad && error.data?.stack ? `${text}\n${error.data.stack}` : text
}

/** The level that Postgres and nats-server write into a line; undefined for a line without one. */
function engineLevel(line: string): Level | undefined {
  if (/\[(INF|DBG|TRC)\]|\b(LOG|STATEMENT|DETAIL|HINT|NOTICE|CONTEXT): {2}/.test(line))
    return 'info'
  // The next lines of a message whose first line was hidden or shown already.
  if (line.startsWith('\t')) return 'info'
  // Migrations query their table first and create it if it does not exist.
  if (/ERROR: {2}relation "(?:graphile_worker\.)?migrations" does not exist/.test(line))
    return 'info'
  // The passwords are in our own configuration file, which only its owner may read.
  if (line.includes('Plaintext passwords detected')) return 'info'
  if (/\[WRN\]|\bWARNING: {2}/.test(line)) return 'warn'
  // Postgres rejects every client until its recovery is complete, and ends each session when it is
  // stopped. Our clients retry and log the outage.
  if (/FATAL: {2}the database system is (starting up|not yet accepting|shutting down)/.test(line)) {
    return 'info'
  }
  if (line.includes('FATAL:  terminating connection due to administrator command')) return 'info'
  if (/\[ERR\]|\[FTL\]|\b(ERROR|FATAL|PANIC): {2}/.test(line)) return 'error'
  return undefined
}

function withoutOwnTime(line: string): string {
  return line
    .replace(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+ [A-Z]+ /, '')
    .replace(/^\[\d+\] \d{4}\/\d\d\/\d\d \d\d:\d\d:\d\d\.\d+ /, '')
}

function clockTime(timeMs: number): string {
  const time = new Date(timeMs)
  return [time.getHours(), time.getMinutes(), time.getSeconds()]
    .map((part) => String(part).padStart(2, '0'))
    .join(':')
}

/** Replaces control characters, because a log line may quote text from an SDK or a client. */
function printable(text: string): string {
  return text.replace(/\p{Cc}/gu, (character) => (character === '\n' ? '\n    ' : '\u00b7'))
}
