/**
 * The clients of a world. They send what the scenario says to any ingest process that lives, try
 * again as clients do, and write down what they were promised.
 */
import type { ProjectAccounting, SentEvent, SentItem } from '../check-accounting.ts'
import type { EventPlan, ProjectPlan, RequestPlan } from '../plan-scenario.ts'
import type { Timeline } from '../timeline.ts'
import { type FreeItem, nameOf, payloadOf } from './free-items.ts'
import { clickHouseRefusesMark, poisonMark, postgresRefusesMark } from './marks.ts'
import type { Random } from './random.ts'

/** How a request reaches a process, which may not be there any more. */
export interface Door {
  /** `onAnswer` hears the status once, or nothing. Returns how the client goes away. */
  knock(
    request: { readonly project: ProjectPlan; readonly body: Buffer },
    onAnswer: (status: number) => void,
  ): () => void
}

const latencyMs = [0.1, 4] as const
const retryDelayMs = [50, 2_500] as const
const patienceMs = 20_000

export class SimClients {
  readonly sent = new Map<string, SentEvent>()
  readonly sentItems = new Map<string, SentItem>()
  readonly statuses = new Map<number, number>()
  /** Requests and retries that are not over. */
  pendingCount = 0
  readonly #accounting: ReadonlyMap<number, ProjectAccounting>
  readonly #projects: ReadonlyMap<number, ProjectPlan>
  readonly #timeline: Timeline
  readonly #random: Random
  readonly #pickDoor: () => Door | undefined

  constructor(
    { timeline, random }: { timeline: Timeline; random: Random },
    projects: readonly ProjectPlan[],
    accounting: readonly ProjectAccounting[],
    pickDoor: () => Door | undefined,
  ) {
    this.#timeline = timeline
    this.#random = random
    this.#projects = new Map(projects.map((project) => [project.projectId, project]))
    this.#accounting = new Map(accounting.map((book) => [book.projectId, book]))
    this.#pickDoor = pickDoor
  }

  plan(requests: readonly RequestPlan[]): void {
    for (const request of requests) {
      this.pendingCount += 1
      this.#timeline.after(request.atMs, () => {
        this.send(request, (status) => {
          this.#retryOrEnd(request, status, request.retriesMax)
        })
      })
    }
  }

  /** @param onEnd hears the status, or undefined when there was no answer. */
  send(
    request: RequestPlan,
    onEnd: (status: number | undefined) => void,
    door = this.#pickDoor(),
  ): void {
    const book = this.#accounting.get(request.projectId)
    const project = this.#projects.get(request.projectId)
    if (book === undefined || project === undefined) throw new Error('an unknown project')
    const events = request.events.map((event) => this.#remember(event))
    const items = request.items.map((item) => this.#rememberItem(item))
    const itemCount = request.isMalformed
      ? 1
      : events.length + items.length + request.sessions + request.transactions
    book.itemsUnanswered += itemCount
    let isOver = false
    const end = (status: number | undefined) => {
      if (isOver) return
      isOver = true
      onEnd(status)
    }
    if (door === undefined) {
      this.#timeline.after(this.#random.spread(...latencyMs), () => end(undefined))
      return
    }
    this.#timeline.after(this.#random.spread(...latencyMs), () => {
      const hangUp = door.knock({ project, body: envelopeOf(request) }, (status) => {
        this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1)
        if (status === 200 || status === 429) {
          book.itemsUnanswered -= itemCount
          book.itemsAnswered += itemCount
          for (const item of items) item.wasPromised = true
        }
        if (status === 200) for (const event of events) event.wasPromised = true
        this.#timeline.after(this.#random.spread(...latencyMs), () => end(status))
      })
      const giveUpMs = request.isAborted ? this.#random.spread(0, 20) : patienceMs
      this.#timeline.after(giveUpMs, () => {
        if (isOver) return
        hangUp()
        end(undefined)
      })
    })
  }

  #retryOrEnd(request: RequestPlan, status: number | undefined, retriesLeft: number): void {
    const isFinal = status === 200 || status === 400 || status === 429
    if (isFinal || retriesLeft === 0) {
      this.pendingCount -= 1
      return
    }
    this.#timeline.after(this.#random.spread(...retryDelayMs), () => {
      this.send({ ...request, isAborted: false }, (next) =>
        this.#retryOrEnd(request, next, retriesLeft - 1),
      )
    })
  }

  #remember(event: EventPlan): SentEvent {
    const key = `${event.projectId}/${event.eventId}`
    const known = this.sent.get(key)
    if (known !== undefined) return known
    const sent: SentEvent = {
      projectId: event.projectId,
      eventId: event.eventId,
      isValid: event.kind === 'valid',
      wasPromised: false,
    }
    this.sent.set(key, sent)
    return sent
  }

  #rememberItem(item: FreeItem): SentItem {
    const { projectId, kind, no, isRefused } = item
    const key = `${projectId} ${kind} ${no}`
    const known = this.sentItems.get(key)
    if (known !== undefined) return known
    const sent: SentItem = {
      ...{ projectId, kind, name: nameOf(item) },
      ...{ isValid: !isRefused, wasPromised: false },
    }
    this.sentItems.set(key, sent)
    return sent
  }
}

const messageOf: Readonly<Record<EventPlan['kind'], string>> = {
  valid: 'm',
  invalid: 'm',
  poison: poisonMark,
  refused_by_postgres: postgresRefusesMark,
  refused_by_clickhouse: clickHouseRefusesMark,
}

function envelopeOf(request: RequestPlan): Buffer {
  const sentAt = new Date(request.sentAtMs).toISOString()
  const lines = [`{"sent_at":"${sentAt}"}`]
  if (request.isMalformed) lines.push('{"type":')
  for (const { eventId, kind, issue } of request.events) {
    const message = messageOf[kind]
    // What is refused is an issue of its own, so that its title names no other.
    const name = kind.startsWith('refused') ? kind : issue
    const start = `{"event_id":"${eventId}","message":"${message}","fingerprint":["issue ${name}"]`
    lines.push('{"type":"event"}', kind === 'invalid' ? `${start},` : `${start}}`)
  }
  for (const item of request.items) {
    lines.push(`{"type":"${item.kind}"}`, payloadOf(item, sentAt))
  }
  for (let at = 0; at < request.sessions; at += 1) lines.push('{"type":"session"}', '{}')
  for (let at = 0; at < request.transactions; at += 1) lines.push('{"type":"transaction"}', '{}')
  return Buffer.from(`${lines.join('\n')}\n`)
}
