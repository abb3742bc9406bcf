/**
 * Reconciles a restored older Postgres with ClickHouse, the streams and the write-ahead logs
 * (docs/operations/reconcile.md). Safe to interrupt at any point and to repeat: each partition is
 * one transaction, and what comes before it changes nothing when it is done again.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool, PoolClient } from '#platform/postgres.ts'
import { addAudit } from '../audit/audit-store.ts'
import { type CountedMissing, countMissing } from './count-missing.ts'
import { readCursors } from './cursor-row-store.ts'
import { isBeyond, type Position } from './position.ts'
import { countIssuesWithoutRows, type ProjectSums, readProjectSums } from './project-sums-store.ts'
import { readNewestPositions } from './range-note-store.ts'
import type { PartitionLocks, ReconcileActor, ReconcileContext } from './reconcile-context.ts'
import { type ReconciledPartition, reconcilePartition } from './reconcile-partition.ts'
import type { PartitionReport, ProjectReport, ReconcileReport } from './reconcile-report.ts'
import { IssuesMovedError } from './settle-issues-store.ts'
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

/** Attempts of a transaction that other transactions stopped. */
const attemptsMax = 5
const retryMs = 200

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
    return reportOf(ctx, input, emptyRun)
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

interface Run {
  readonly parts: readonly ReconciledPartition[]
  readonly before: ReadonlyMap<number, ProjectSums>
  readonly after: ReadonlyMap<number, ProjectSums>
  readonly leasesSettled: number
  readonly missing?: CountedMissing | undefined
}

const emptyRun: Run = { parts: [], before: new Map(), after: new Map(), leasesSettled: 0 }

async function change(
  ctx: ReconcileContext,
  {
    actor,
    input,
    locks,
    partitions,
  }: {
    actor: ReconcileActor
    input: ReconcileInput
    locks: PartitionLocks
    partitions: readonly number[]
  },
): Promise<ReconcileReport> {
  // Read again: a worker may have committed until the locks were taken.
  const newest = await readNewestPositions(ctx.clickhouse)
  const before = await readAllSums(ctx.pg)
  let leasesSettled = 0
  if (partitions.length > 0 || input.restored === true) {
    await skipUsedNumbers(ctx.pg, ctx.clickhouse)
    leasesSettled = await settleAllLeases(ctx.pg)
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
      return done
    })
    if (part === undefined) continue
    parts.push(part)
    ctx.say(sentenceOf(part.report))
  }
  const missing = await inLongTransaction(ctx.pg, async (client) => {
    if (input.full !== true) return undefined
    const counted = await countMissing(ctx, client, input.projectId)
    if (counted.events > 0) await audit(client, actor, counted.dsnIds, counted)
    locks.expectHeld()
    return counted
  })
  const after = await readAllSums(ctx.pg)
  return reportOf(ctx, input, { parts, before, after, leasesSettled, missing })
}

/** All partitions in one transaction that is rolled back. */
async function rehearse(
  ctx: ReconcileContext,
  input: ReconcileInput,
  older: ReadonlyMap<number, Position>,
): Promise<ReconcileReport> {
  const rolledBack = new Error('rolled back')
  let run = emptyRun
  try {
    await inLongTransaction(ctx.pg, async (client) => {
      const before = await readAllSums(client)
      const isSettled = older.size > 0 || input.restored === true
      const leasesSettled = isSettled ? await settleLeases(client) : 0
      const parts: ReconciledPartition[] = []
      for (const [partition, newest] of older) {
        const part = await reconcilePartition(ctx, client, { partition, newest, isDryRun: true })
        if (part !== undefined) parts.push(part)
      }
      const missing =
        input.full === true ? await countMissing(ctx, client, input.projectId) : undefined
      run = { parts, before, after: await readAllSums(client), leasesSettled, missing }
      throw rolledBack
    })
  } catch (error) {
    if (error !== rolledBack) throw error
  }
  return reportOf(ctx, input, run)
}

async function readAllSums(client: Pick<PoolClient, 'query'>): Promise<Map<number, ProjectSums>> {
  const { rows } = await client.query<{ dsn_id: number }>('select dsn_id from projects')
  return readProjectSums(
    client,
    rows.map(({ dsn_id }) => dsn_id),
  )
}

/** A long transaction, repeated when another one stopped it. */
async function inLongTransaction<T>(
  pg: Pool,
  work: (client: PoolClient) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    const client = await pg.connect()
    let broken: Error | undefined
    try {
      await client.query('begin')
      // ClickHouse is read while the transaction is idle.
      await client.query('set local idle_in_transaction_session_timeout = 0')
      const result = await work(client)
      await client.query('commit')
      return result
    } catch (error) {
      await client.query('rollback').catch((cause: Error) => {
        broken = cause
      })
      if (attempt === attemptsMax || !mayRepeat(error)) throw error
    } finally {
      client.release(broken)
    }
    await sleep(retryMs)
  }
}

const deadlockDetected = '40P01'

function mayRepeat(error: unknown): boolean {
  if (error instanceof IssuesMovedError) return true
  return (error as { code?: unknown } | null)?.code === deadlockDetected
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

async function reportOf(
  ctx: ReconcileContext,
  { dryRun, projectId }: ReconcileInput,
  { parts, before, after, leasesSettled, missing }: Run,
): Promise<ReconcileReport> {
  const projects: ProjectReport[] = []
  for (const [dsnId, now] of after) {
    const then = before.get(dsnId) ?? { ...now, events: 0, issues: 0, releases: 0, quota: 0 }
    const isTouched =
      [...parts, ...(missing === undefined ? [] : [missing])].some(({ dsnIds }) =>
        dsnIds.includes(dsnId),
      ) || then.quota !== now.quota
    if (!isTouched || (projectId !== undefined && projectId !== dsnId)) continue
    projects.push({
      dsn_id: dsnId,
      name: now.name,
      events_before: then.events,
      events_after: now.events,
      issues_before: then.issues,
      issues_after: now.issues,
      releases_before: then.releases,
      releases_after: now.releases,
      quota_before: then.quota,
      quota_after: now.quota,
      issues_without_rows: await countIssuesWithoutRows(ctx.pg, ctx.clickhouse, dsnId),
    })
  }
  return {
    dry_run: dryRun,
    partitions: parts.map(({ report }) => report),
    projects,
    unknown_projects: sumUnknown(parts),
    leases_settled: leasesSettled,
    ...(missing === undefined ? {} : { events_missing: missing.events }),
    unknown: unknownOf(parts),
  }
}

function sumUnknown(parts: readonly ReconciledPartition[]): { dsn_id: number; events: number }[] {
  const sums = new Map<number, number>()
  for (const { projectId, events } of parts.flatMap(({ unknownProjects }) => unknownProjects)) {
    sums.set(projectId, (sums.get(projectId) ?? 0) + events)
  }
  return [...sums]
    .map(([dsn_id, events]) => ({ dsn_id, events }))
    .sort((a, b) => a.dsn_id - b.dsn_id)
}

/** Sentences about what the reconciliation cannot know. */
function unknownOf(parts: readonly ReconciledPartition[]): string[] {
  if (parts.length === 0) return []
  const created = parts.some(({ report }) => report.issues_created > 0)
  const unnoted = parts
    .filter(({ missesNotes }) => missesNotes)
    .map(({ report }) => report.partition)
  return [
    'Everything that only Postgres stores is as it was in the backup: accounts, settings, states and merges of issues, feedback, ideas, emails, runs of monitors and dead letters.',
    ...(created
      ? ['Created issues have new ids and numbers, and no explanation of their grouping.']
      : []),
    ...(unnoted.length > 0
      ? [
          `Some ranges of the partitions ${unnoted.join(', ')} have no note, because they are older than 35 days or of a version that wrote none. Their events are counted; their sessions in sums are not, and frames of theirs that ingest sends again are counted as duplicates.`,
        ]
      : []),
  ]
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
