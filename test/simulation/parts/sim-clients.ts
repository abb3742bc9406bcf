/**
 * The clients of a world. They send the requests of the scenario to any running ingest process,
 * retry as clients do, and record how each request was answered.
 */

import type { Random } from '../../fixtures/random.ts'
import type { ProjectAccounting, SentEvent, SentItem } from '../check-accounting.ts'
import type { EventPlan, RequestPlan } from '../plan-scenario.ts'
import type { ProjectPlan } from '../project-plan.ts'
import type { Timeline } from '../timeline.ts'
import { type FreeItem, nameOf, payloadOf } from './free-items.ts'
import { clickHouseRefusesMark, poisonMark, postgresRefusesMark } from './marks.ts'

/** A process that takes requests; it may be dead by then. */
export interface Endpoint {
  /** Calls `onAnswer` with the status at most once. Returns a function that aborts the request. */
  request(
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
  /** Requests that are not finished, with their retries. */
  pendingCount = 0
  readonly #accounting: ReadonlyMap<number, ProjectAccounting>
  readonly #projects: ReadonlyMap<number, ProjectPlan>
  readonly #timeline: Timeline
  readonly #random: Random
  readonly #pickEndpoint: () => Endpoint | undefined

  constructor(
    { timeline, random }: { timeline: Timeline; random: Random },
    projects: readonly ProjectPlan[],
    accounting: readonly ProjectAccounting[],
    pickEndpoint: () => Endpoint | undefined,
  ) {
    this.#timeline = timeline
    this.#random = random
    this.#projects = new Map(projects.map((project) => [project.projectId, project]))
    this.#accounting = new Map(accounting.map((entry) => [entry.projectId, entry]))
    this.#pickEndpoint = pickEndpoint
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

  /** @param onEnd gets the status; undefined if there was no response. */
  send(
    request: RequestPlan,
    onEnd: (status: number | undefined) => void,
    endpoint = this.#pickEndpoint(),
  ): void {
    const entry = this.#accounting.get(request.projectId)
    const project = this.#projects.get(request.projectId)
    if (entry === undefined || project === undefined) throw new Error('an unknown project')
    const events = request.events.map((event) => this.#remember(event))
    const items = request.items.map((item) => this.#rememberItem(item))
    const itemCount = request.isMalformed
      ? 1
      : events.length + items.length + request.sessions + request.transactions
    entry.itemsUnanswered += itemCount
    let isOver = false
    const end = (status: number | undefined) => {
      if (isOver) return
      isOver = true
      onEnd(status)
    }
    if (endpoint === undefined) {
      this.#timeline.after(this.#random.spread(...latencyMs), () => end(undefined))
      return
    }
    this.#timeline.after(this.#random.spread(...latencyMs), () => {
      const abort = endpoint.request({ project, body: envelopeOf(request) }, (status) => {
        this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1)
        if (status === 200 || status === 429) {
          entry.itemsUnanswered -= itemCount
          entry.itemsAnswered += itemCount
          for (const item of items) item.wasPromised = true
        }
        if (status === 200) for (const event of events) event.wasPromised = true
        this.#timeline.after(this.#random.spread(...latencyMs), () => end(status))
      })
      const giveUpMs = request.isAborted ? this.#random.spread(0, 20) : patienceMs
      this.#timeline.after(giveUpMs, () => {
        if (isOver) return
        abort()
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
      projectId,
      kind,
      name: nameOf(item),
      isValid: !isRefused,
      wasPromised: false,
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
    // Refused events get an issue of their own, so that their title names no other issue.
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
