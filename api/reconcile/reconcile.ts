/**
 * Reconciles a restored older Postgres with ClickHouse, the streams and the write-ahead logs
 * (docs/operations/reconcile.md). Safe to interrupt at any point and to repeat: each partition is
 * one transaction, and what comes before it changes nothing when it is done again.
 */
import { failpoint } from '#platform/failpoint.ts'
import type { PoolClient } from '#platform/postgres.ts'
import { addAudit } from '../audit/audit-store.ts'
import { countMissing } from './count-missing.ts'
import { readCursors } from './cursor-row-store.ts'
import { describeRun, type ReconcileRun } from './describe-run.ts'
import { inLongTransaction } from './in-long-transaction.ts'
import { isBeyond, type Position } from './position.ts'
import { type ProjectSums, readProjectSums } from './project-sums-store.ts'
import { readNewestPositions } from './range-note-store.ts'
import type { PartitionLocks, ReconcileActor, ReconcileContext } from './reconcile-context.ts'
import { type ReconciledPartition, reconcilePartition } from './reconcile-partition.ts'
import type { PartitionReport, ReconcileReport } from './reconcile-report.ts'
import { settleAllLeases, settleLeases, skipUsedNumbers } from './settle-leases-store.ts'

export interface ReconcileInput {
  /** Everything is computed and nothing is changed. */
  readonly dryRun: boolean
  /** Number of the only project that the report lists. Counts of all projects are reconciled. */
  readonly projectId?: number | undefined
  /**
   * Also compares all committed rows with the counts, of one project if it is given. No worker may
   * run.
   */
  readonly full?: boolean | undefined
  /**
   * Postgres was restored from a backup. Leases are settled even when no partition differs: ingest
   * may hold some that this Postgres does not know, and its open ones may be of instances that have
   * ended.
   */
  readonly restored?: boolean | undefined
}

export async function reconcile(
  ctx: ReconcileContext,
  actor: ReconcileActor,
  input: ReconcileInput,
): Promise<ReconcileReport> {
  const older = await findOlderPartitions(ctx)
  if (older.size > 0) {
    ctx.say(`Postgres is older than ClickHouse in ${older.size} partitions.`)
  }
  if (older.size === 0 && input.full !== true && input.restored !== true) {
    const sums = new Map<number, ProjectSums>()
    return describeRun(ctx, input, { parts: [], before: sums, after: sums, leasesSettled: 0 })
  }
  if (input.dryRun && input.full !== true) return rehearse(ctx, input, older)
  const locks = await ctx.openLocks()
  try {
    const needed = input.full === true ? (await readCursors(ctx.pg)).keys() : older.keys()
    for (const partition of new Set([...needed, ...older.keys()])) await locks.acquire(partition)
    if (input.dryRun) return await rehearse(ctx, input, older)
    return await change(ctx, { actor, input, locks, partitions: [...older.keys()] })
  } finally {
    await locks.close()
  }
}

/** The latest position in ClickHouse of each partition of which Postgres knows less. */
async function findOlderPartitions({
  pg,
  clickhouse,
}: Pick<ReconcileContext, 'pg' | 'clickhouse'>): Promise<Map<number, Position>> {
  const newest = await readNewestPositions(clickhouse)
  const cursors = await readCursors(pg)
  const older = [...newest].filter(([partition, position]) => {
    const { generation = 0, plannedSeq: seq = 0 } = cursors.get(partition) ?? {}
    return isBeyond(position, { generation, seq })
  })
  return new Map(older.sort(([a], [b]) => a - b))
}

interface Change {
  readonly actor: ReconcileActor
  readonly input: ReconcileInput
  readonly locks: PartitionLocks
  /** Those of which Postgres knows less than ClickHouse. */
  readonly partitions: readonly number[]
}

async function change(
  ctx: ReconcileContext,
  { actor, input, locks, partitions }: Change,
): Promise<ReconcileReport> {
  // Read again: a worker may have committed before the locks were taken.
  const newest = await readNewestPositions(ctx.clickhouse)
  const before = await readAllSums(ctx.pg)
  // This Postgres may not know of sessions that came after the sums of their day. The workers make
  // all sums again.
  await ctx.clickhouse.command({ query: 'truncate table session_days' })
  let leasesSettled = 0
  if (settlesLeases(input, partitions.length)) {
    await skipUsedNumbers(ctx.pg, ctx.clickhouse)
    leasesSettled = await settleAllLeases(ctx.pg)
    failpoint('reconcile.after_leases')
  }
  const parts: ReconciledPartition[] = []
  for (const partition of partitions) {
    const position = newest.get(partition)
    if (position === undefined) continue
    const part = await inLongTransaction(ctx.pg, async (client) => {
      const place = { partition, newest: position, isDryRun: false }
      const done = await reconcilePartition(ctx, client, place)
      if (done !== undefined) await audit(client, actor, done.dsnIds, done.report)
      locks.expectHeld()
      failpoint('reconcile.before_commit')
      return done
    })
    if (part === undefined) continue
    failpoint('reconcile.after_commit')
    parts.push(part)
    ctx.say(sentenceOf(part.report))
  }
  const missing =
    input.full === true
      ? await inLongTransaction(ctx.pg, async (client) => {
          const counted = await countMissing(ctx, client, input.projectId)
          if (counted.events > 0) await audit(client, actor, counted.dsnIds, counted)
          locks.expectHeld()
          return counted
        })
      : undefined
  const after = await readAllSums(ctx.pg)
  return describeRun(ctx, input, { parts, before, after, leasesSettled, missing })
}

/**
 * The used quota contains what leases reserve. The full comparison needs it without them: units
 * that ingest has not used would hide as many events that were not counted.
 */
function settlesLeases({ restored, full }: ReconcileInput, olderPartitions: number): boolean {
  return olderPartitions > 0 || restored === true || full === true
}

/** All partitions in one transaction that is rolled back. */
async function rehearse(
  ctx: ReconcileContext,
  input: ReconcileInput,
  older: ReadonlyMap<number, Position>,
): Promise<ReconcileReport> {
  const end = await inLongTransaction(ctx.pg, async (client) => {
    const before = await readAllSums(client)
    const leasesSettled = settlesLeases(input, older.size) ? await settleLeases(client) : 0
    const parts: ReconciledPartition[] = []
    for (const [partition, newest] of older) {
      const part = await reconcilePartition(ctx, client, { partition, newest, isDryRun: true })
      if (part !== undefined) parts.push(part)
    }
    const missing =
      input.full === true ? await countMissing(ctx, client, input.projectId) : undefined
    throw new Rehearsed({ parts, before, after: await readAllSums(client), leasesSettled, missing })
  }).catch((error: unknown) => error)
  if (end instanceof Rehearsed) return describeRun(ctx, input, end.run)
  throw end
}

/** Rolls the transaction of a rehearsal back. */
class Rehearsed extends Error {
  readonly run: ReconcileRun

  constructor(run: ReconcileRun) {
    super('rolled back')
    this.run = run
  }
}

async function readAllSums(client: Pick<PoolClient, 'query'>): Promise<Map<number, ProjectSums>> {
  const { rows } = await client.query<{ dsn_id: number }>('select dsn_id from projects')
  return readProjectSums(
    client,
    rows.map(({ dsn_id }) => dsn_id),
  )
}

async function audit(
  client: PoolClient,
  actor: ReconcileActor,
  dsnIds: readonly number[],
  details: object,
): Promise<void> {
  const { rows } = await client.query<{ organization_id: string }>(
    'select distinct organization_id from projects where dsn_id = any($1) order by 1',
    [dsnIds],
  )
  const database = {
    query: (text: string, values?: readonly unknown[]) => client.query(text, values as unknown[]),
  } as Parameters<typeof addAudit>[0]
  for (const { organization_id: organizationId } of rows) {
    await addAudit(
      database,
      { ...actor, organizationId },
      { action: 'events.reconciled', subjectType: 'installation', details },
    )
  }
}

function sentenceOf({ partition, ranges, events, last_range }: PartitionReport): string {
  const rest = {
    kept: '',
    replayed: '; the worker replays the last range',
    undone: '; the worker undoes the last range',
    without_note: '',
  }[last_range]
  return `Partition ${partition}: ${events} events of ${ranges} ranges were counted${rest}.`
}
