/** One seed from beginning to end: traffic under faults, healing, rest, and the check of the books. */
import { applyFault, type FaultTargets } from './apply-fault.ts'
import { checkBooks, type Ledger, type ProjectBooks } from './check-books.ts'
import { type ProjectPlan, planScenario } from './plan-scenario.ts'
import { SimClients } from './sim-clients.ts'
import { SimIngest } from './sim-ingest.ts'
import { SimWorker } from './sim-worker.ts'
import { Slot } from './slot.ts'
import { World } from './world.ts'

export interface Simulation {
  readonly seed: number
  /** Of everything that happened: equal for two runs of one seed. */
  readonly hash: number
  readonly problems: readonly string[]
  readonly eventCount: number
  readonly stats: Readonly<Record<string, unknown>>
  /** Empty unless the trace was asked for. */
  readonly lines: readonly string[]
}

/** After the last fault has ended, so long may it take until everything is at rest. */
const quietMsMax = 120_000
const quietPollMs = 250
/** Events sent at the end to each project with a limit, at most. */
const topUpMax = 120
const refusalsToBelieve = 3

export async function simulate(seed: number, keeping: 'trace' | 'hash'): Promise<Simulation> {
  const run = new Run(seed, keeping)
  let problems: string[]
  try {
    problems = await run.toTheEnd()
  } catch (error) {
    problems = [`the run broke: ${error instanceof Error ? (error.stack ?? error.message) : error}`]
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
  readonly #books: readonly ProjectBooks[]
  readonly #clients: SimClients
  readonly #ingests: readonly Slot<SimIngest>[]
  readonly #workers: readonly Slot<SimWorker>[]
  readonly #mistakes: string[] = []
  #isHealed = false

  constructor(seed: number, keeping: 'trace' | 'hash') {
    const scenario = planScenario(seed)
    const world = new World(scenario, keeping)
    this.world = world
    this.#books = scenario.projects.map(booksOf)
    const { timeline } = world
    this.#ingests = Array.from({ length: scenario.ingestCount }, (_, index) => {
      return new Slot(timeline, (launch) => new SimIngest(world, `ingest ${index}.${launch}`))
    })
    this.#workers = Array.from({ length: scenario.workerCount }, (_, index) => {
      return new Slot(timeline, (launch) => new SimWorker(world, `worker ${index}.${launch}`))
    })
    const random = world.randomOf('clients')
    this.#clients = new SimClients({ timeline, random }, scenario.projects, this.#books, () => {
      const up = this.#ingests.filter((slot) => slot.isUp)
      return up.length === 0 ? undefined : random.pick(up).current
    })
    world.quota.onUsed = (projectId, period, used) => this.#watchLimit(projectId, period, used)
  }

  get stats(): Record<string, unknown> {
    const { world } = this
    return {
      ms: Math.round(world.timeline.nowMs),
      events: this.#clients.sent.size,
      rows: world.clickhouse.events.length,
      answers: Object.fromEntries(this.#clients.statuses),
      forgotten: world.broker.forgottenCount,
      faults: world.scenario.faults.map(({ fault }) => fault.kind).join(' '),
    }
  }

  async toTheEnd(): Promise<string[]> {
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
    const problems: string[] = []
    problems.push(...(await this.#rest('after the faults')))
    for (const project of scenario.projects) await this.#topUp(project)
    problems.push(...(await this.#rest('after the last events')))
    for (const slot of this.#ingests) await this.#drain(slot)
    problems.push(...(await this.#rest('after the drain')))
    return [...problems, ...checkBooks(this.#ledger())]
  }

  #heal(): void {
    this.world.timeline.note('everything heals')
    this.#isHealed = true
    this.world.heal()
    for (const slot of [...this.#ingests, ...this.#workers]) slot.ensure()
  }

  /** Until nobody waits for anything and every frame is committed. */
  async #rest(when: string): Promise<string[]> {
    const { timeline } = this.world
    const deadlineMs = timeline.nowMs + quietMsMax
    while (timeline.nowMs < deadlineMs) {
      await timeline.run(timeline.nowMs + quietPollMs)
      if (this.#unrest() === undefined) {
        timeline.note(`at rest ${when}`)
        return []
      }
    }
    return [`no rest ${when}: ${this.#unrest()}`]
  }

  #unrest(): string | undefined {
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
    return undefined
  }

  /** Offers events until the project refuses them again and again. */
  async #topUp(project: ProjectPlan): Promise<void> {
    const { world } = this
    const limit = world.quota.projects.get(project.projectId)?.monthlyEvents
    if (limit === undefined) return
    if (project.eventsPerMinute !== undefined || project.keyEventsPerMinute !== undefined) return
    const random = world.randomOf(`top up ${project.projectId}`)
    let refusals = 0
    for (let count = 0; count < topUpMax && refusals < refusalsToBelieve; count += 1) {
      const status = await this.#sendOne(project, random.hex(32))
      if (status === 429) refusals += 1
      else refusals = 0
      if (status !== 200) await world.timeline.run(world.timeline.nowMs + 1_500)
    }
    const book = this.#books.find((each) => each.projectId === project.projectId)
    const nowMs = world.wall.offsetMs + world.timeline.nowMs
    const isExhausted = refusals === refusalsToBelieve
    if (book === undefined || !isExhausted) return
    book.exhaustedIn = `${new Date(nowMs).toISOString().slice(0, 7)}-01`
  }

  async #sendOne(project: ProjectPlan, eventId: string): Promise<number | undefined> {
    const { timeline } = this.world
    let end: { readonly status: number | undefined } | undefined
    const { projectId } = project
    this.#clients.send(
      {
        atMs: 0,
        projectId,
        events: [{ projectId, eventId, kind: 'valid', issue: 0 }],
        sessions: 0,
        transactions: 0,
        isMalformed: false,
        isAborted: false,
        retriesMax: 0,
      },
      (status) => {
        end = { status }
      },
    )
    await timeline.run(timeline.nowMs + 30_000, () => end !== undefined)
    return end?.status
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
    slot.current.process.kill()
  }

  #targets(): FaultTargets {
    const { timeline, broker, links, locks, disk, wall, quota } = this.world
    return {
      timeline,
      broker,
      links,
      locks,
      disk,
      wall,
      ingests: this.#ingests,
      workers: this.#workers,
      changeLimit: (projectId, limit) => {
        const project = quota.projects.get(projectId)
        const book = this.#books.find((each) => each.projectId === projectId)
        if (project === undefined || book === undefined) return
        project.monthlyEvents = limit
        book.limit = limit
        book.limitMax = Math.max(book.limitMax ?? 0, limit)
      },
    }
  }

  #watchLimit(projectId: number, period: string, used: number): void {
    const book = this.#books.find((each) => each.projectId === projectId)
    if (used < 0) this.#mistakes.push(`project ${projectId}: ${used} units used in ${period}`)
    if (book?.limitMax === undefined || used <= book.limitMax + book.allowance) return
    this.#mistakes.push(
      `project ${projectId}: ${used} of ${book.limitMax} used in ${period} at ${this.world.timeline.nowMs}`,
    )
  }

  #ledger(): Ledger {
    const { world } = this
    return {
      sent: [...this.#clients.sent.values()],
      projects: this.#books,
      rows: world.clickhouse.events,
      outcomes: world.clickhouse.outcomes,
      issues: [...world.ranges.issues.values()],
      usage: world.quota.usage,
      openLeases: world.quota.openLeaseCount,
      logFiles: [],
      mistakes: [...this.#mistakes, ...world.clickhouse.mistakes],
    }
  }
}

function booksOf({ projectId, limit }: ProjectPlan): ProjectBooks {
  return {
    projectId,
    limit,
    limitMax: limit,
    allowance: 0,
    exhaustedIn: undefined,
    itemsAnswered: 0,
    itemsUnanswered: 0,
  }
}
