/** Plans the world of one seed: its size, the requests of the clients, and the faults. */

import type { IngestLayout } from '#schemas/bus/layout.ts'
import { Random } from '../fixtures/random.ts'
import { type FreeItem, freeItemsMax, pickItems } from './parts/free-items.ts'
import {
  type FaultFamily,
  faultFamilies,
  type PlannedFault,
  planBrokenStores,
  planFaults,
} from './plan-faults.ts'
import type { ProjectPlan } from './project-plan.ts'

export interface EventPlan {
  readonly projectId: number
  readonly eventId: string
  readonly kind: 'valid' | 'invalid' | 'poison' | 'refused_by_postgres' | 'refused_by_clickhouse'
  readonly issue: number
}

export interface RequestPlan {
  readonly atMs: number
  readonly projectId: number
  /** The `sent_at` of the envelope; copies have the same value. */
  readonly sentAtMs: number
  readonly events: readonly EventPlan[]
  /** Items that use no quota and are counted once. */
  readonly items: readonly FreeItem[]
  /** Items without effect: empty sessions, and types that are not stored. */
  readonly sessions: number
  readonly transactions: number
  readonly isMalformed: boolean
  /** The client disconnects before it has a response. */
  readonly isAborted: boolean
  readonly retriesMax: number
}

export interface Scenario {
  readonly seed: number
  readonly layout: IngestLayout
  readonly ingestCount: number
  readonly workerCount: number
  readonly durability: 'log' | 'broker'
  /** Size limit of the log of one ingest process. */
  readonly logBytesMax: number
  readonly startMs: number
  readonly trafficMs: number
  readonly projects: readonly ProjectPlan[]
  readonly requests: readonly RequestPlan[]
  readonly faults: readonly PlannedFault[]
}

const oneMinuteBeforeMonthEnd = Date.UTC(2026, 10, 30, 23, 59, 0)
const midMonth = Date.UTC(2026, 10, 21, 12, 0, 0)
/** Before every clock of a world, even after a jump, so that no time is in the future. */
const sentBeforeMs = 4 * 3_600_000

export function planScenario(seed: number): Scenario {
  const random = new Random(seed, 'scenario')
  const chosen = new Set<FaultFamily>(faultFamilies.filter(() => random.chance(0.35)))
  const durability = random.chance(0.15) ? 'broker' : 'log'
  // With durability `broker`, losing acknowledged messages loses events by design.
  if (durability === 'broker' || chosen.has('disk')) chosen.delete('loss')
  const partitions = random.pick([1, 2, 2, 3, 4])
  const size = {
    ingestCount: random.pick([1, 2, 2, 3]),
    workerCount: random.pick([1, 2, 2, 3]),
  }
  const trafficMs = random.pick([1_500, 4_000, 8_000])
  const projects = planProjects(random)
  const isNearMonthEnd = random.chance(0.1)
  return {
    seed,
    ...size,
    layout: {
      first: planFirstPartition(seed),
      partitions,
      streams: partitions > 1 && random.chance(0.25) ? 2 : 1,
    },
    durability,
    // The log may fill up only where the broker loses no messages.
    logBytesMax: chosen.has('loss') || random.chance(0.8) ? 1_000_000 : 4_000,
    startMs: isNearMonthEnd
      ? oneMinuteBeforeMonthEnd + 60_000 - random.below(trafficMs)
      : midMonth + random.below(3_600_000),
    trafficMs,
    projects,
    requests: planRequests(random, { seed, trafficMs }, projects),
    faults: [
      ...planFaults(random, { chosen, trafficMs, projects, ...size }),
      ...planBrokenStores(seed, trafficMs),
    ].sort((a, b) => a.atMs - b.atMs),
  }
}

/** Most worlds never changed their number of partitions. Chosen by a stream of its own. */
function planFirstPartition(seed: number): number {
  const random = new Random(seed, 'layout')
  return random.chance(0.25) ? random.pick([1, 4, 61]) : 0
}

function planProjects(random: Random): ProjectPlan[] {
  return Array.from({ length: random.between(1, 3) }, (_, index) => ({
    projectId: index + 1,
    keyNo: index + 11,
    publicKey: random.hex(32),
    limit: random.chance(0.5) ? random.between(3, 30) : undefined,
    eventsPerMinute: random.chance(0.08) ? random.between(5, 20) : undefined,
    keyEventsPerMinute: random.chance(0.08) ? random.between(5, 20) : undefined,
    issueEventsPerMinute: random.chance(0.25) ? random.between(1, 60) : undefined,
  }))
}

function planRequests(
  random: Random,
  { seed, trafficMs }: { readonly seed: number; readonly trafficMs: number },
  projects: readonly ProjectPlan[],
): RequestPlan[] {
  // A stream of its own, so that the events do not depend on the items.
  const itemRandom = new Random(seed, 'items')
  // A stream of its own, so that worlds without refusals do not change.
  const refusalRandom = new Random(seed, 'refusals')
  const isRefusing = refusalRandom.chance(0.15)
  let itemCount = 0
  const itemsFor = (projectId: number): FreeItem[] => {
    const items = pickItems(itemRandom, { projectId, firstNo: itemCount }).map((item) => {
      const isRefused = isRefusing && item.kind === 'check_in' && refusalRandom.chance(0.3)
      return { ...item, isRefused }
    })
    if (itemCount + items.length > freeItemsMax) return []
    itemCount += items.length
    return items
  }
  const isPoisoned = random.chance(0.1)
  const kinds = Array.from({ length: 30 }, (_, index): EventPlan['kind'] => {
    if (index < 3) return 'invalid'
    return index === 3 && isPoisoned ? 'poison' : 'valid'
  })
  const requests: RequestPlan[] = []
  const request = (
    projectId: number,
    events: readonly EventPlan[],
    more: Partial<RequestPlan> = {},
  ) => {
    requests.push({
      ...bareRequest(projectId),
      atMs: random.spread(0, trafficMs),
      events,
      isAborted: random.chance(0.03),
      retriesMax: random.pick([0, 1, 3]),
      ...more,
    })
  }
  const events = Array.from(
    { length: random.between(20, 80) },
    (): EventPlan => ({
      projectId: random.pick(projects).projectId,
      eventId: random.hex(32),
      kind: random.pick(kinds),
      issue: random.below(4),
    }),
  ).map((event): EventPlan => {
    if (!isRefusing || event.kind !== 'valid' || !refusalRandom.chance(0.06)) return event
    const kind = refusalRandom.pick(['refused_by_postgres', 'refused_by_clickhouse'] as const)
    return { ...event, kind }
  })
  for (const { projectId } of projects) {
    const own = events.filter((event) => event.projectId === projectId)
    for (let from = 0; from < own.length; ) {
      const size = random.pick([1, 1, 1, 2, 5, 12])
      const group = own.slice(from, from + size)
      from += size
      const copies = random.pick([1, 1, 1, 2, 3, 5])
      const items = itemsFor(projectId)
      const sentAtMs = midMonth - sentBeforeMs + requests.length
      // Copies are sent at once, or some time later.
      const burst = random.chance(0.4)
        ? { atMs: random.spread(0, trafficMs), spreadMs: random.pick([0, 30, 600]) }
        : { atMs: 0, spreadMs: trafficMs }
      for (let copy = 0; copy < copies; copy += 1) {
        // Some copies of an event are sent alone.
        request(projectId, random.chance(0.3) ? [random.pick(group)] : group, {
          atMs: burst.atMs + random.spread(0, burst.spreadMs),
          sentAtMs,
          // Some copies have only one of the items.
          items: itemRandom.chance(0.3) ? items.slice(0, 1) : items,
          sessions: random.chance(0.1) ? 1 : 0,
          transactions: random.chance(0.1) ? 2 : 0,
        })
      }
    }
    if (random.chance(0.3)) request(projectId, [], { isMalformed: true })
    if (random.chance(0.3)) request(projectId, [], { sessions: 2 })
    const items = itemsFor(projectId)
    if (items.length > 0) {
      for (let copy = 0; copy < 2; copy += 1) {
        const atMs = itemRandom.spread(0, trafficMs)
        requests.push({ ...bareRequest(projectId), items, atMs, retriesMax: 3 })
      }
    }
  }
  return requests.sort((a, b) => a.atMs - b.atMs)
}

/** A request without items. */
export function bareRequest(projectId: number): RequestPlan {
  return {
    atMs: 0,
    projectId,
    sentAtMs: midMonth - sentBeforeMs,
    events: [],
    items: [],
    sessions: 0,
    transactions: 0,
    isMalformed: false,
    isAborted: false,
    retriesMax: 0,
  }
}
