/**
 * An hour of traffic of one project: errors, sessions in two forms, check-ins, client reports,
 * feedback and unsupported items, some of it sent twice. Each request lists the expected outcome of
 * every item, so that the result can be computed without knowing how the product counts.
 */
import type { Random } from '../fixtures/random.ts'

export interface SentBody {
  /** Milliseconds from the start of the hour. */
  readonly atMs: number
  readonly lines: readonly object[]
  /** For each item: its outcome, and the outcome of a copy. */
  readonly fates: readonly (readonly [first: string, copy: string])[]
  readonly discards: readonly {
    readonly reason: string
    readonly category: string
    readonly quantity: number
  }[]
  readonly copies: readonly number[]
}

export interface Session {
  readonly release: string
  readonly environment: string
  readonly startedMs: number
  readonly user: string
  readonly end: 'running' | 'exited' | 'errored' | 'unhandled' | 'abnormal' | 'crashed'
}

export interface SessionBucket {
  readonly release: string
  readonly environment: string
  readonly startedMs: number
  readonly exited: number
  readonly errored: number
  readonly crashed: number
}

export interface PlannedRun {
  readonly slug: string
  readonly slotMs: number
  readonly end: 'ok' | 'error' | 'missed' | 'overrunning'
}

export interface Hour {
  readonly bodies: readonly SentBody[]
  readonly sessions: readonly Session[]
  readonly buckets: readonly SessionBucket[]
  readonly runs: readonly PlannedRun[]
}

export const releases = ['shop@1.0.0', 'shop@1.1.0'] as const
export const environments = ['production', 'staging'] as const
export const slugs = ['backup', 'mails', 'report'] as const

export const hourMs = 3_600_000
const slotMs = 300_000
const secondMs = 1_000
const sessionEnds = [
  'running',
  'exited',
  'exited',
  'errored',
  'unhandled',
  'abnormal',
  'crashed',
] as const
const runEnds = ['ok', 'ok', 'ok', 'error', 'missed', 'overrunning'] as const

const once = (category: string) => [`accepted: ${category}`, `duplicate: ${category}`] as const
const each = (category: string) => [`accepted: ${category}`, `accepted: ${category}`] as const
const lost = {
  transaction: 'unsupported:unsupported:transaction transaction',
  span: 'unsupported:unsupported:span span',
  session: 'rejected:invalid_session session',
}

/**
 * @param startMs is a multiple of 5 minutes but not of an hour, so that the plan spans two hours.
 */
export function planHour(random: Random, startMs: number): Hour {
  const bodies: SentBody[] = []
  const send = (
    atMs: number,
    items: readonly (readonly [type: string, payload: object])[],
    fates: Partial<SentBody>,
  ) => {
    const at = awayFromTheHour(startMs, atMs)
    const head = { event_id: random.hex(32), sent_at: instant(startMs + at) }
    const copies = random.chance(0.1) ? [random.between(1, 20) * secondMs] : []
    bodies.push({
      atMs: at,
      lines: [head, ...items.flatMap(([type, payload]) => [{ type }, payload])],
      fates: [],
      discards: [],
      copies: copies.filter((after) => isAwayFromTheHour(startMs, at + after)),
      ...fates,
    })
  }
  const anyTime = () => random.between(1, 3_560) * secondMs

  for (let no = 0; no < 500; no += 1) {
    const event = { fingerprint: [`issue ${random.below(6)}`], message: 'it broke', level: 'error' }
    if (random.chance(0.05)) {
      send(anyTime(), [['event', { ...event, event_id: random.hex(32), type: 'transaction' }]], {
        // Ingest treats it as an event, so its copy is recognized by the event id.
        fates: [[lost.transaction, 'duplicate: error']],
      })
    } else
      send(anyTime(), [['event', { ...event, event_id: random.hex(32) }]], {
        fates: [once('error')],
      })
  }
  for (let no = 0; no < 60; no += 1) {
    const reason = random.pick(['before_send', 'queue_overflow', 'my own'])
    const category = random.pick(['error', 'transaction', 'session'])
    const quantity = random.between(1, 500)
    send(anyTime(), [['client_report', { discarded_events: [{ reason, category, quantity }] }]], {
      fates: [once('internal')],
      discards: [{ reason: reason === 'my own' ? 'other' : reason, category, quantity }],
    })
    const message = { message: 'I cannot pay.' }
    send(anyTime(), [['feedback', { event_id: random.hex(32), contexts: { feedback: message } }]], {
      fates: [each('feedback')],
    })
    send(
      anyTime(),
      [
        ['transaction', { no }],
        ['span', { no }],
      ],
      {
        fates: [
          [lost.transaction, lost.transaction],
          [lost.span, lost.span],
        ],
      },
    )
  }
  const sessions = Array.from({ length: 250 }, () => planSession(random, startMs))
  for (const session of sessions) sendSession(random, startMs, session, send)
  const buckets = Array.from({ length: 80 }, () => planBucket(random, startMs))
  for (const { startedMs, release, environment, ...counts } of buckets) {
    const aggregates = [{ started: instant(startedMs), ...counts }]
    const at = startedMs - startMs + 30 * secondMs
    send(at, [['sessions', { aggregates, attrs: { release, environment } }]], {
      fates: [once('session')],
    })
  }
  const runs = slugs.flatMap((slug) => planRuns(random, startMs, slug))
  for (const run of runs) sendRun(random, startMs, run, send)
  return { bodies: bodies.sort((a, b) => a.atMs - b.atMs), sessions, buckets, runs }
}

type Send = (
  atMs: number,
  items: readonly (readonly [type: string, payload: object])[],
  fates: Partial<SentBody>,
) => void

function planSession(random: Random, startMs: number): Session {
  return {
    release: random.pick(releases),
    environment: random.pick(environments),
    // Not just before the end of an hour: a late copy would be counted in the next hour.
    startedMs: startMs + random.between(0, 49) * 60 * secondMs + random.below(20) * secondMs,
    user: `user ${random.below(60)}`,
    end: random.pick(sessionEnds),
  }
}

/** Sends the start and the end of a session, sometimes in reverse order. */
function sendSession(
  random: Random,
  startMs: number,
  { release, environment, startedMs, user, end }: Session,
  send: Send,
): void {
  const common = {
    sid: random.hex(32),
    did: user,
    started: instant(startedMs),
    attrs: { release, environment },
  }
  const beginsAt = startedMs - startMs + random.between(1, 40) * secondMs
  const endsAt = startedMs - startMs + random.between(1, 500) * secondMs
  const fates = { fates: [each('session')] }
  send(beginsAt, [['session', { ...common, init: true, status: 'ok' }]], fates)
  if (end === 'running') return
  const isErrored = end === 'errored'
  const status = isErrored ? 'exited' : end
  const last = { ...common, status, errors: isErrored ? 2 : 0 }
  send(endsAt, [['session', last]], fates)
}

function planBucket(random: Random, startMs: number): SessionBucket {
  return {
    release: random.pick(releases),
    environment: random.pick(environments),
    startedMs: startMs + random.between(0, 55) * 60 * secondMs,
    exited: random.below(50),
    errored: random.below(5),
    crashed: random.below(3),
  }
}

/** Runs every five minutes. The first one succeeds, because it creates the monitor. */
function planRuns(random: Random, startMs: number, slug: string): PlannedRun[] {
  return Array.from({ length: hourMs / slotMs }, (_, index) => ({
    slug,
    slotMs: startMs + index * slotMs,
    end: index === 0 ? 'ok' : random.pick(runEnds),
  }))
}

function sendRun(
  random: Random,
  startMs: number,
  { slug, slotMs: slot, end }: PlannedRun,
  send: Send,
): void {
  if (end === 'missed') return
  const common = {
    check_in_id: random.hex(32),
    monitor_slug: slug,
    monitor_config: {
      schedule: { type: 'crontab', value: '*/5 * * * *' },
      checkin_margin: 1,
      max_runtime: 3,
      timezone: 'UTC',
    },
  }
  const fates = { fates: [once('monitor')] }
  const beginsAt = slot - startMs + random.between(3, 40) * secondMs
  send(beginsAt, [['check_in', { ...common, status: 'in_progress' }]], fates)
  if (end === 'overrunning') return
  const endsAt = beginsAt + random.between(5, 90) * secondMs
  send(endsAt, [['check_in', { ...common, status: end }]], fates)
}

/** Moves a time away from the turn of an hour, where an item may be counted in either hour. */
function awayFromTheHour(startMs: number, atMs: number): number {
  return isAwayFromTheHour(startMs, atMs) ? atMs : atMs + 6 * secondMs
}

function isAwayFromTheHour(startMs: number, atMs: number): boolean {
  const inHourMs = (startMs + atMs) % hourMs
  return 3 * secondMs <= inHourMs && inHourMs <= hourMs - 3 * secondMs
}

function instant(ms: number): string {
  return new Date(ms).toISOString()
}
