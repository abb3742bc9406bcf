/**
 * The faults of a simulated world. They are drawn by families, so that many worlds have one kind of
 * fault repeatedly and some have all kinds at once.
 */
import { Random } from '../fixtures/random.ts'
import { type Trap, trapSteps } from './parts/traps.ts'
import type { ProjectPlan } from './project-plan.ts'

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

export interface PlannedFault {
  readonly atMs: number
  readonly fault: Fault
}

/** A world has the faults of some of these families. */
export const faultFamilies = [
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
export type FaultFamily = (typeof faultFamilies)[number]

interface FaultRoom {
  readonly chosen: ReadonlySet<FaultFamily>
  readonly trafficMs: number
  readonly ingestCount: number
  readonly workerCount: number
  readonly projects: readonly ProjectPlan[]
}

export function planFaults(random: Random, room: FaultRoom): PlannedFault[] {
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
export function planBrokenStores(seed: number, trafficMs: number): PlannedFault[] {
  const random = new Random(seed, 'broken stores')
  if (!random.chance(0.12)) return []
  const store = random.pick(['postgres', 'clickhouse'] as const)
  const ms = random.pick([1_000, 4_000, 15_000, 60_000])
  return [{ atMs: random.spread(0, trafficMs), fault: { kind: 'store_refuses_all', store, ms } }]
}

const makersOf: Readonly<Record<FaultFamily, (random: Random, room: FaultRoom) => Fault>> = {
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
