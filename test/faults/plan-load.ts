/**
 * What a round sends, made from its seed alone: unique events, each in one to five requests to any
 * of the ingest processes at any moment of the round, alone and in envelopes of 50, compressed or
 * not, and between them what must be counted and not stored. The same seed makes the same bytes.
 */
import { gzipSync } from 'node:zlib'
import { eventIdOf, runIdDigits } from '../../bench/load/event-ids.ts'
import { type Random, seededRandom } from '../../bench/load/random.ts'
import { hostileTexts } from '../fixtures/hostile-texts.ts'

export const projectRoles = ['unlimited', 'limited', 'braked'] as const
export type ProjectRole = (typeof projectRoles)[number]

export interface PlannedProject {
  readonly role: ProjectRole
  /** 16 hex digits that every event id of the project begins with. */
  readonly runId: string
  /** Events that are worth storing; their counters are all below. */
  readonly eventCount: number
  readonly monthlyEvents: number | null
  readonly issueEventsPerMinute: number | null
}

/** How many items of each sort a request holds. */
export interface ItemCounts {
  /** Counters of the good events. */
  readonly events: readonly number[]
  /** Event items that no one can digest. */
  readonly spoiled: number
  readonly sessions: number
  readonly transactions: number
}

export interface PlannedRequest extends ItemCounts {
  readonly atMs: number
  readonly project: ProjectRole
  /** Which ingest process is tried first. */
  readonly ingest: number
  readonly body: Buffer
  readonly gzip: boolean
}

export interface LoadPlan {
  readonly durationMs: number
  readonly projects: Readonly<Record<ProjectRole, PlannedProject>>
  /** By time. */
  readonly requests: readonly PlannedRequest[]
}

interface Volume {
  readonly singles: number
  readonly envelopes: number
}

const volumes: Readonly<Record<ProjectRole, Volume>> = {
  unlimited: { singles: 220, envelopes: 8 },
  limited: { singles: 150, envelopes: 6 },
  braked: { singles: 60, envelopes: 2 },
}
const eventsPerEnvelope = 50
/** Of an envelope's events so many have been sent alone as well. */
const repeatedPerEnvelope = 8
const issueCount = 12
/** Counters of what is sent but never stored begin here. */
export const spoiledCounterFirst = 1_000_000

export function planLoad(
  seed: number,
  options: { readonly durationMs: number; readonly ingestCount: number },
): LoadPlan {
  const random = seededRandom(seed)
  const projects = {} as Record<ProjectRole, PlannedProject>
  const requests: PlannedRequest[] = []
  for (const role of projectRoles) {
    const runId = random.hex(runIdDigits)
    const { project, contents } = planProject(role, runId, random)
    projects[role] = project
    for (const content of contents) {
      const gzip = random.below(3) === 0
      const text = envelopeText(runId, content, random)
      const body = gzip ? gzipSync(text) : text
      for (let copy = 0; copy < copiesOf(content, random); copy += 1) {
        const atMs = random.below(options.durationMs)
        const ingest = random.below(options.ingestCount)
        requests.push({ ...content, atMs, project: role, ingest, body, gzip })
      }
    }
  }
  requests.sort((left, right) => left.atMs - right.atMs)
  return { durationMs: options.durationMs, projects, requests }
}

/** As the clients' clock has it, which is far behind: what began then began just now. */
const sentAt = '2026-01-01T00:00:00Z'

/** An envelope of good events and nothing else, beyond any plan: the same for the same counters. */
export function envelopeOfEvents(
  project: Pick<PlannedProject, 'runId'>,
  counters: readonly number[],
): { readonly body: Buffer; readonly items: ItemCounts } {
  const items = { events: counters, spoiled: 0, sessions: 0, transactions: 0 }
  const random = seededRandom(counters[0] ?? 0)
  return { body: envelopeText(project.runId, items, random), items }
}

function planProject(
  role: ProjectRole,
  runId: string,
  random: Random,
): { project: PlannedProject; contents: ItemCounts[] } {
  const { singles, envelopes } = volumes[role]
  const contents: ItemCounts[] = []
  const alone = { spoiled: 0, sessions: 0, transactions: 0 }
  for (let counter = 0; counter < singles; counter += 1) {
    contents.push({ ...alone, events: [counter] })
  }
  let eventCount = singles
  for (let envelope = 0; envelope < envelopes; envelope += 1) {
    const events: number[] = []
    for (let repeated = 0; repeated < repeatedPerEnvelope; repeated += 1) {
      const counter = random.below(singles)
      // Twice within one envelope happens as well: such an item is a duplicate like any other.
      events.push(counter)
    }
    while (events.length < eventsPerEnvelope) events.push(eventCount++)
    contents.push({ events, spoiled: random.below(2), sessions: random.below(3), transactions: 0 })
  }
  for (let index = 0; index < 6; index += 1) {
    contents.push({ ...alone, events: [], spoiled: 1 })
    contents.push({ ...alone, events: [], sessions: 1 + random.below(3) })
    contents.push({ ...alone, events: [], transactions: 1 })
  }
  return {
    project: {
      role,
      runId,
      eventCount,
      // Well below what is offered, and not a round number of anything.
      monthlyEvents: role === 'limited' ? 150 + random.below(150) : null,
      issueEventsPerMinute: role === 'braked' ? 30 : null,
    },
    contents,
  }
}

/**
 * What no event is, or none that can be stored, is sent once: what becomes of its copies is
 * nobody's promise.
 */
function copiesOf(content: ItemCounts, random: Random): number {
  if (content.events.length === 0 || content.spoiled > 0) return 1
  return random.pick([1, 1, 1, 1, 1, 1, 2, 2, 3, 3, 4, 5] as const)
}

function envelopeText(runId: string, content: ItemCounts, random: Random): Buffer {
  const items = content.events.map((counter) => eventItem(runId, counter, random))
  for (let index = 0; index < content.spoiled; index += 1) items.push(spoiledItem(runId, random))
  for (let index = 0; index < content.sessions; index += 1) items.push(sessionItem(random))
  for (let index = 0; index < content.transactions; index += 1)
    items.push(item('transaction', '{}'))
  // Only the SDK's own way of one event to an envelope names the event in the header.
  const only = items.length === 1 ? content.events[0] : undefined
  const id = only === undefined ? {} : { event_id: eventIdOf(runId, only) }
  const header = { ...id, sent_at: sentAt }
  return Buffer.from(`${JSON.stringify(header)}\n${items.join('')}`)
}

/** Attributes of which a bad value costs the attribute and never the event. */
const hostileFields = [
  ...['timestamp', 'transaction', 'server_name', 'logger', 'dist', 'environment', 'tags'],
  ...['contexts', 'breadcrumbs', 'request', 'sdk', 'modules', 'fingerprint', 'threads'],
]
/** Longer ones would be most of what a round sends. */
const shortTexts = hostileTexts.filter((text) => text.length < 200)

/** A good event with a hostile value in one of its attributes. */
function eventItem(runId: string, counter: number, random: Random): string {
  const event = eventText(runId, counter, random)
  // Of one event in all its copies, so that a copy is the same whichever request it came with.
  const field = hostileFields[counter % hostileFields.length]
  const text = shortTexts[counter % shortTexts.length]
  return item('event', `${event.slice(0, -1)},"${field}":${text}}`)
}

function eventText(runId: string, counter: number, random: Random): string {
  const issue = counter % issueCount
  return JSON.stringify({
    event_id: eventIdOf(runId, counter),
    platform: 'node',
    level: 'error',
    release: `shop@1.${issue % 3}.0`,
    user: { id: random.hex(6) },
    exception: {
      values: [
        {
          type: `Error${String.fromCharCode(65 + issue)}`,
          value: `order ${counter} failed`,
          stacktrace: {
            frames: [
              {
                filename: `/srv/shop-${issue}.js`,
                function: `handle${issue}`,
                lineno: 7,
                in_app: true,
              },
            ],
          },
        },
      ],
    },
    extra: { note: 'n'.repeat(random.below(700)) },
  })
}

/** JSON that breaks off behind its id. */
function spoiledItem(runId: string, random: Random): string {
  const id = eventIdOf(runId, spoiledCounterFirst + random.below(0x4000_0000))
  return item('event', `{"event_id":"${id}","message":`)
}

/**
 * One session, as a sum: counted in Postgres, so a copy that is taken for another would be seen. No
 * two are equal.
 */
function sessionItem(random: Random): string {
  const aggregates = JSON.stringify([{ started: sentAt, exited: 1, note: random.hex(16) }])
  const environment = shortTexts[random.below(shortTexts.length)]
  return item(
    'sessions',
    `{"aggregates":${aggregates},"attrs":{"release":"shop@9\\u0000.0.0","environment":${environment}}}`,
  )
}

function item(type: string, payload: string): string {
  return `{"type":"${type}","length":${Buffer.byteLength(payload)}}\n${payload}\n`
}
