/**
 * Plans the faults of a round from the round's seed. Every fault ends within the round; the caller
 * heals what is still broken then.
 */
import { type Failpoint, type FailpointName, failpointNames } from '#platform/failpoint.ts'
import type { Random } from '../../bench/load/random.ts'
import type { LinkTrouble } from './flaky-link.ts'

export const ingestNames = ['ingest-1', 'ingest-2', 'ingest-3'] as const
export const workersNames = ['workers-1', 'workers-2'] as const
export const engineTargets = ['nats', 'clickhouse', 'postgres'] as const
export type EngineTarget = (typeof engineTargets)[number]
export type ServiceTarget = (typeof ingestNames)[number] | (typeof workersNames)[number]
export type Target = ServiceTarget | EngineTarget

export const serviceTargets: readonly ServiceTarget[] = [...ingestNames, ...workersNames]

export type Fault =
  /** Kills the process and its children with SIGKILL, and starts it again after `downMs`. */
  | {
      readonly kind: 'kill'
      readonly atMs: number
      readonly target: Target
      readonly downMs: number
    }
  /** Sends SIGSTOP, and SIGCONT after `forMs`. */
  | {
      readonly kind: 'pause'
      readonly atMs: number
      readonly target: Target
      readonly forMs: number
    }
  /** Sends SIGTERM and starts the process again. */
  | { readonly kind: 'restart'; readonly atMs: number; readonly target: Target }
  /**
   * Kills the process and starts it with a failpoint, which acts when the process has passed it the
   * given number of times.
   */
  | {
      readonly kind: 'failpoint'
      readonly atMs: number
      readonly target: ServiceTarget
      readonly point: Failpoint
      /** How long the process stays stopped (pause) or down (kill). */
      readonly forMs: number
    }
  | {
      readonly kind: 'link'
      readonly atMs: number
      readonly from: ServiceTarget
      readonly to: EngineTarget
      readonly trouble: LinkTrouble
      readonly forMs: number
    }
  /** The broker loses messages that it has acknowledged and no worker has read. */
  | { readonly kind: 'forget'; readonly atMs: number; readonly messages: number }
  /**
   * The broker loses everything that it accepts within `forMs`, and reuses the sequence numbers.
   */
  | { readonly kind: 'rewind'; readonly atMs: number; readonly forMs: number }
  /** The broker loses the whole stream. */
  | { readonly kind: 'lose_stream'; readonly atMs: number }
  /**
   * All workers are killed at the failpoint `at`, between plan and commit. Before they restart, the
   * broker loses the frames, so what was inserted must be undone. The first worker that tries is
   * killed or stopped during the undo.
   */
  | {
      readonly kind: 'lose_planned'
      readonly atMs: number
      readonly at: FailpointName
      readonly undoing: Failpoint
      readonly forMs: number
    }
  /**
   * All workers are killed, and only the target is started until it has acted: any worker may send
   * an alert, so another one would be faster.
   */
  | {
      readonly kind: 'alert_failpoint'
      readonly atMs: number
      readonly target: ServiceTarget
      readonly point: Failpoint
      readonly forMs: number
    }
  /** The receiver of webhooks is away. */
  | { readonly kind: 'receiver'; readonly atMs: number; readonly forMs: number }
  /**
   * Postgres is copied, and put back `forMs` after workers have committed more, as from a backup.
   * Then `admin reconcile` runs.
   */
  | {
      readonly kind: 'restore_postgres'
      readonly atMs: number
      readonly forMs: number
      readonly workersAreKilled: boolean
    }

/** About every n-th round restores an older Postgres. */
export const restoreEveryDefault = 4

/**
 * Adds to some rounds that an older Postgres is put back. Faults that would stop or start the same
 * processes are left out then.
 */
export function withRestore(
  faults: readonly Fault[],
  random: Random,
  { durationMs, every }: { readonly durationMs: number; readonly every: number },
): Fault[] {
  if (random.below(every) !== 0) return [...faults]
  const restore: Fault = {
    kind: 'restore_postgres',
    atMs: random.below(Math.floor(durationMs / 3)),
    forMs: random.below(Math.floor(durationMs / 3)),
    workersAreKilled: random.below(2) === 0,
  }
  const touched: readonly Target[] = restore.workersAreKilled
    ? ['postgres', ...workersNames]
    : ['postgres']
  const others = faults.filter(
    (fault) =>
      !('target' in fault && touched.includes(fault.target)) &&
      !(restore.workersAreKilled && ['lose_planned', 'alert_failpoint'].includes(fault.kind)),
  )
  return [...others, restore].sort((left, right) => left.atMs - right.atMs)
}

export function planFaults(random: Random, durationMs: number): Fault[] {
  const count = 1 + random.below(4)
  // A process has at most one fault of its own: a start during another fault would run it twice.
  const untouched = new Set<Target>([...serviceTargets, ...engineTargets])
  const alone = random.below(3) === 0 ? [planAlertFailpoint(random, durationMs, untouched)] : []
  const faults = Array.from({ length: count }, () => planFault(random, durationMs, untouched))
  const away = random.below(2) === 0 ? [planReceiver(random, durationMs)] : []
  return [...alone, ...faults, ...away].sort((left, right) => left.atMs - right.atMs)
}

function planAlertFailpoint(random: Random, durationMs: number, untouched: Set<Target>): Fault {
  for (const name of workersNames) untouched.delete(name)
  const target = anyOf(random, workersNames)
  const name = anyOf(
    random,
    failpointNames.filter((each) => alertAreas.test(each)),
  )
  const action = random.pick([{ kind: 'kill' }, { kind: 'kill' }, { kind: 'pause' }] as const)
  return {
    kind: 'alert_failpoint',
    atMs: random.below(Math.floor(durationMs / 3)),
    target,
    point: { name, action, pass: 1 + random.below(passesMax(name)) },
    forMs: action.kind === 'pause' ? pauseMs(random) : random.below(800),
  }
}

function planReceiver(random: Random, durationMs: number): Fault {
  const atMs = random.below(Math.floor(durationMs * 0.85))
  return { kind: 'receiver', atMs, forMs: 200 + random.below(2_000) }
}

const alertAreas = /^(?:alerts\.|deliveries\.|workers\.after_firings$)/

function planFault(random: Random, durationMs: number, untouched: Set<Target>): Fault {
  const atMs = random.below(Math.floor(durationMs * 0.85))
  const dice = random.below(100)
  const target = take(random, untouched, (each): each is Target => each !== undefined)
  if (dice < 25) return { kind: 'kill', atMs, target, downMs: random.below(1_200) }
  if (dice < 38) return { kind: 'pause', atMs, target, forMs: pauseMs(random) }
  if (dice < 48) return { kind: 'restart', atMs, target }
  untouched.add(target)
  if (dice < 53) return { kind: 'forget', atMs, messages: 1 + random.below(12) }
  if (dice < 57 && [...workersNames, 'nats' as const].every((name) => untouched.has(name))) {
    for (const name of [...workersNames, 'nats' as const]) untouched.delete(name)
    return planLosePlanned(random, durationMs)
  }
  if (dice < 62 && untouched.delete('nats')) {
    if (dice < 60) return { kind: 'rewind', atMs, forMs: 200 + random.below(1_000) }
    return { kind: 'lose_stream', atMs }
  }
  if (dice < 83) return planFailpoint(random, durationMs, untouched)
  const from = anyOf(random, serviceTargets)
  return {
    kind: 'link',
    atMs,
    from,
    // Ingest does not connect to ClickHouse.
    to: isIngest(from) ? random.pick(['nats', 'postgres']) : anyOf(random, engineTargets),
    trouble: anyTrouble(random),
    forMs: 200 + random.below(2_000),
  }
}

/**
 * Whether the broker loses acknowledged messages. Without the write-ahead log they are lost for
 * good.
 */
export function losesMessages({ kind }: Fault): boolean {
  return ['forget', 'rewind', 'lose_stream', 'lose_planned'].includes(kind)
}

/**
 * How many events beyond a limit may be accepted in the round. Ingest processes that cannot reach
 * Postgres, or were stopped while it answered, let a few events pass after each start. 0 when all
 * could always reach Postgres.
 */
export function allowanceOf(faults: readonly Fault[]): number {
  // Ingest is granted units again that were used after the backup.
  if (faults.some(({ kind }) => kind === 'restore_postgres')) return allowanceAfterRestore
  if (!faults.some(cutsOffPostgres)) return 0
  const touched = faults.filter((fault) => 'target' in fault && isIngest(fault.target)).length
  // A process whose failpoint was not reached is started a second time without it.
  return allowanceOfOne * (ingestNames.length + 2 * touched)
}

/** More than a round sends. */
const allowanceAfterRestore = 1_000_000
/**
 * Events that one process accepts for a project whose limit it has not read yet. For a small limit
 * that it knows, the number is smaller.
 */
const allowanceOfOne = 100

function cutsOffPostgres(fault: Fault): boolean {
  if (fault.kind === 'link') return fault.to === 'postgres' && isIngest(fault.from)
  if (!('target' in fault)) return false
  const stopped =
    fault.kind === 'pause' || (fault.kind === 'failpoint' && fault.point.action.kind !== 'kill')
  return fault.target === 'postgres' || (stopped && isIngest(fault.target))
}

function isIngest(target: Target): boolean {
  return ingestNames.some((name) => name === target)
}

/** The fault begins early in the round, so that the process can still reach the failpoint. */
function planFailpoint(random: Random, durationMs: number, untouched: Set<Target>): Fault {
  const target = take(random, untouched, isService)
  const areas = isIngest(target) ? ['ingest'] : ['workers', 'alerts', 'deliveries']
  const names = failpointNames.filter(
    // An undo happens only after the broker has lost a planned range, which is another kind of
    // fault.
    (name) => areas.includes(name.split('.')[0] ?? '') && name !== 'workers.during_undo',
  )
  const name = anyOf(random, names)
  const dice = random.below(10)
  const action =
    dice < 6
      ? ({ kind: 'kill' } as const)
      : dice < 9
        ? ({ kind: 'pause' } as const)
        : ({ kind: 'delay', ms: 100 + random.below(1_500) } as const)
  return {
    kind: 'failpoint',
    atMs: random.below(Math.floor(durationMs / 3)),
    target,
    point: { name, action, pass: 1 + random.below(passesMax(name)) },
    forMs: action.kind === 'pause' ? pauseMs(random) : random.below(800),
  }
}

function planLosePlanned(random: Random, durationMs: number): Fault {
  const action = random.pick([{ kind: 'kill' }, { kind: 'pause' }] as const)
  return {
    kind: 'lose_planned',
    atMs: random.below(Math.floor(durationMs / 3)),
    at: random.pick([
      'workers.after_plan',
      'workers.after_insert_events',
      'workers.after_insert',
      'workers.before_commit',
    ] as const),
    undoing: { name: 'workers.during_undo', action, pass: 1 },
    forMs: random.below(1_500),
  }
}

/**
 * A small number for failpoints that are passed a few times in a round, so that most are reached.
 */
function passesMax(name: FailpointName): number {
  if (name.startsWith('workers.') || name.startsWith('alerts.')) return 4
  return name.endsWith('_grant') ? 3 : 10
}

/** Sometimes longer than the others take to consider a process dead. */
function pauseMs(random: Random): number {
  return random.below(4) === 0 ? 5_000 + random.below(2_500) : 200 + random.below(1_800)
}

function take<T extends Target>(
  random: Random,
  untouched: Set<Target>,
  fits: (target: Target) => target is T,
): T {
  const target = anyOf(random, [...untouched].filter(fits))
  untouched.delete(target)
  return target
}

function isService(target: Target): target is ServiceTarget {
  return serviceTargets.some((service) => service === target)
}

function anyTrouble(random: Random): LinkTrouble {
  const kind = random.pick(['latency', 'cut', 'stall', 'black_hole', 'refuse'] as const)
  if (kind === 'latency') return { kind, ms: 20 + random.below(400) }
  if (kind === 'cut') return { kind, afterBytes: random.below(random.pick([100, 5_000, 60_000])) }
  return { kind }
}

function anyOf<T>(random: Random, choices: readonly T[]): T {
  return choices[random.below(choices.length)]!
}
