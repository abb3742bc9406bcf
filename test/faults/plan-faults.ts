/**
 * What goes wrong in a round and when, made from the round's seed alone. Every fault ends by itself
 * within the round; what is still broken then is healed by the caller.
 */
import {
  type Failpoint,
  type FailpointName,
  failpointNames,
  formatFailpoints,
} from '#platform/failpoint.ts'
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
  /** Ended with SIGKILL, with all its children, and started again after a while. */
  | {
      readonly kind: 'kill'
      readonly atMs: number
      readonly target: Target
      readonly downMs: number
    }
  /** SIGSTOP and, after a while, SIGCONT. */
  | {
      readonly kind: 'pause'
      readonly atMs: number
      readonly target: Target
      readonly forMs: number
    }
  /** Asked to end, and started again. */
  | { readonly kind: 'restart'; readonly atMs: number; readonly target: Target }
  /**
   * Killed and started again with a failpoint, which acts as soon as the process passes it so
   * often.
   */
  | {
      readonly kind: 'failpoint'
      readonly atMs: number
      readonly target: ServiceTarget
      readonly point: Failpoint
      /** How long it stands still when the failpoint pauses it, or stays down when it is killed. */
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
  /** The broker loses messages that it has acknowledged and nobody has read yet. */
  | { readonly kind: 'forget'; readonly atMs: number; readonly messages: number }
  /** It loses all that it has taken from `atMs` on for so long, sequence numbers and all. */
  | { readonly kind: 'rewind'; readonly atMs: number; readonly forMs: number }
  /** It loses everything. */
  | { readonly kind: 'lose_stream'; readonly atMs: number }
  /**
   * All workers die at the failpoint `at`, between plan and commit, and before they come back the
   * broker has lost the frames: what was inserted must be undone. The first one to try it dies or
   * stands still halfway.
   */
  | {
      readonly kind: 'lose_planned'
      readonly atMs: number
      readonly at: FailpointName
      readonly undoing: Failpoint
      readonly forMs: number
    }

export function planFaults(random: Random, durationMs: number): Fault[] {
  const count = 1 + random.below(4)
  // No process has two faults of its own: a start in the middle of another would leave two of it.
  const untouched = new Set<Target>([...serviceTargets, ...engineTargets])
  const faults = Array.from({ length: count }, () => planFault(random, durationMs, untouched))
  return faults.sort((left, right) => left.atMs - right.atMs)
}

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
    // Ingest does not know ClickHouse.
    to: isIngest(from) ? random.pick(['nats', 'postgres']) : anyOf(random, engineTargets),
    trouble: anyTrouble(random),
    forMs: 200 + random.below(2_000),
  }
}

/** Whether the broker loses what it has acknowledged: without a log nobody else has it. */
export function losesMessages({ kind }: Fault): boolean {
  return ['forget', 'rewind', 'lose_stream', 'lose_planned'].includes(kind)
}

/**
 * How many events beyond a limit may be accepted in the round: ingest processes that cannot ask
 * Postgres, or have slept over its answer, let a few pass, each at every start anew. 0 when all
 * could always ask.
 */
export function allowanceOf(faults: readonly Fault[]): number {
  if (!faults.some(cutsOffPostgres)) return 0
  const touched = faults.filter((fault) => 'target' in fault && isIngest(fault.target)).length
  // One with a failpoint that was not reached is started a second time, without it.
  return allowanceOfOne * (ingestNames.length + 2 * touched)
}

/**
 * What one process lets pass of a project whose limit it has not read yet; of a small one that it
 * knows it is less.
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

/**
 * Early in the round, so that the process is back while there is still something to pass the
 * failpoint for.
 */
function planFailpoint(random: Random, durationMs: number, untouched: Set<Target>): Fault {
  const target = take(random, untouched, isService)
  const area = target.split('-')[0]
  const names = failpointNames.filter(
    // Nothing is undone unless the broker has lost what was planned; that is a fault of its own.
    (name) => name.startsWith(`${area}.`) && name !== 'workers.during_undo',
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

/** Few passes for what happens a few times in a round, so that most failpoints are reached. */
function passesMax(name: FailpointName): number {
  if (name.startsWith('workers.')) return 4
  return name.endsWith('_grant') ? 3 : 10
}

/** Now and then longer than it takes the others to give a process up. */
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

/** One line, as the report shows it. */
export function describeFault(fault: Fault): string {
  const at = `${String(fault.atMs).padStart(5)} ms`
  switch (fault.kind) {
    case 'kill':
      return `${at}  kill ${fault.target}, down for ${fault.downMs} ms`
    case 'pause':
      return `${at}  pause ${fault.target} for ${fault.forMs} ms`
    case 'restart':
      return `${at}  restart ${fault.target}`
    case 'failpoint':
      return `${at}  restart ${fault.target} with ${formatFailpoints([fault.point])}, ${fault.forMs} ms`
    case 'link':
      return `${at}  ${fault.from} → ${fault.to}: ${describeTrouble(fault.trouble)} for ${fault.forMs} ms`
    case 'forget':
      return `${at}  the broker forgets up to ${fault.messages} messages`
    case 'rewind':
      return `${at}  the broker loses what it takes within ${fault.forMs} ms`
    case 'lose_stream':
      return `${at}  the broker loses its stream`
    case 'lose_planned':
      return `${at}  both workers die at ${fault.at}, the broker loses its stream, one undoes it with ${formatFailpoints([fault.undoing])}, ${fault.forMs} ms`
  }
}

function describeTrouble(trouble: LinkTrouble): string {
  if (trouble.kind === 'latency') return `latency of ${trouble.ms} ms`
  if (trouble.kind === 'cut') return `cut after ${trouble.afterBytes} bytes`
  return trouble.kind.replace('_', ' ')
}
