/**
 * A project of N events a month meets three ingest processes and more events than it may have,
 * while processes are killed at random. At no moment are more than N accepted; and once everything
 * is up again and more was offered, it is N exactly: what a killed process had leased and not
 * charged is found again.
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
import { makeOneProject, type RoundProject } from './round-projects.ts'
import { Sender } from './send-load.ts'

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
/** Of a small limit too, many requests and not a few large ones. */
const envelopesMin = 300
const connections = 12
/** Of the limit, what is offered while processes are killed. */
const offeredShare = 1.3
/** So that there is time for a few kills with a small limit, and for many with a large one. */
const offerMs = { min: 6_000, span: 22_000, spanAtLimit: 100_000 }
const killPauseMs = { min: 100, span: 500 }
/**
 * Ingest is killed most, because it holds the leases. Postgres is not: without it a declared few
 * more may pass.
 */
const victims: readonly Target[] = [...ingestNames, ...ingestNames, ...workersNames, 'nats']
const settleMsMax = 90_000
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
    onProgress?.(`${kills} kills; waiting for the rest to be found.`)
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
 * Offers more events as long as there is room, until the books agree twice in a row. What is still
 * wrong when the time is up is what the run has found. The outcomes of refused events come last:
 * ingest reports them in the background, so they are waited for as well.
 */
async function settle(settling: {
  readonly stores: Stores
  readonly project: RoundProject
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

interface OfferParts {
  readonly planned: PlannedProject
  readonly project: RoundProject
  readonly sender: Sender
  readonly random: Random
  readonly eventsPerEnvelope: number
}

/** Sends events that were never sent before. */
class Offer {
  readonly ledger: RoundLedger
  readonly #parts: OfferParts
  #counterNext = 0

  constructor(parts: OfferParts) {
    this.#parts = parts
    this.ledger = new RoundLedger(parts.planned)
  }

  /** Evenly within the time, or as fast as they are answered when that takes longer. */
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
    this.#counterNext = Math.min(first + this.#parts.eventsPerEnvelope, end)
    return Array.from({ length: this.#counterNext - first }, (_, at) => first + at)
  }

  async #send(counters: readonly number[]): Promise<void> {
    const { planned, project, sender, random } = this.#parts
    const { body, items } = envelopeOfEvents(planned, counters)
    const ingest = random.below(ingestNames.length)
    this.ledger.record(items, await sender.sendAnywhere(project, { body, gzip: false }, ingest))
  }
}

/** One process after the other, until it is told to end. */
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
      // What cannot come up now does so when everything heals.
      await this.#stack.start(victim).catch(() => undefined)
    }
  }
}
