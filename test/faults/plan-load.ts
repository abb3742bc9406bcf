/**
 * Plans the requests of a round from its seed: unique events, each in one to five requests to any
 * ingest process at any time of the round, alone and in envelopes of 50, with and without
 * compression, together with items that are counted and not stored. The same seed makes the same
 * bytes.
 */
import { gzipSync } from 'node:zlib'
import { eventIdOf, runIdDigits } from '../../bench/load/event-ids.ts'
import { type Random, seededRandom } from '../../bench/load/random.ts'
import { hostileTexts } from '../fixtures/hostile-texts.ts'

export const projectRoles = ['unlimited', 'limited', 'sampled'] as const
export type ProjectRole = (typeof projectRoles)[number]

export interface PlannedProject {
  readonly role: ProjectRole
  /** 16 hex digits, the prefix of every event id of the project. */
  readonly runId: string
  /** Number of valid events; their counters are 0 to `eventCount - 1`. */
  readonly eventCount: number
  readonly monthlyEvents: number | null
  readonly issueEventsPerMinute: number | null
  /** A rule fires about each issue with more events; some issues of a project have fewer. */
  readonly alertThreshold: number
}

/** How many items of each kind a request holds. */
export interface ItemCounts {
  /** Counters of the valid events. */
  readonly events: readonly number[]
  /** Number of event items that are invalid JSON. */
  readonly spoiled: number
  readonly sessions: number
  readonly transactions: number
  /** Whether the envelope has a file of its only event. */
  readonly hasFile?: boolean
}

export interface PlannedRequest extends ItemCounts {
  readonly atMs: number
  readonly project: ProjectRole
  /** Index of the ingest process that is tried first. */
  readonly ingest: number
  readonly body: Buffer
  readonly gzip: boolean
}

export interface LoadPlan {
  readonly durationMs: number
  readonly projects: Readonly<Record<ProjectRole, PlannedProject>>
  /** Ordered by time. */
  readonly requests: readonly PlannedRequest[]
}

interface Volume {
  readonly thresholdMax: number
  readonly singles: number
  readonly envelopes: number
}

const volumes: Readonly<Record<ProjectRole, Volume>> = {
  unlimited: { singles: 220, envelopes: 8, thresholdMax: 50 },
  limited: { singles: 150, envelopes: 6, thresholdMax: 25 },
  sampled: { singles: 60, envelopes: 2, thresholdMax: 14 },
}
const eventsPerEnvelope = 50
/** How many events of an envelope are also sent alone. */
const repeatedPerEnvelope = 8
const issueCount = 12
/** Events with a file, which are sent in no other request. */
const fileCount = 24
/** First counter of the invalid events. */
export const spoiledCounterFirst = 1_000_000

export function planLoad(
  seed: number,
  options: { readonly durationMs: number; readonly ingestCount: number },
): LoadPlan {
  const random = seededRandom(seed)
  const projects = {} as Record<ProjectRole, PlannedProject>
  const requests: PlannedRequest[] = []
  const send = (role: ProjectRole, runId: string, content: ItemCounts) => {
    const gzip = random.below(3) === 0
    const text = envelopeText(runId, content, random)
    const body = gzip ? gzipSync(text) : text
    for (let copy = 0; copy < copiesOf(content, random); copy += 1) {
      const atMs = random.below(options.durationMs)
      const ingest = random.below(options.ingestCount)
      requests.push({ ...content, atMs, project: role, ingest, body, gzip })
    }
  }
  for (const role of projectRoles) {
    const runId = random.hex(runIdDigits)
    const { project, contents } = planProject(role, runId, random)
    projects[role] = project
    for (const content of contents) send(role, runId, content)
  }
  const { unlimited } = projects
  for (const content of eventsWithFiles(unlimited)) send('unlimited', unlimited.runId, content)
  const eventCount = unlimited.eventCount + fileCount
  projects.unlimited = { ...unlimited, eventCount }
  requests.sort((left, right) => left.atMs - right.atMs)
  return { durationMs: options.durationMs, projects, requests }
}

/** Last, so that a seed plans everything else as before there were files. */
function eventsWithFiles({ eventCount }: PlannedProject): ItemCounts[] {
  return Array.from({ length: fileCount }, (_, index) => ({
    ...{ events: [eventCount + index], spoiled: 0, sessions: 0, transactions: 0 },
    hasFile: true,
  }))
}

/** The file of an event. Half of the files are equal to another one, which has the same object. */
export function fileOf(counter: number): { readonly name: string; readonly content: string } {
  const pair = counter - (counter % 2)
  return { name: `log-${counter}.txt`, content: `order ${pair}\n`.repeat(1 + (pair % 500)) }
}

/** A client clock that is far behind. Ingest corrects it, so the sessions have just begun. */
const sentAt = '2026-01-01T00:00:00Z'

/** An envelope of valid events outside the plan. Equal counters give equal bytes. */
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
  const { singles, envelopes, thresholdMax } = volumes[role]
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
      // An event may be twice in one envelope; the second item is a duplicate like any other.
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
      // Well below the number of events that are sent, and no round number.
      monthlyEvents: role === 'limited' ? 150 + random.below(150) : null,
      issueEventsPerMinute: role === 'sampled' ? 30 : null,
      alertThreshold: 1 + random.below(thresholdMax),
    },
    contents,
  }
}

/** Requests without valid events are sent once: nothing is guaranteed about their copies. */
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
  const [first] = content.events
  if (content.hasFile === true && first !== undefined) items.push(fileItem(first))
  // The envelope header names the event id only when the envelope holds a single event, as SDKs do
  // it.
  const isOnly = items.length === 1 || content.hasFile === true
  const only = isOnly ? content.events[0] : undefined
  const id = only === undefined ? {} : { event_id: eventIdOf(runId, only) }
  const header = { ...id, sent_at: sentAt }
  return Buffer.from(`${JSON.stringify(header)}\n${items.join('')}`)
}

/** Attributes whose invalid value drops the attribute and never the event. */
const hostileFields = [
  ...['timestamp', 'transaction', 'server_name', 'logger', 'dist', 'environment', 'tags'],
  ...['contexts', 'breadcrumbs', 'request', 'sdk', 'modules', 'fingerprint', 'threads'],
]
/** The long texts would be most of a round's bytes. */
const shortTexts = hostileTexts.filter((text) => text.length < 200)

/** A valid event with a hostile value in one of its attributes. */
function eventItem(runId: string, counter: number, random: Random): string {
  const event = eventText(runId, counter, random)
  // Chosen by the counter, so that all copies of an event are equal.
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

/** JSON that is cut after the event id. */
function spoiledItem(runId: string, random: Random): string {
  const id = eventIdOf(runId, spoiledCounterFirst + random.below(0x4000_0000))
  return item('event', `{"event_id":"${id}","message":`)
}

/**
 * One session as an aggregate. It is counted in Postgres, so taking a copy for another session
 * would change the count. No two are equal.
 */
function sessionItem(random: Random): string {
  const aggregates = JSON.stringify([{ started: sentAt, exited: 1, note: random.hex(16) }])
  const environment = shortTexts[random.below(shortTexts.length)]
  return item(
    'sessions',
    `{"aggregates":${aggregates},"attrs":{"release":"shop@9\\u0000.0.0","environment":${environment}}}`,
  )
}

function fileItem(counter: number): string {
  const { name, content } = fileOf(counter)
  const length = Buffer.byteLength(content)
  return `{"type":"attachment","length":${length},"filename":"${name}"}\n${content}\n`
}

function item(type: string, payload: string): string {
  return `{"type":"${type}","length":${Buffer.byteLength(payload)}}\n${payload}\n`
}
