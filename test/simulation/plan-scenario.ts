/**
 * Plans the world of one seed: its size, the requests of the clients, and the faults. Faults are
 * drawn by families, so that many worlds have one kind of fault repeatedly and some have all kinds
 * at once.
 */
import { type FreeItem, freeItemsMax, pickItems } from './parts/free-items.ts'
import { Random } from './parts/random.ts'
import { type Trap, trapSteps } from './parts/traps.ts'

export interface ProjectPlan {
  readonly projectId: number
  readonly keyNo: number
  readonly publicKey: string
  /** Monthly limit in events. */
  readonly limit: number | undefined
  readonly eventsPerMinute: number | undefined
  readonly keyEventsPerMinute: number | undefined
  readonly issueEventsPerMinute: number | undefined
}

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

export type Store = 'postgres' | 'clickhouse'

export type Fault =
  | {
      readonly kind: 'kill_ingest' | 'kill_worker'
      readonly index: number
      readonly downMs: number
    }
  | { readonly kind: 'pause_ingest' | 'pause_worker'; readonly index: number; readonly ms: number }
  | { readonly kind: 'stop_worker'; readonly index: number; readonly downMs: number }
  | { readonly kind: 'drain_ingest'; readonly index: number; readonly downMs: number }
  | { readonly kind: 'broker_hangs' | 'broker_without_leader'; readonly ms: number }
  | {
      readonly kind: 'broker_crashes'
      readonly ms: number
      readonly forgets: number
      readonly ids: 'kept' | 'of the lost kept' | 'all forgotten'
    }
  | { readonly kind: 'stream_recreated' }
  | { readonly kind: 'connections_cut' }
  | {
      readonly kind: 'bad_acks'
      readonly ms: number
      readonly lostShare: number
      readonly lateShare: number
      readonly lateMs: number
      readonly lostMessageShare: number
    }
  | { readonly kind: 'stream_full'; readonly ms: number; readonly room: number }
  | { readonly kind: 'store_down' | 'store_hangs'; readonly store: Store; readonly ms: number }
  /** The store refuses every record, as with a wrong constraint or an altered table. */
  | { readonly kind: 'store_refuses_all'; readonly store: Store; readonly ms: number }
  | {
      readonly kind: 'store_flaky'
      readonly store: Store
      readonly ms: number
      readonly failShare: number
      readonly lostAnswerShare: number
      readonly slowShare: number
      readonly slowMs: number
    }
  | { readonly kind: 'sessions_lost' }
  | { readonly kind: 'disk_full'; readonly ms: number }
  | { readonly kind: 'clock_jumps'; readonly ms: number }
  | { readonly kind: 'trap'; readonly trap: Trap }
  | { readonly kind: 'threads_die'; readonly ms: number; readonly share: number }
  | { readonly kind: 'limit_changes'; readonly projectId: number; readonly limit: number }

export interface Scenario {
  readonly seed: number
  readonly partitions: number
  readonly streams: number
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

interface PlannedFault {
  readonly atMs: number
  readonly fault: Fault
}

/** A world has the faults of some of these families. */
const families = [
  'kills',
  'pauses',
  'broker',
  'loss',
  'postgres',
  'clickhouse',
  'disk',
  'clock',
  'threads',
  'traps',
] as const
type Family = (typeof families)[number]

const oneMinuteBeforeMonthEnd = Date.UTC(2026, 10, 30, 23, 59, 0)
const midMonth = Date.UTC(2026, 10, 21, 12, 0, 0)
/** Before every clock of a world, even after a jump, so that no time is in the future. */
const sentBeforeMs = 4 * 3_600_000

export function planScenario(seed: number): Scenario {
  const random = new Random(seed, 'scenario')
  const chosen = new Set<Family>(families.filter(() => random.chance(0.35)))
  const durability = random.chance(0.15) ? 'broker' : 'log'
  // With durability `broker`, losing acknowledged messages loses events by design.
  if (durability === 'broker' || chosen.has('disk')) chosen.delete('loss')
  const size = {
    partitions: random.pick([1, 2, 2, 3, 4]),
    ingestCount: random.pick([1, 2, 2, 3]),
    workerCount: random.pick([1, 2, 2, 3]),
  }
  const trafficMs = random.pick([1_500, 4_000, 8_000])
  const projects = planProjects(random)
  const isNearMonthEnd = random.chance(0.1)
  return {
    seed,
    ...size,
    streams: size.partitions > 1 && random.chance(0.25) ? 2 : 1,
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

interface FaultRoom {
  readonly chosen: ReadonlySet<Family>
  readonly trafficMs: number
  readonly ingestCount: number
  readonly workerCount: number
  readonly projects: readonly ProjectPlan[]
}

function planFaults(random: Random, room: FaultRoom): PlannedFault[] {
  const makers = [...room.chosen].flatMap((family) => {
    return Array.from({ length: random.between(1, 4) }, () => makersOf[family])
  })
  return makers
    .map((make) => {
      const fault = make(random, room)
      // Traps are set early, because they wait for their step.
      return { atMs: random.spread(0, room.trafficMs * (fault.kind === 'trap' ? 0.6 : 1.3)), fault }
    })
    .sort((a, b) => a.atMs - b.atMs)
}

/** A stream of its own, so that worlds without broken stores do not change. */
function planBrokenStores(seed: number, trafficMs: number): PlannedFault[] {
  const random = new Random(seed, 'broken stores')
  if (!random.chance(0.12)) return []
  const store = random.pick(['postgres', 'clickhouse'] as const)
  const ms = random.pick([1_000, 4_000, 15_000, 60_000])
  return [{ atMs: random.spread(0, trafficMs), fault: { kind: 'store_refuses_all', store, ms } }]
}

const makersOf: Readonly<Record<Family, (random: Random, room: FaultRoom) => Fault>> = {
  kills: (random, { ingestCount, workerCount }) => {
    const downMs = random.pick([10, 300, 2_000, 8_000])
    const ofIngest = { index: random.below(ingestCount), downMs }
    const ofWorker = { index: random.below(workerCount), downMs }
    return random.pick<Fault>([
      { kind: 'kill_ingest', ...ofIngest },
      { kind: 'kill_ingest', ...ofIngest },
      { kind: 'kill_worker', ...ofWorker },
      { kind: 'kill_worker', ...ofWorker },
      { kind: 'stop_worker', ...ofWorker },
      { kind: 'drain_ingest', ...ofIngest },
    ])
  },
  pauses: (random, { ingestCount, workerCount }) => {
    const ms = random.pick([200, 1_500, 6_000, 15_000])
    return random.pick<Fault>([
      { kind: 'pause_ingest', index: random.below(ingestCount), ms },
      { kind: 'pause_worker', index: random.below(workerCount), ms },
    ])
  },
  broker: (random) => {
    const ms = random.pick([100, 1_500, 5_000])
    return random.pick<Fault>([
      { kind: 'broker_hangs', ms },
      { kind: 'broker_without_leader', ms },
      { kind: 'connections_cut' },
      { kind: 'stream_full', ms, room: random.below(5) },
      { kind: 'broker_crashes', ms, forgets: 0, ids: random.pick(['kept', 'all forgotten']) },
      {
        kind: 'bad_acks',
        ms,
        lostShare: random.pick([0, 0.3, 0.9]),
        lateShare: random.pick([0, 0.5]),
        lateMs: random.pick([500, 5_000]),
        lostMessageShare: random.pick([0, 0.3]),
      },
    ])
  },
  loss: (random) => {
    if (random.chance(0.2)) return { kind: 'stream_recreated' }
    return {
      kind: 'broker_crashes',
      ms: random.pick([50, 1_000, 4_000]),
      forgets: random.pick([1, 2, 5, 1_000]),
      ids: random.pick(['kept', 'of the lost kept', 'all forgotten']),
    }
  },
  postgres: (random, { projects }) => {
    const limited = projects.filter(({ limit }) => limit !== undefined)
    if (limited.length > 0 && random.chance(0.15)) {
      const { projectId } = random.pick(limited)
      return { kind: 'limit_changes', projectId, limit: random.between(3, 60) }
    }
    return random.chance(0.15) ? { kind: 'sessions_lost' } : storeFault(random, 'postgres')
  },
  clickhouse: (random) => storeFault(random, 'clickhouse'),
  disk: (random) => ({ kind: 'disk_full', ms: random.pick([300, 3_000]) }),
  traps: (random, { chosen }) => {
    const step = random.pick(trapSteps)
    return {
      kind: 'trap',
      trap: {
        step,
        passes: random.pick([1, 1, 2, 5, 10]),
        when: step === 'answer' ? 'done' : random.pick(['on the way', 'done']),
        act: random.pick(['kill', 'kill', 'pause']),
        pauseMs: random.pick([1_500, 6_000, 15_000]),
        // Callers notice a broker that hangs for long; a store may complete a call unnoticed.
        lateMs: random.pick(step === 'frame stored' ? [0, 2_000] : [0, 0, 3_000, 25_000]),
        // Only where the write-ahead log alone guarantees durability.
        forgets: chosen.has('loss') && random.chance(0.6) ? random.pick([1, 3, 1_000]) : undefined,
      },
    }
  },
  threads: (random) => ({
    kind: 'threads_die',
    ms: random.pick([500, 3_000]),
    share: 0.1,
  }),
  clock: (random) => ({ kind: 'clock_jumps', ms: random.pick([-600_000, -3_000, 2_000, 600_000]) }),
}

function storeFault(random: Random, store: Store): Fault {
  const ms = random.pick([300, 2_000, 6_000])
  return random.pick<Fault>([
    { kind: 'store_down', store, ms },
    { kind: 'store_hangs', store, ms },
    {
      kind: 'store_flaky',
      store,
      ms,
      failShare: random.pick([0, 0.3]),
      lostAnswerShare: random.pick([0, 0.3, 0.6]),
      slowShare: random.pick([0, 0.3]),
      slowMs: random.pick([500, 8_000]),
    },
  ])
}
