/**
 * Named places in the code at which a test kills, blocks or delays the process, set by
 * SLUICE_FAILPOINTS: `workers.after_insert=kill@3` (on the third pass), `ingest.after_ack=pause`,
 * `workers.before_plan=delay:500`, `clock.read=shift:-86400000` (milliseconds). Each acts once.
 * Without the variable, which only tests set, a failpoint costs one comparison.
 */
import { writeSync } from 'node:fs'
import { readEnv } from './env.ts'

export const failpointNames = [
  /** A group of frames is in the write-ahead log. */
  'ingest.after_log_write',
  /** A frame is about to be published. */
  'ingest.before_publish',
  /** The broker has acknowledged a frame, and no request has been answered yet. */
  'ingest.after_ack',
  /** The files of a request are in the object store, and no record names them. */
  'ingest.after_objects',
  'ingest.before_grant',
  /** Postgres has granted a lease that has not been charged yet. */
  'ingest.after_grant',
  'workers.before_plan',
  'workers.after_plan',
  /** The event rows of a range are stored, its outcomes are not. */
  'workers.after_insert_events',
  'workers.after_insert',
  'workers.before_commit',
  'workers.after_commit',
  /** A commit has let alert rules fire, and enqueued no job yet. */
  'workers.after_firings',
  /** A notification has its deliveries, in a transaction that is open. */
  'alerts.before_notified',
  /** A notification is stored. */
  'alerts.after_notified',
  /** One half of a range is undone, the other is not. */
  'workers.during_undo',
  /** A notification was sent, and its result is not stored yet. */
  'deliveries.after_request',
  /** The clock of the machine is read. */
  'clock.read',
  /** Workers plan no new range, and no snapshot was taken yet. */
  'backup.after_hold',
  'backup.after_snapshot',
  'backup.after_clone',
  /** The hold is released, and nothing was copied yet. */
  'backup.after_point',
  /** All objects are stored. */
  'backup.before_manifest',
  'backup.after_manifest',
  /** Postgres is empty, and ClickHouse has no row yet. */
  'restore.after_drop',
  'restore.after_clickhouse',
  /** All rows of Postgres are loaded. */
  'restore.before_commit',
  'restore.after_commit',
  /** Leases are settled, and no partition was moved yet. */
  'reconcile.after_leases',
  /** Everything of a partition is written in a transaction that is still open. */
  'reconcile.before_commit',
  /** A partition was moved. */
  'reconcile.after_commit',
] as const
export type FailpointName = (typeof failpointNames)[number]

export type FailpointAction =
  | { readonly kind: 'kill' }
  | { readonly kind: 'pause' }
  /** The thread blocks, as during a long garbage collection. */
  | { readonly kind: 'delay'; readonly ms: number }
  /** From now on the clock of the machine is off by this time, as after somebody set it. */
  | { readonly kind: 'shift'; readonly ms: number }

export interface Failpoint {
  readonly name: FailpointName
  readonly action: FailpointAction
  /** The pass on which it acts, starting at 1. */
  readonly pass: number
}

export function failpoint(name: FailpointName): void {
  if (armed === undefined) return
  const passes = (passed.get(name) ?? 0) + 1
  passed.set(name, passes)
  for (const point of armed) if (point.name === name && point.pass === passes) act(point)
}

/** Throws on an unknown name or action, so that no test passes because of a typo. */
export function parseFailpoints(text: string): readonly Failpoint[] {
  return text.split(',').map((entry) => {
    const parts =
      /^([\w.]+)=(kill|pause|delay:(\d{1,6})|shift:(-?\d{1,12}))(?:@([1-9]\d{0,5}))?$/.exec(
        entry.trim(),
      )
    const name = failpointNames.find((known) => known === parts?.[1])
    if (parts === null || name === undefined) {
      throw new Error(
        `SLUICE_FAILPOINTS: "${entry.trim()}" is not <name>=kill|pause|delay:<ms>|shift:<ms>[@<pass>] with a name of ${failpointNames.join(', ')}`,
      )
    }
    return { name, action: actionOf(parts), pass: Number(parts[5] ?? 1) }
  })
}

function actionOf([, , action, delayMs, shiftMs]: RegExpExecArray): FailpointAction {
  if (action === 'kill' || action === 'pause') return { kind: action }
  return delayMs === undefined
    ? { kind: 'shift', ms: Number(shiftMs) }
    : { kind: 'delay', ms: Number(delayMs) }
}

/** Milliseconds by which a test has shifted the clock of the machine. */
export function clockShiftMs(): number {
  if (armed === undefined) return 0
  failpoint('clock.read')
  return shiftedMs
}

/** Prefix of the line on standard error that a failpoint writes when it acts. */
export const failpointMark = 'failpoint: '

/** The inverse of `parseFailpoints`. */
export function formatFailpoints(points: readonly Failpoint[]): string {
  return points
    .map(({ name, action, pass }) => {
      const what = 'ms' in action ? `${action.kind}:${action.ms}` : action.kind
      return `${name}=${what}@${pass}`
    })
    .join(',')
}

function act(point: Failpoint): void {
  const { action } = point
  // Written directly, because lines in the logger's buffer are lost when the process is killed.
  writeSync(2, `${failpointMark}${formatFailpoints([point])}\n`)
  switch (action.kind) {
    case 'kill':
      process.kill(process.pid, 'SIGKILL')
      // Blocks the thread until the signal arrives, so that no further instruction runs.
      standStill(60_000)
      break
    case 'pause':
      process.kill(process.pid, 'SIGSTOP')
      break
    case 'delay':
      standStill(action.ms)
      break
    case 'shift':
      shiftedMs += action.ms
      break
  }
}

function standStill(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

const { SLUICE_FAILPOINTS: given } = readEnv(['SLUICE_FAILPOINTS'])
const armed = given === undefined ? undefined : parseFailpoints(given)
let shiftedMs = 0
const passed = new Map<FailpointName, number>()
