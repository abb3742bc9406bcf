/** Each policy of a table whose rows the table-driven job deletes, at the exact end of its time. */
import { runMigrations } from 'graphile-worker'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Pool } from '#platform/postgres.ts'
import type { RowExpiry } from '#schemas/retention/policy.ts'
import { daysOf } from '#schemas/retention/policy.ts'
import { postgresPolicies } from '#schemas/retention/postgres-policies.ts'
import { usePostgres } from '../../test/fixtures/processes/use-postgres.ts'
import { insertAnyRow, type RowValues } from '../../test/fixtures/workers/any-row.ts'
import { defaultRetention } from '../../test/fixtures/workers/default-retention.ts'
import { batchSql, deleteExpiredRows, walkSql } from './expired-row-store.ts'

let pg: Pool
usePostgres((fixture) => {
  pg = fixture.pg
})

const dayMs = 86_400_000
// Midnight, because the time of some tables is a date.
const now = new Date('2027-03-01T00:00:00.000Z')
const running = new AbortController().signal

const rules = Object.entries(postgresPolicies).filter(
  (entry): entry is [string, RowExpiry] =>
    entry[1].kind === 'expires' && entry[1].by === 'rows' && !entry[0].includes('.'),
)

/** A generated column cannot be written; this one decides it. */
const writtenColumns: Readonly<Record<string, string>> = { releases: 'last_event_at' }

/** Makes a row of a table with exceptions one that may go. */
const companions: Readonly<Record<string, (row: Record<string, unknown>) => Promise<unknown>>> = {
  contact_events: ({ contact_id, kind }) =>
    insertAnyRow(pg, 'contact_events', { contact_id, kind, at: now }),
}
const deletable: Readonly<Record<string, RowValues>> = {
  notification_deliveries: { state: 'delivered' },
  portal_notices: { sent_at: now },
  releases: { event_count: 1 },
}

async function sizes(): Promise<Record<string, number>> {
  const { rows } = await pg.query<{ table: string }>(
    `select relname as table from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'`,
  )
  const counts: Record<string, number> = {}
  for (const { table } of rows) {
    const { rows: counted } = await pg.query(`select count(*)::int as n from ${table}`)
    counts[table] = counted[0].n
  }
  // Not a table that the policy is about.
  delete counts['sweep_positions']
  return counts
}

function expire(table: string, expiry: RowExpiry, signal = running) {
  return deleteExpiredRows({ pg, now, days: defaultRetention, signal }, table, expiry)
}

async function isDate(table: string, column: string): Promise<boolean> {
  const { rows } = await pg.query(
    `select atttypid = 'date'::regtype as is_date from pg_attribute where attrelid = $1::regclass and attname = $2`,
    [table, column],
  )
  return rows[0].is_date
}

/** A trigger lists the objects of removed rows, which a sweep removes later. */
const listsRemoved: Readonly<Record<string, string>> = { event_attachments: 'attachment_removals' }

describe.each(rules)('%s', (table, expiry) => {
  test('rows go when their time is over, not a moment earlier, and nothing else goes', async () => {
    const column = writtenColumns[table] ?? expiry.from
    const stepMs = (await isDate(table, column)) ? dayMs : 1
    const endMs = now.getTime() - daysOf(expiry.age, defaultRetention) * dayMs
    for (const fromMs of [endMs - stepMs, endMs, endMs + stepMs]) {
      const row = await insertAnyRow(pg, table, {
        ...deletable[table],
        [column]: new Date(fromMs),
      })
      await companions[table]?.(row)
    }
    const before = await sizes()
    expect(await expire(table, expiry)).toBe(1)
    const list = listsRemoved[table]
    const listed = list === undefined ? {} : { [list]: before[list]! + 1 }
    expect(await sizes()).toEqual({ ...before, ...listed, [table]: before[table]! - 1 })
    const { rows } = await pg.query(`select ${column} as at from ${table} order by 1`)
    expect(rows[0].at.getTime()).toBe(endMs)
    expect(await expire(table, expiry)).toBe(0)
    await pg.query(`delete from ${table}`)
  })

  test('an aborted run deletes nothing, and a later one everything', async () => {
    const column = writtenColumns[table] ?? expiry.from
    const row = await insertAnyRow(pg, table, { ...deletable[table], [column]: new Date(0) })
    await companions[table]?.(row)
    expect(await expire(table, expiry, AbortSignal.abort())).toBe(0)
    expect(await expire(table, expiry)).toBe(1)
    await pg.query(`delete from ${table}`)
  })

  test('a row that a transaction has locked is left to the next run', async () => {
    const column = writtenColumns[table] ?? expiry.from
    const row = await insertAnyRow(pg, table, { ...deletable[table], [column]: new Date(0) })
    await companions[table]?.(row)
    const client = await pg.connect()
    try {
      await client.query('begin')
      await client.query(`select from ${table} where ${column} = 'epoch' for update`)
      expect(await expire(table, expiry)).toBe(0)
      await client.query('rollback')
    } finally {
      client.release()
    }
    expect(await expire(table, expiry)).toBe(1)
    await pg.query(`delete from ${table}`)
  })

  test('no statement reads the whole table', async () => {
    const statements =
      expiry.search.by === 'walk'
        ? [walkSql(table, expiry, false), walkSql(table, expiry, true)]
        : [batchSql(table, expiry)]
    for (const sql of statements) expect(await seqScansOf(sql, expiry)).not.toContain(table)
  })
})

/** The tables that the statement reads in full although the planner avoids it where it can. */
async function seqScansOf(sql: string, { search }: RowExpiry): Promise<string[]> {
  const samples = {
    uuid: '00000000-0000-0000-0000-000000000000',
    bigint: '0',
    bytea: '\\x00',
    text: '',
    timestamptz: 'epoch',
  }
  const after = search.by === 'walk' ? Object.values(search.key).map((type) => samples[type]) : []
  const values = [now, 30, 90, 1_000, ...(sql.includes('$5') ? after : [])]
  const client = await pg.connect()
  try {
    await client.query('begin')
    await client.query('set local enable_seqscan = off')
    await client.query('set local enable_sort = off')
    const { rows } = await client.query(`explain (format text) ${sql}`, values)
    const plan: string = rows.map((row) => row['QUERY PLAN']).join('\n')
    return [...plan.matchAll(/Seq Scan on (\w+)/g)].map((match) => match[1]!)
  } finally {
    await client.query('rollback')
    client.release()
  }
}

test('a project that keeps its events longer than releases keeps its releases as long', async () => {
  const expiry = postgresPolicies['releases'] as RowExpiry
  const years = { retention_days: 1_000 }
  const project = await insertAnyRow(pg, 'projects', { settings: years })
  const project_id = project['dsn_id']
  for (const days of [1_001, 999, 400]) {
    const last_event_at = new Date(now.getTime() - days * dayMs)
    await insertAnyRow(pg, 'releases', { project_id, version: `${days}`, last_event_at })
  }
  expect(await expire('releases', expiry)).toBe(1)
  const { rows } = await pg.query('select version from releases where project_id = $1 order by 1', [
    project_id,
  ])
  expect(rows.map(({ version }) => version)).toEqual(['400', '999'])
  await pg.query('delete from releases')
})

describe('What proves something stays', () => {
  const old = new Date(0)

  test('of a contact: every confirmation, and the newest event of each kind', async () => {
    const { id: contact_id } = await insertAnyRow(pg, 'contacts')
    const add = (kind: string, at: Date) =>
      insertAnyRow(pg, 'contact_events', { contact_id, kind, at })
    await add('confirmed', old)
    await add('confirmed', new Date(1))
    await add('signup', old)
    await add('signup', new Date(1))
    await add('unsubscribed', old)
    const expiry = postgresPolicies['contact_events'] as RowExpiry
    expect(await expire('contact_events', expiry)).toBe(1)
    const { rows } = await pg.query(
      'select kind, at from contact_events where contact_id = $1 order by kind, at',
      [contact_id],
    )
    expect(rows.map(({ kind, at }) => [kind, at.getTime()])).toEqual([
      ['confirmed', 0],
      ['confirmed', 1],
      ['signup', 1],
      ['unsubscribed', 0],
    ])
  })

  test('of a suppressed address: the newest report that counted', async () => {
    const suppressed = { suppressed_at: old, suppression_cause: 'hard' }
    const { id: address_id } = await insertAnyRow(pg, 'addresses', suppressed)
    const { id: other } = await insertAnyRow(pg, 'addresses')
    const add = (ms: number, values: RowValues) =>
      insertAnyRow(pg, 'bounce_reports', { received_at: new Date(ms), ...values })
    await add(1, { address_id, event_id: 'first' })
    await add(2, { address_id, event_id: 'cause' })
    await add(3, { address_id, event_id: 'uncounted', counted: false })
    await add(4, { address_id: other, event_id: 'other' })
    const expiry = postgresPolicies['bounce_reports'] as RowExpiry
    expect(await expire('bounce_reports', expiry)).toBe(2)
    const { rows } = await pg.query('select event_id from bounce_reports order by received_at')
    expect(rows.map(({ event_id }) => event_id)).toEqual(['cause', 'uncounted'])
  })

  test('waiting notifications, running imports and unfinished deletions', async () => {
    for (const [table, column] of [
      ['portal_notices', 'created_at'],
      ['contact_imports', 'created_at'],
      ['issue_deletions', 'requested_at'],
    ] as const) {
      await insertAnyRow(pg, table, { [column]: old })
      expect(await expire(table, postgresPolicies[table] as RowExpiry)).toBe(0)
    }
  })
})

describe('Jobs that failed', () => {
  beforeAll(async () => {
    await runMigrations({ pgPool: pg })
  })

  test('are deleted a month after their last attempt; others stay', async () => {
    await pg.query(
      `select graphile_worker.add_job(name, max_attempts := 3) from unnest(array['failed', 'recent', 'waiting']) name`,
    )
    await pg.query(
      `update graphile_worker._private_jobs job set attempts = case task.identifier when 'waiting' then 2 else 3 end,
         updated_at = case task.identifier when 'recent' then $1::timestamptz else 'epoch' end
       from graphile_worker._private_tasks task where task.id = job.task_id`,
      [now],
    )
    const table = 'graphile_worker._private_jobs'
    expect(await expire(table, postgresPolicies[table] as RowExpiry)).toBe(1)
    const { rows } = await pg.query(
      'select task_identifier as task from graphile_worker.jobs order by 1',
    )
    expect(rows.map(({ task }) => task)).toEqual(['recent', 'waiting'])
  })
})

test('a large table is deleted in statements of a bounded number of rows, and a killed run goes on', async () => {
  const { id } = await insertAnyRow(pg, 'issues')
  await pg.query(
    `insert into issue_activity (issue_id, kind, actor, at)
     select $1, 'status', '{}', 'epoch' from generate_series(1, 12000)`,
    [id],
  )
  const stopping = new AbortController()
  const changed: number[] = []
  const connect = async () => {
    const client = await pg.connect()
    const query = async (sql: string, values?: unknown[]) => {
      const result = await client.query(sql, values)
      if (/delete from issue_activity/.test(sql)) {
        changed.push(result.rows[0].expired)
        if (changed.length === 2) stopping.abort()
      }
      return result
    }
    return { query, release: (error?: Error) => client.release(error) }
  }
  const query = (sql: string, values: unknown[]) => pg.query(sql, values)
  const watched = { connect, query } as unknown as Pool
  const expiry = postgresPolicies['issue_activity'] as RowExpiry
  const ctx = { pg: watched, now, days: defaultRetention }
  const killed = await deleteExpiredRows(
    { ...ctx, signal: stopping.signal },
    'issue_activity',
    expiry,
  )
  expect([killed, changed]).toEqual([10_000, [5_000, 5_000]])
  expect(await deleteExpiredRows({ ...ctx, signal: running }, 'issue_activity', expiry)).toBe(2_000)
})
