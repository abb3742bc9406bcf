/** Erases a person from the rows of ClickHouse. No row is removed, so all counts stay the same. */
import { type EventColumn, personEventSql } from '#platform/person-data/person-event-sql.ts'
import type { Pool, PoolClient } from '#platform/postgres.ts'
import type { ProjectId } from '#schemas/ids.ts'
import { clickHouseScope } from '#schemas/stored-data/scope.ts'
import { withSessionDays } from '../release-health/session-days/session-day-lock-store.ts'
import { forgetDays } from '../release-health/session-days/stale-session-day-store.ts'
import { userHash } from '../release-health/user-hash.ts'
import {
  countRows,
  type MutationContext,
  mutate,
  select,
  waitForMutations,
} from './clickhouse-mutation-store.ts'
import { setCountOnce } from './deletion-row-store.ts'
import type { Erasure } from './erase-rows-store.ts'
import { clickHouseCountName } from './remove-events-store.ts'

export type ErasureContext = MutationContext & { readonly pg: Pool }
type Pass = { readonly pass: 1 | 2 }

export async function eraseEvents(ctx: ErasureContext, erasure: Erasure & Pass): Promise<void> {
  const columns = await select<EventColumn>(
    ctx.clickhouse,
    `select name, type from system.columns where database = currentDatabase() and table = 'events'`,
  )
  const { found, changes } = personEventSql(erasure.subject, columns)
  const scope = clickHouseScope(erasure.scope)
  let rows = 0
  // Day by day, as the table is ordered, so that each query ends within its time.
  for (const day of await daysOf(ctx, scope)) {
    erasure.throwIfDraining()
    rows += await countRows(
      ctx.clickhouse,
      'events',
      `${scope} and toDate(received_at) = '${day}' and ${found}`,
    )
  }
  if (rows === 0) return
  const table = clickHouseCountName('events', erasure.pass)
  await setCountOnce(ctx.pg, erasure.deletionId, { table, rows })
  await mutate(ctx, 'events', `update ${changes.join(', ')} where ${scope} and ${found}`)
}

async function daysOf({ clickhouse }: ErasureContext, scope: string): Promise<string[]> {
  const rows = await select<{ day: string }>(
    clickhouse,
    `select distinct toString(toDate(received_at)) as day from events where ${scope} order by day`,
  )
  return rows.map(({ day }) => day)
}

/**
 * Sessions hold a hash of the user. It is replaced by one that is made of the deletion, so that one
 * user stays one user.
 */
export async function eraseSessions(ctx: ErasureContext, erasure: Erasure & Pass): Promise<void> {
  const { subject, scope, deletionId, pass } = erasure
  const userNames = [subject.user_id, subject.email, subject.address].filter(
    (name) => name !== undefined,
  )
  let rows = 0
  const changes: {
    readonly condition: string
    readonly hash: number
    readonly projectId: number
  }[] = []
  const replaced: { readonly projectId: number; readonly hash: number }[] = []
  for (const projectId of scope.projectNumbers) {
    for (const name of userNames) {
      const hash = userHash(projectId as ProjectId, `${deletionId} ${name === subject.address}`)
      replaced.push({ projectId, hash })
      const condition = `project_id = ${projectId} and user_hash = ${userHash(projectId as ProjectId, name)}`
      const found = await countRows(ctx.clickhouse, 'sessions', condition)
      if (found === 0) continue
      rows += found
      changes.push({ condition, hash, projectId })
    }
  }
  if (rows > 0) {
    await setCountOnce(ctx.pg, deletionId, { table: clickHouseCountName('sessions', pass), rows })
  }
  for (const { condition, hash } of changes) {
    // A user of session sums has a row whose id is the hash. Ids are part of the key, so such a row
    // is copied; a repeated copy is merged with the first one.
    await ctx.clickhouse.command({
      query: `insert into sessions select * replace (
          toUUID('${uuidOf(hash)}') as sid, toUInt64(${hash}) as user_hash)
        from (select * from sessions where ${condition} and weight = 0)`,
    })
    await mutate(ctx, 'sessions', `delete where ${condition} and weight = 0`)
    await mutate(ctx, 'sessions', `update user_hash = ${hash} where ${condition}`)
  }
  // Also when no session was changed now: an earlier attempt may have ended here.
  for (const one of replaced) await forgetSummedDays(ctx, one)
}

const lockPollMs = 1_000
const lockAttemptsMax = 120

/**
 * Sums of days contain the hashes of users. Those of the days of the new hash are deleted and made
 * again from the sessions.
 */
async function forgetSummedDays(
  ctx: ErasureContext,
  { projectId, hash }: { readonly projectId: number; readonly hash: number },
): Promise<void> {
  const found = await select<{ day: number }>(
    ctx.clickhouse,
    `select distinct toUInt32(toDate(hour)) as day from sessions
     where project_id = ${projectId} and user_hash = ${hash} order by day`,
  )
  const days = found.map(({ day }) => day)
  if (days.length === 0) return
  // No sum is being made of the sessions of before while the mutation begins, so it sees all.
  const begin = (client: PoolClient) => forgetDays(client, ctx.clickhouse, { projectId, days })
  for (let attempt = 1; !(await withSessionDays(ctx.pg, begin)); attempt += 1) {
    if (attempt >= lockAttemptsMax) throw new Error('the sums of session days stay locked')
    await ctx.sleep(lockPollMs, ctx.signal)
    ctx.signal.throwIfAborted()
  }
  await waitForMutations(ctx, 'session_days')
}

function uuidOf(hash: number): string {
  const hex = hash.toString(16).padStart(32, '0')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
