/** Expiry of addresses, outcomes and tracking hits, and the clock that all jobs go by. */
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { type ClickHouseClient, createClickHouse } from '#platform/clickhouse.ts'
import { systemClock } from '#platform/clock.ts'
import { CorrectedClock } from '#platform/clock-check/corrected-clock.ts'
import { createLogger } from '#platform/logger.ts'
import type { Pool } from '#platform/postgres.ts'
import { usePostgres } from '../../test/fixtures/processes/use-postgres.ts'
import { insertAnyRow, type RowValues } from '../../test/fixtures/workers/any-row.ts'
import { defaultRetention } from '../../test/fixtures/workers/default-retention.ts'
import { retentionJobs } from '../jobs/retention-jobs.ts'
import { expireEmails } from '../mail/email-retention.ts'
import { createWorkerMetrics } from '../metrics.ts'
import { expireAddresses } from './address-expiry-store.ts'
import { endOfMonth, expireOutcomes } from './outcome-expiry-store.ts'
import { retentionTime } from './retention-time-store.ts'
import { estimateRows } from './table-size-store.ts'

let pg: Pool
let clickhouse: ClickHouseClient
usePostgres((fixture) => {
  pg = fixture.pg
  clickhouse ??= createClickHouse(fixture.stores.clickhouseUrl, 'test')
})
afterAll(async () => {
  await clickhouse?.close()
})

const dayMs = 86_400_000
const now = new Date('2027-03-01T12:00:00.000Z')
const daysAgo = (days: number) => new Date(now.getTime() - days * dayMs)
const running = new AbortController().signal

describe('Addresses', () => {
  const expire = (signal = running) => expireAddresses(pg, { now, days: 400, signal })
  const address = (email_key: string, values: RowValues = {}) =>
    insertAnyRow(pg, 'addresses', { email_key, created_at: daysAgo(500), ...values })
  const left = async () => {
    const { rows } = await pg.query('select email_key from addresses order by 1')
    return rows.map(({ email_key }) => email_key)
  }

  beforeEach(async () => {
    await pg.query('delete from addresses')
  })

  test('go when nothing refers to them and their time is over, not a moment earlier', async () => {
    const end = daysAgo(400).getTime()
    await address('earlier', { created_at: new Date(end - 1) })
    await address('exactly', { created_at: new Date(end) })
    await address('sent to', { last_sent_at: new Date(end) })
    await address('sent to long ago', { last_sent_at: new Date(end - 1) })
    await address('suppressed', { suppressed_at: daysAgo(500), suppression_cause: 'hard' })
    for (const table of ['contacts', 'sends', 'bounce_reports', 'data_requests']) {
      const { id } = await address(`of ${table}`)
      const purpose = table === 'data_requests' ? { purpose: 'export' } : {}
      await insertAnyRow(pg, table, { address_id: id, ...purpose })
    }
    expect(await expire(AbortSignal.abort())).toBe(0)
    expect(await expire()).toBe(2)
    expect(await left()).toEqual([
      'exactly',
      'of bounce_reports',
      'of contacts',
      'of data_requests',
      'of sends',
      'sent to',
      'suppressed',
    ])
  })

  test('that an email is being stored for stay, and the email with them', async () => {
    const { id, organization_id } = await address('used now')
    const client = await pg.connect()
    try {
      await client.query('begin')
      await client.query(
        `insert into sends (id, organization_id, address_id, kind, priority, from_address, to_address, subject, text)
         values (gen_random_uuid(), $1, $2, 'transactional', 1, 'a', 'b', 's', 't')`,
        [organization_id, id],
      )
      expect(await expire()).toBe(0)
      await client.query('commit')
    } finally {
      client.release()
    }
    expect(await expire()).toBe(0)
    expect(await left()).toEqual(['used now'])
  })
})

describe('Outcomes', () => {
  test('go by whole months, when the month ended longer ago than they are kept', async () => {
    const hours = ['2025-12-31 23:00:00', '2026-01-31 23:00:00', '2026-02-01 00:00:00']
    await clickhouse.insert({
      table: 'outcomes',
      format: 'JSONEachRow',
      values: hours.map((hour) => ({ project_id: 1, hour, outcome: 'accepted', quantity: 5 })),
    })
    const left = async () => {
      const result = await clickhouse.query({
        query: 'select toString(hour) as hour from outcomes order by hour',
        format: 'JSONEachRow',
      })
      return (await result.json<{ hour: string }>()).map(({ hour }) => hour)
    }
    // January 2026 ended 365 days before this moment.
    const at = Date.UTC(2027, 1, 1)
    const expire = (ms: number, signal = running) =>
      expireOutcomes(clickhouse, { now: new Date(ms), days: 365, signal })
    expect(await expire(at + dayMs, AbortSignal.abort())).toBe(0)
    expect(await expire(at)).toBe(1)
    expect(await left()).toEqual(hours.slice(1))
    expect(await expire(at + 1)).toBe(1)
    expect(await left()).toEqual(hours.slice(2))
    // A late correction makes the month again.
    await clickhouse.insert({
      table: 'outcomes',
      format: 'JSONEachRow',
      values: [{ project_id: 1, hour: hours[0], outcome: 'accepted', quantity: -5 }],
    })
    expect(await expire(at + 1)).toBe(1)
    expect(await left()).toEqual(hours.slice(2))
  })

  test.each([
    ['202612', Date.UTC(2027, 0, 1)],
    ['202602', Date.UTC(2026, 2, 1)],
    ['202613', undefined],
    ['20261', undefined],
    ["202601' or 1", undefined],
  ])('the end of %s', (month, end) => {
    expect(endOfMonth(month)).toBe(end)
  })
})

test('expired hits go, and the clicks of each link stay as numbers', async () => {
  const { id: campaign_id } = await insertAnyRow(pg, 'campaigns')
  await insertAnyRow(pg, 'campaign_links', { campaign_id, link_index: 0 })
  const hit = (at: Date, values: RowValues) =>
    insertAnyRow(pg, 'tracking_hits', { campaign_id, at, kind: 'click', link_index: 0, ...values })
  const end = daysAgo(400).getTime()
  await hit(new Date(end - 1), { machine: false })
  await hit(new Date(end - 1), { machine: true })
  await hit(new Date(end - 1), { kind: 'open', link_index: null, machine: false })
  await hit(new Date(end), { machine: false })
  const counted: Record<string, number> = {}
  await expireEmails(pg, now, {
    hitDays: 400,
    report: (table, rows) => {
      counted[table] = rows
    },
  })
  expect(counted['tracking_hits']).toBe(3)
  const { rows } = await pg.query(
    `select expired_clicks::int as clicks, expired_clicks_machine::int as machine,
       (select count(*)::int from tracking_hits) as hits from campaign_links`,
  )
  expect(rows).toEqual([{ clicks: 2, machine: 1, hits: 1 }])
})

describe('The jobs', () => {
  const days = (count: number) => count * dayMs

  function jobsAt(offsetMs: number) {
    const metrics = createWorkerMetrics()
    const machineClock = { ...systemClock, nowMs: () => systemClock.nowMs() + offsetMs }
    const log = createLogger('test', 'silent')
    const { rowsExpired, deadLettersExpired } = metrics
    const jobs = retentionJobs({
      ...{ pg, clickhouse, machineClock, log, days: defaultRetention, signal: running },
      ...{ rowsExpired, deadLettersExpired },
    })
    return { jobs, metrics }
  }

  test('delete nothing while the clock of the process differs from that of Postgres', async () => {
    const { organization_id } = await insertAnyRow(pg, 'audit_log')
    await pg.query('update audit_log set at = now() where organization_id = $1', [organization_id])
    for (const offsetMs of [days(3_000), -days(1)]) {
      for (const { run, task } of jobsAt(offsetMs).jobs) {
        await expect(run(), task).rejects.toThrow(/clocks .* differ by -?\d+ s/)
      }
    }
    const { rowCount } = await pg.query('select from audit_log where organization_id = $1', [
      organization_id,
    ])
    expect(rowCount).toBe(1)
  })

  test('delete nothing by a clock that follows Postgres, also when Postgres is a year ahead', async () => {
    const aheadMs = days(365)
    const ahead = {
      query: async () => ({ rows: [{ ms: systemClock.nowMs() + aheadMs }] }),
    } as unknown as Pool
    const followed = new CorrectedClock(systemClock)
    followed.adjust(systemClock.nowMs() + aheadMs - systemClock.monotonicMs())
    await expect(retentionTime(ahead, followed)).rejects.toThrow('the clock of the machine')
    await expect(retentionTime(ahead, systemClock)).rejects.toThrow('differ by -31536000 s')
  })

  test('count what they deleted by table', async () => {
    await pg.query('delete from audit_log')
    await insertAnyRow(pg, 'audit_log', { at: new Date(0) })
    await insertAnyRow(pg, 'audit_log', { at: new Date(0) })
    const { jobs, metrics } = jobsAt(0)
    for (const { run } of jobs) await run()
    const { values } = await metrics.rowsExpired.get()
    expect(values.find(({ labels }) => labels.table === 'audit_log')?.value).toBe(2)
  })

  test('go on with other tables when one fails', async () => {
    await insertAnyRow(pg, 'person_links', { expires_at: new Date(0) })
    await pg.query('alter table audit_log rename to audit_log_away')
    await pg.query('create view audit_log as select 1 as nothing')
    try {
      const { jobs } = jobsAt(0)
      const rows = jobs.find(({ task }) => task === 'expire_rows')!
      await expect(rows.run()).rejects.toThrow('table audit_log: ')
      expect((await pg.query('select from person_links')).rowCount).toBe(0)
    } finally {
      await pg.query('drop view audit_log')
      await pg.query('alter table audit_log_away rename to audit_log')
    }
  })
})

test('sizes of tables are those that Postgres estimates', async () => {
  await pg.query('delete from person_links')
  await insertAnyRow(pg, 'person_links')
  await pg.query('analyze person_links')
  expect(await estimateRows(pg)).toContainEqual({ table: 'person_links', rows: 1 })
})
