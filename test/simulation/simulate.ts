/** Runs one seed: traffic under faults, healing, settling, and the check of the invariants. */

import type { Random } from '../fixtures/random.ts'
import { applyFault, type FaultTargets } from './apply-fault.ts'
import { checkAccounting, type Ledger, type ProjectAccounting } from './check-accounting.ts'
import { SimClients } from './parts/sim-clients.ts'
import { SimIngest } from './parts/sim-ingest.ts'
import type { SimUsage } from './parts/sim-quota.ts'
import { SimWorker } from './parts/sim-worker.ts'
import { Slot } from './parts/slot.ts'
import { bareRequest, planScenario } from './plan-scenario.ts'
import type { ProjectPlan } from './project-plan.ts'
import { World } from './world.ts'

export interface Simulation {
  readonly seed: number
  /** Hash of the whole trace: equal for two runs of one seed. */
  readonly hash: number
  readonly problems: readonly string[]
  readonly eventCount: number
  readonly stats: Readonly<Record<string, unknown>>
  /** The trace; empty if it was not requested. */
  readonly lines: readonly string[]
}

/** Time after the last fault within which everything must settle. */
const quietMsMax = 120_000
const quietPollMs = 250
const topUpRoundsMax = 60
const refusalsRequired = 3

export async function simulate(seed: number, keeping: 'trace' | 'hash'): Promise<Simulation> {
  const run = new Run(seed, keeping)
  // An unhandled rejection would end a process of the product.
  const onRejection = (error: unknown) => run.world.timeline.fail(error)
  process.on('unhandledRejection', onRejection)
  let problems: string[]
  try {
    problems = await run.runToEnd()
  } catch (error) {
    problems = [
      `the run failed: ${error instanceof Error ? (error.stack ?? error.message) : error}`,
    ]
  } finally {
    process.off('unhandledRejection', onRejection)
  }
  return {
    seed,
    hash: run.world.timeline.hash,
    problems,
    eventCount: run.world.timeline.eventCount,
    stats: run.stats,
    lines: run.world.timeline.lines,
  }
}

class Run {
  readonly world: World
  readonly #accounting: readonly ProjectAccounting[]
  readonly #clients: SimClients
  readonly #ingests: readonly Slot<SimIngest>[]
  readonly #workers: readonly Slot<SimWorker>[]
  readonly #errors: string[] = []
  #isHealed = false

  constructor(seed: number, keeping: 'trace' | 'hash') {
    const scenario = planScenario(seed)
    const world = new World(scenario, keeping)
    this.world = world
    this.#accounting = scenario.projects.map(accountingOf)
    const { timeline } = world
    this.#ingests = Array.from({ length: scenario.ingestCount }, (_, index) => {
      return new Slot(timeline, (launch) => new SimIngest(world, `ingest ${index}.${launch}`))
    })
    this.#workers = Array.from({ length: scenario.workerCount }, (_, index) => {
      return new Slot(timeline, (launch) => new SimWorker(world, `worker ${index}.${launch}`))
    })
    const random = world.randomOf('clients')
    this.#clients = new SimClients(
      { timeline, random },
      scenario.projects,
      this.#accounting,
      () => {
        const up = this.#ingests.filter(({ current }) => current.isOpen)
        return up.length === 0 ? undefined : random.pick(up).current
      },
    )
    world.quota.onUsed = (usage) => this.#watchLimit(usage)
  }

  get stats(): Record<string, unknown> {
    const { world } = this
    return {
      ms: Math.round(world.timeline.nowMs),
      events: this.#clients.sent.size,
      items: this.#clients.sentItems.size,
      rows: world.clickhouse.events.length,
      answers: Object.fromEntries(this.#clients.statuses),
      lost: world.broker.forgottenCount,
      faults: world.scenario.faults.map(({ fault }) => fault.kind).join(' '),
    }
  }

  async runToEnd(): Promise<string[]> {
    const { world } = this
    const { timeline, scenario } = world
    this.#clients.plan(scenario.requests)
    for (const { atMs, fault } of scenario.faults) {
      timeline.after(atMs, () => {
        if (!this.#isHealed) applyFault(this.#targets(), fault)
      })
    }
    const lastFaultMs = scenario.faults.at(-1)?.atMs ?? 0
    await timeline.run(Math.max(scenario.trafficMs, lastFaultMs) + 500)
    this.#heal()
    const problem = await this.#end()
    return [...(problem === undefined ? [] : [problem]), ...checkAccounting(this.#ledger())]
  }

  /** Returns why the world did not settle; undefined if it did. */
  async #end(): Promise<string | undefined> {
    const problem = await this.#settle('after the faults')
    if (problem !== undefined) return problem
    for (const project of this.world.scenario.projects) await this.#topUp(project)
    const later = await this.#settle('after the last events')
    if (later !== undefined) return later
    for (const slot of this.#ingests) await this.#drain(slot)
    return undefined
  }

  #heal(): void {
    this.world.timeline.note('everything heals')
    this.#isHealed = true
    this.world.heal()
    for (const slot of [...this.#ingests, ...this.#workers]) slot.ensure()
  }

  /** Waits until no request is pending and every frame is committed. */
  async #settle(when: string): Promise<string | undefined> {
    const { timeline } = this.world
    const deadlineMs = timeline.nowMs + quietMsMax
    while (timeline.nowMs < deadlineMs) {
      await timeline.run(timeline.nowMs + quietPollMs)
      if (this.#pendingWork() === undefined) {
        timeline.note(`settled ${when}`)
        return undefined
      }
    }
    return `not settled ${when}: ${this.#pendingWork()}`
  }

  #pendingWork(): string | undefined {
    const { world } = this
    if (this.#clients.pendingCount > 0) return `${this.#clients.pendingCount} requests are pending`
    for (const { messages } of world.broker.streams) {
      for (const { seq, partition } of messages) {
        const cursor = world.ranges.cursors.get(partition)
        if (cursor === undefined || cursor.committedSeq < seq) {
          return `message ${seq} of partition ${partition} is not committed`
        }
      }
    }
    const [file] = world.disk.files
    if (file !== undefined) return `the log ${file} is still there`
    const dead = world.disk.folderCount - this.#ingests.length
    if (dead > 0) return `${dead} dead processes are not settled`
    // Calls that were in flight when everything healed may arrive late, and their callers wait for
    // them.
    const late = world.links.postgres.underwayCount + world.links.clickhouse.underwayCount
    if (late > 0) return `${late} calls are under way`
    // Unused leases are returned within seconds.
    if (world.quota.openLeaseCount > 0) return `${world.quota.openLeaseCount} leases are open`
    return undefined
  }

  /** Sends events until every process has refused them several times in a row. */
  async #topUp(project: ProjectPlan): Promise<void> {
    const { timeline, quota, wall, randomOf } = this.world
    const { projectId } = project
    const limit = quota.projects.get(projectId)?.monthlyEvents
    if (limit === undefined) return
    if (project.eventsPerMinute !== undefined || project.keyEventsPerMinute !== undefined) return
    const random = randomOf(`top up ${projectId}`)
    const month = () => new Date(wall.offsetMs + timeline.nowMs).toISOString().slice(0, 7)
    let refusals = 0
    let refusedIn = ''
    for (let round = 0; round < topUpRoundsMax && refusals < refusalsRequired; round += 1) {
      // The first request makes an exhausted process ask for a grant, and the second uses it.
      const first = await this.#sendToEach(projectId, random)
      await timeline.run(timeline.nowMs + 300)
      const second = await this.#sendToEach(projectId, random)
      const isRefused = [...first, ...second].every((status) => status === 429)
      // Refusals before midnight say nothing about the month that begins then.
      if (refusedIn !== month()) refusals = 0
      refusedIn = month()
      refusals = isRefused ? refusals + 1 : 0
      if (isRefused) await timeline.run(timeline.nowMs + 1_500)
    }
    const entry = this.#accounting.find((each) => each.projectId === projectId)
    if (entry === undefined || refusals < refusalsRequired) return
    entry.exhaustedIn = `${refusedIn}-01`
  }

  async #sendToEach(projectId: number, random: Random): Promise<(number | undefined)[]> {
    const { timeline } = this.world
    const statuses: (number | undefined)[] = []
    for (const { current } of this.#ingests) {
      const eventId = random.hex(32)
      this.#clients.send(
        {
          ...bareRequest(projectId),
          events: [{ projectId, eventId, kind: 'valid', issue: 0 }],
        },
        (status) => statuses.push(status),
        current,
      )
    }
    await timeline.run(timeline.nowMs + 30_000, () => statuses.length === this.#ingests.length)
    return statuses
  }

  async #drain(slot: Slot<SimIngest>): Promise<void> {
    const { timeline } = this.world
    let isDrained = false
    slot.current.drain().then(
      () => {
        isDrained = true
      },
      (error: unknown) => timeline.fail(error),
    )
    await timeline.run(timeline.nowMs + 30_000, () => isDrained)
    slot.close()
  }

  #targets(): FaultTargets {
    const { timeline, broker, links, locks, disk, wall, traps, quota } = this.world
    return {
      timeline,
      broker,
      links,
      locks,
      disk,
      wall,
      traps,
      ingests: this.#ingests,
      workers: this.#workers,
      setDigestDeaths: (share) => {
        this.world.digestDeathShare = share
      },
      setRefusesAll: (store, refusesAll) => this.world.setRefusesAll(store, refusesAll),
      changeLimit: (projectId, limit) => {
        const project = quota.projects.get(projectId)
        const entry = this.#accounting.find((each) => each.projectId === projectId)
        if (project === undefined || entry === undefined) return
        project.monthlyEvents = limit
        quota.announce(projectId)
        entry.limit = limit
        entry.limitMax = Math.max(entry.limitMax ?? 0, limit)
      },
    }
  }

  #watchLimit({ projectId, period, used, unleased }: SimUsage): void {
    const entry = this.#accounting.find((each) => each.projectId === projectId)
    const { nowMs } = this.world.timeline
    const say = (text: string) => {
      this.#errors.push(`project ${projectId}: ${text} in ${period} at ${nowMs.toFixed(1)}`)
    }
    if (used < 0) say(`${used} units used`)
    if (entry?.limitMax === undefined || used <= entry.limitMax + unleased) return
    say(`${used} of ${entry.limitMax} used, ${unleased} of them unleased,`)
  }

  #ledger(): Ledger {
    const { world } = this
    return {
      sent: [...this.#clients.sent.values()],
      sentItems: [...this.#clients.sentItems.values()],
      items: [...world.ranges.items.stored(), ...world.clickhouse.storedItems()],
      projects: this.#accounting,
      rows: world.clickhouse.events,
      outcomes: world.clickhouse.outcomes,
      issues: [...world.ranges.issues.values()],
      usage: world.quota.usage,
      openLeases: world.quota.openLeaseCount,
      logFiles: world.disk.files,
      errors: [...this.#errors, ...world.clickhouse.errors],
    }
  }
}

function accountingOf({ projectId, limit }: ProjectPlan): ProjectAccounting {
  return {
    projectId,
    limit,
    limitMax: limit,
    exhaustedIn: undefined,
    itemsAnswered: 0,
    itemsUnanswered: 0,
  }
}
