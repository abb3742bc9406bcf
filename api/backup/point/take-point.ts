/**
 * Takes one point in time over Postgres and ClickHouse without stopping ingest.
 *
 *   hold      workers plan no new range; events wait in the write-ahead log and the stream
 *   wait      until no partition has a planned range that is not committed
 *   snapshot  a transaction of Postgres sees this moment until it ends
 *   clone     ClickHouse links the parts of this moment
 *   compare   the cursors are those of the snapshot, so ClickHouse got no row in between
 *   release   workers continue; usually after less than a second
 *
 * The comparison makes it exact: a plan that was under way when the hold began, or a hold that
 * expired, changes a cursor before its rows are inserted, and the point is taken again.
 */
import type { ClickHouseClient } from '#platform/clickhouse.ts'
import type { Clock } from '#platform/clock.ts'
import { failpoint } from '#platform/failpoint.ts'
import { BackupError } from '../backup-error.ts'
import { type Clone, cloneTables, dropClones } from '../clickhouse/clone-store.ts'
import type { Connection } from '../postgres/connection-store.ts'
import {
  type CursorState,
  holdCorrections,
  isHeld,
  prolongHold,
  readCursors,
  releaseCorrections,
  releaseHolds,
} from './hold-store.ts'

const pollMs = 50
const attemptsMax = 5

export interface PointContext {
  readonly id: string
  /** Holds the lock of backups. Each statement is a transaction of its own. */
  readonly control: Connection
  /** Keeps the snapshot open until its transaction ends. */
  readonly snapshot: Connection
  readonly clickhouse: ClickHouseClient
  readonly clock: Clock
  readonly sleep: (ms: number) => Promise<void>
  /** How long to wait for ranges that are under way. */
  readonly waitMsMax: number
}

export interface Point {
  readonly at: Date
  readonly holdMs: number
  readonly cursors: readonly CursorState[]
  readonly clones: readonly Clone[]
}

export async function takePoint(ctx: PointContext): Promise<Point> {
  const { clock, control, id } = ctx
  const startedMs = clock.monotonicMs()
  try {
    for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
      await prolongHold(control, id)
      failpoint('backup.after_hold')
      await waitUntilQuiet(ctx)
      const taken = await tryPoint(ctx).finally(() => releaseCorrections(control))
      if (taken === undefined) continue
      await releaseHolds(control)
      return { ...taken, holdMs: Math.round(clock.monotonicMs() - startedMs) }
    }
  } finally {
    // If the connection is lost, both end without it.
    await releaseHolds(control).catch(() => undefined)
  }
  throw new BackupError(
    `Workers continued to plan ranges during ${attemptsMax} attempts to take a point in time: make sure that all of them run this version, and try again.`,
  )
}

async function waitUntilQuiet(ctx: PointContext): Promise<void> {
  const { id, clock, control, sleep, waitMsMax } = ctx
  const deadlineMs = clock.monotonicMs() + waitMsMax
  while (true) {
    const busy = (await readCursors(control)).find((one) => one.plannedSeq > one.committedSeq)
    if (busy === undefined && (await holdCorrections(control))) return
    if (clock.monotonicMs() >= deadlineMs) throw new BackupError(stuckSentence(busy, waitMsMax))
    await sleep(pollMs)
    await prolongHold(control, id)
  }
}

function stuckSentence(busy: CursorState | undefined, waitMsMax: number): string {
  const seconds = Math.round(waitMsMax / 1000)
  if (busy === undefined) {
    return `A batch of outcome corrections was not inserted into ClickHouse within ${seconds} s: check that workers run and that ClickHouse accepts rows, and try again.`
  }
  const { partition, committedSeq, plannedSeq } = busy
  return `Partition ${partition} did not commit its planned range (${committedSeq} to ${plannedSeq}) within ${seconds} s: check that workers run and that both databases accept rows (metric workers_partition_stuck_seconds), and try again.`
}

async function tryPoint(ctx: PointContext): Promise<Omit<Point, 'holdMs'> | undefined> {
  const { id, control, snapshot, clickhouse } = ctx
  await prolongHold(control, id)
  await snapshot.query('begin transaction isolation level repeatable read read only')
  // The first statement takes the snapshot.
  const { rows } = await snapshot.query<{ at: Date }>('select clock_timestamp() as at')
  const cursors = await readCursors(snapshot)
  failpoint('backup.after_snapshot')
  const clones = await cloneTables(clickhouse, id.slice(-8))
  failpoint('backup.after_clone')
  const wasHeld = await isHeld(control, id)
  const isQuiet = cursors.every((one) => one.plannedSeq === one.committedSeq)
  const after = JSON.stringify(await readCursors(control))
  if (wasHeld && isQuiet && after === JSON.stringify(cursors)) {
    return { at: rows[0]!.at, cursors, clones }
  }
  await snapshot.query('rollback')
  await dropClones(clickhouse)
  return undefined
}
