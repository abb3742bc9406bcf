/**
 * A project of N events a month meets three ingest processes and more events than it may have, while processes
 * are killed at random. At no moment are more than N accepted; and once everything is up again and more was
 * offered, it is N exactly: what a killed process had leased and not charged is found again.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '#platform/clock.ts'
import { type Random, seededRandom } from '../../bench/random.ts'
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

const eventsPerEnvelope = 50
const connections = 12
/** Of the limit, what is offered while processes are killed. */
const offeredShare = 1.3
const killPauseMs = { min: 400, span: 1_200 }
/** Ingest is killed most, because it holds the leases. Postgres is not: without it a declared few more may pass. */
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
  const offer = new Offer({ planned, project, sender, random })
  try {
    onProgress?.(`Offering ${Math.ceil(limit * offeredShare)} events while processes are killed.`)
    const killing = new Killing(stack, random)
    await offer.send(Math.ceil(limit * offeredShare))
    const kills = await killing.end()
    await stack.heal()
    onProgress?.(`${kills} kills; waiting for the rest to be found.`)
    await settle({ stores, project, offer, limit })
    const stored = await stores.read(project.dsnId)
    const findings = checkProject(offer.ledger, stored, { quotaUsedUp: true, allowance: 0 })
    return {
      findings: [...findings, ...(await watch.end())],
      kills,
      accepted: stored.rowIds.length + stored.sampledIds.length,
      looks: watch.looks,
      answers: offer.ledger.answers,
      seconds: (systemClock.monotonicMs() - startedAtMs) / 1000,
    }
  } finally {
    await watch.end()
    sender.close()
  }
}

/** Until the numbers stand where they should; what is still wrong after the time is found by the check that follows. */
async function settle(settling: {
  readonly stores: Stores
  readonly project: RoundProject
  readonly offer: Offer
  readonly limit: number
}): Promise<void> {
  const { stores, project, offer, limit } = settling
  const deadlineMs = systemClock.monotonicMs() + settleMsMax
  let agreed = 0
  while (agreed < 2 && systemClock.monotonicMs() < deadlineMs) {
    const room = limit - (await stores.readCounts(project.dsnId)).used
    if (room > 0) await offer.send(Math.min(room + 2, offeredAtOnceMax))
    await sleep(lookEveryMs)
    const { events, used, openLeases } = await stores.readCounts(project.dsnId)
    agreed = events === limit && used === limit && openLeases === 0 ? agreed + 1 : 0
  }
}

interface OfferParts {
  readonly planned: PlannedProject
  readonly project: RoundProject
  readonly sender: Sender
  readonly random: Random
}

/** Sends events that were never sent before, as fast as they are answered. */
class Offer {
  readonly ledger: RoundLedger
  readonly #parts: OfferParts
  #counterNext = 0

  constructor(parts: OfferParts) {
    this.#parts = parts
    this.ledger = new RoundLedger(parts.planned)
  }

  async send(events: number): Promise<void> {
    const end = this.#counterNext + events
    await Promise.all(Array.from({ length: connections }, () => this.#sendUntil(end)))
  }

  async #sendUntil(end: number): Promise<void> {
    const { planned, project, sender, random } = this.#parts
    while (this.#counterNext < end) {
      const first = this.#counterNext
      this.#counterNext = Math.min(first + eventsPerEnvelope, end)
      const counters = Array.from({ length: this.#counterNext - first }, (_, at) => first + at)
      const { body, items } = envelopeOfEvents(planned, counters)
      const ingest = random.below(ingestNames.length)
      this.ledger.record(items, await sender.sendAnywhere(project, { body, gzip: false }, ingest))
    }
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
