/** Everything outside the processes of a scenario: time, the machine, the broker and the stores. */
import type { ProjectId } from '#schemas/ids.ts'
import { Random } from '../fixtures/random.ts'
import { BrokerConnection } from './parts/broker-connection.ts'
import { SimBroker } from './parts/sim-broker.ts'
import { SimClickHouse } from './parts/sim-clickhouse.ts'
import { SimDisk } from './parts/sim-disk.ts'
import { LinkError, SimLink } from './parts/sim-link.ts'
import { SimLocks } from './parts/sim-locks.ts'
import type { SimProcess, WallClock } from './parts/sim-process.ts'
import { SimQuota } from './parts/sim-quota.ts'
import { SimRanges } from './parts/sim-ranges.ts'
import { type Trap, Traps } from './parts/traps.ts'
import type { Store } from './plan-faults.ts'
import type { Scenario } from './plan-scenario.ts'
import { Timeline } from './timeline.ts'

/** Longer than any call of the product may take. */
const callTimeoutMs = 30_000
const brokerRestartMs = 60

export class World {
  readonly scenario: Scenario
  readonly timeline: Timeline
  readonly wall: WallClock
  readonly broker: SimBroker
  readonly clickhouse = new SimClickHouse()
  readonly quota: SimQuota
  readonly ranges: SimRanges
  readonly locks = new SimLocks()
  readonly disk: SimDisk
  readonly traps: Traps
  readonly links: Readonly<Record<Store, SimLink>>
  /** Share of digests that kill their thread. */
  digestDeathShare = 0
  readonly #brokerLink: SimLink

  constructor(scenario: Scenario, keeping: 'trace' | 'hash') {
    this.scenario = scenario
    const timeline = new Timeline(this.randomOf('order'), keeping)
    this.timeline = timeline
    this.wall = { offsetMs: scenario.startMs }
    const random = this.randomOf('broker')
    this.broker = new SimBroker({ timeline, random }, scenario.layout)
    this.traps = new Traps((process, trap) => this.#actOnTrap(process, trap))
    const { traps } = this
    this.disk = new SimDisk({ timeline, random: this.randomOf('disk'), traps })
    this.quota = new SimQuota(
      scenario.projects.map(({ projectId, keyNo, limit, eventsPerMinute, keyEventsPerMinute }) => ({
        projectId,
        keyNo,
        monthlyEvents: limit,
        eventsPerMinute,
        keyEventsPerMinute,
      })),
    )
    this.ranges = new SimRanges(
      this.quota,
      scenario.projects.flatMap(({ projectId, issueEventsPerMinute }) =>
        issueEventsPerMinute === undefined
          ? []
          : [[projectId as ProjectId, issueEventsPerMinute] as const],
      ),
    )
    const link = (name: string) =>
      new SimLink(name, {
        timeline,
        random: this.randomOf(name),
        timeoutMs: callTimeoutMs,
        traps,
      })
    this.links = { postgres: link('postgres'), clickhouse: link('clickhouse') }
    this.#brokerLink = link('broker api')
  }

  /** A random stream of its own. */
  readonly randomOf = (name: string): Random => new Random(this.scenario.seed, name)

  connect(process: SimProcess): BrokerConnection {
    const { timeline, traps } = this
    const random = this.randomOf(`${process.name} connection`)
    return new BrokerConnection(process, this.broker, { timeline, random, traps })
  }

  /** A request to the broker's API. */
  askBroker<T>(process: SimProcess, what: string, read: (broker: SimBroker) => T): Promise<T> {
    return this.#brokerLink.call(process, what, () => {
      const { isDown, trouble } = this.broker
      if (isDown || trouble.hangs || trouble.hasNoLeader)
        throw new LinkError('the broker is unavailable')
      return read(this.broker)
    })
  }

  setRefusesAll(store: Store, refusesAll: boolean): void {
    if (store === 'postgres') this.ranges.refusesAll = refusesAll
    else this.clickhouse.refusesAll = refusesAll
  }

  heal(): void {
    this.traps.disarm()
    this.broker.heal()
    this.links.postgres.heal()
    this.links.clickhouse.heal()
    this.setRefusesAll('postgres', false)
    this.setRefusesAll('clickhouse', false)
    this.disk.isFull = false
    this.digestDeathShare = 0
  }

  #actOnTrap(process: SimProcess, { act, pauseMs, forgets }: Trap): void {
    const { broker, timeline } = this
    if (act === 'kill') process.kill()
    else {
      process.pause()
      timeline.after(pauseMs, () => process.resume())
    }
    if (forgets === undefined) return
    broker.crash()
    for (const stream of broker.streams) broker.forgetTail(stream, forgets, true)
    timeline.after(brokerRestartMs, () => broker.restart())
  }
}
