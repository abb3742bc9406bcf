/**
 * Sends more events than the monthly limit of a project to three ingest processes, while processes
 * are killed at random. There must never be more than N accepted events, and exactly N once
 * everything runs again and more events were sent: the unused part of a killed process's lease must
 * become available again.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '#platform/clock.ts'
import { type Random, seededRandom } from '../../bench/load/random.ts'
import { checkProject } from './check-round.ts'
import type { FaultStack } from './fault-stack.ts'
import { ingestNames, type Target, workersNames } from './plan-faults.ts'
import { envelopeOfEvents, type PlannedProject } from './plan-load.ts'
import { QuotaWatch } from './quota-watch.ts'
import type { Stores } from './read-stores.ts'
import { RoundLedger } from './round-ledger.ts'
import { makeOneProject } from './round-projects.ts'
import { type Dsn, Sender } from './send-load.ts'

export interface LimitOptions {
  readonly limit: number
  readonly seed: number
  readonly onProgress?: (sentence: string) => void
}

export interface LimitResult {
  readonly findings: readonly string[]
  readonly kills: number
  readonly accepted: number
  readonly looks: number
  readonly answers: ReadonlyMap<string, number>
  readonly seconds: number
}

const eventsPerEnvelopeMax = 50
/** A small limit, too, is used up by many requests instead of a few large ones. */
const envelopesMin = 300
const connections = 12
/** Events that are sent while processes are killed, as a share of the limit. */
const offeredShare = 1.3
/** A small limit leaves time for a few kills, and a large one for many. */
const offerMs = { min: 6_000, span: 22_000, spanAtLimit: 100_000 }
const killPauseMs = { min: 100, span: 500 }
/**
 * Ingest is killed most often, because it holds the leases. Postgres is not killed: while it is
 * down, ingest may accept a few more events.
 */
const victims: readonly Target[] = [...ingestNames, ...ingestNames, ...workersNames, 'nats']
const settleMsMax = 180_000
const lookEveryMs = 250
const offeredAtOnceMax = 2_000

export async function runLimit(
  stack: FaultStack,
  stores: Stores,
  { limit, seed, onProgress }: LimitOptions,
): Promise<LimitResult> {
  const startedAtMs = systemClock.monotonicMs()
  const random = seededRandom(seed)
  const runId = random.hex(16)
  const planned: PlannedProject = {
    role: 'limited',
    runId,
    eventCount: 0,
    monthlyEvents: limit,
    issueEventsPerMinute: null,
    alertThreshold: 0,
  }
  const project = await makeOneProject(stores.postgres, planned, `Limit ${limit}`)
  const sender = new Sender(stack.ingestUrls)
  const watch = new QuotaWatch(stores, project.dsnId, limit)
  const eventsPerEnvelope = Math.ceil(Math.min(eventsPerEnvelopeMax, limit / envelopesMin))
  const offer = new Offer({ planned, project, sender, random, eventsPerEnvelope })
  try {
    const offered = Math.ceil(limit * offeredShare)
    onProgress?.(`Offering ${offered} events while processes are killed.`)
    const killing = new Killing(stack, random)
    await offer.send(offered, offerMs.min + offerMs.span * Math.min(1, limit / offerMs.spanAtLimit))
    const kills = await killing.end()
    await stack.heal()
    onProgress?.(`${kills} kills; waiting for the counts to settle.`)
    const unsettled = await settle({ stores, project, offer, limit })
    const counts = await stores.readCounts(project.dsnId)
    return {
      findings: [...unsettled, ...(await watch.end())],
      kills,
      accepted: counts.events,
      looks: watch.looks,
      answers: offer.ledger.answers,
      seconds: (systemClock.monotonicMs() - startedAtMs) / 1000,
    }
  } finally {
    await watch.end()
    sender.close()
  }
}

/**
 * Sends more events as long as the limit is not reached, until the project is consistent twice in a
 * row. Findings at the deadline are the findings of the run. Ingest reports the outcomes of refused
 * events in the background, so this also waits for them.
 */
async function settle(settling: {
  readonly stores: Stores
  readonly project: Dsn
  readonly offer: Offer
  readonly limit: number
}): Promise<string[]> {
  const { stores, project, offer, limit } = settling
  const deadlineMs = systemClock.monotonicMs() + settleMsMax
  let agreed = 0
  while (true) {
    const room = limit - (await stores.readCounts(project.dsnId)).used
    if (room > 0) await offer.send(Math.min(room + 2, offeredAtOnceMax), 0)
    await sleep(lookEveryMs)
    const stored = await stores.read(project.dsnId)
    const findings = checkProject(offer.ledger, stored, { quotaUsedUp: true, allowance: 0 })
    agreed = findings.length === 0 ? agreed + 1 : 0
    if (agreed === 2 || systemClock.monotonicMs() > deadlineMs) return findings
  }
}

interface OfferOptions {
  readonly planned: PlannedProject
  readonly project: Dsn
  readonly sender: Sender
  readonly random: Random
  readonly eventsPerEnvelope: number
}

/** Sends events that were not sent before. */
class Offer {
  readonly ledger: RoundLedger
  readonly #options: OfferOptions
  #counterNext = 0

  constructor(options: OfferOptions) {
    this.#options = options
    this.ledger = new RoundLedger(options.planned)
  }

  /**
   * Spreads the events evenly over the time, or sends as fast as they are answered if that takes
   * longer.
   */
  async send(events: number, withinMs: number): Promise<void> {
    const first = this.#counterNext
    const end = first + events
    const startedAtMs = systemClock.monotonicMs()
    const lane = async () => {
      while (this.#counterNext < end) {
        const dueMs = ((this.#counterNext - first) / events) * withinMs
        const counters = this.#take(end)
        await sleep(Math.max(0, startedAtMs + dueMs - systemClock.monotonicMs()))
        await this.#send(counters)
      }
    }
    await Promise.all(Array.from({ length: connections }, lane))
  }

  #take(end: number): number[] {
    const first = this.#counterNext
    this.#counterNext = Math.min(first + this.#options.eventsPerEnvelope, end)
    return Array.from({ length: this.#counterNext - first }, (_, at) => first + at)
  }

  async #send(counters: readonly number[]): Promise<void> {
    const { planned, project, sender, random } = this.#options
    const { body, items } = envelopeOfEvents(planned, counters)
    const ingest = random.below(ingestNames.length)
    this.ledger.record(items, await sender.sendAnywhere(project, { body, gzip: false }, ingest))
  }
}

/** Kills one process after the other until `end` is called. */
class Killing {
  readonly #stack: FaultStack
  readonly #random: Random
  readonly #done: Promise<void>
  #kills = 0
  #ended = false

  constructor(stack: FaultStack, random: Random) {
    this.#stack = stack
    this.#random = random
    this.#done = this.#run()
  }

  async end(): Promise<number> {
    this.#ended = true
    await this.#done
    return this.#kills
  }

  async #run(): Promise<void> {
    while (true) {
      await sleep(killPauseMs.min + this.#random.below(killPauseMs.span))
      if (this.#ended) return
      const victim = victims[this.#random.below(victims.length)]!
      await this.#stack.kill(victim)
      this.#kills += 1
      // A process that cannot start now is started when everything heals.
      await this.#stack.start(victim).catch(() => undefined)
    }
  }
}
