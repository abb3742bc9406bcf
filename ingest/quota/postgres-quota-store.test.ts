import { describe, expect, test } from 'vitest'
import type { Pool } from '#platform/postgres.ts'
import type { ProjectId } from '#schemas/ids.ts'
import { quotaLeaseUnitsMax } from '#schemas/limits.ts'
import { usePostgres } from '../../test/fixtures/processes/use-postgres.ts'
import { ask, grant, newInstance, period, projectWith } from '../../test/fixtures/quota-fixture.ts'
import { PostgresQuotaStore } from './postgres-quota-store.ts'

let pool: Pool
let store: PostgresQuotaStore
usePostgres(({ pg }) => {
  pool = pg
  store = new PostgresQuotaStore(pg)
})

async function usedOf(projectId: ProjectId): Promise<number> {
  const text = 'select used from quota_usage where project_id = $1 and period = $2'
  const { rows } = await pool.query(text, [projectId, period])
  return rows[0]?.used ?? 0
}

async function leasesOf(projectId: ProjectId) {
  const text = 'select units, seen, state from quota_leases where project_id = $1 order by lease_no'
  return (await pool.query(text, [projectId])).rows
}

test('a grant tells what remained before it, and is announced if it leaves little', async () => {
  const limited = await projectWith(pool, 100)
  const unlimited = await projectWith(pool, null)
  const client = await pool.connect()
  const heard: string[] = []
  client.on('notification', ({ payload }) => heard.push(payload ?? ''))
  const instance = newInstance()
  await store.touchInstance(instance)
  const wanting = (unitsWanted: number, unitsNeeded = 1) =>
    grant(store, instance, ask(limited, { unitsWanted, unitsNeeded }))
  try {
    await client.query('listen quota_limits')
    expect(await wanting(20)).toMatchObject({ units: 20, remaining: 100 })
    expect(await grant(store, instance, ask(unlimited))).toMatchObject({ remaining: undefined })
    await client.query('select 1')
    // Exactly four blocks are left.
    expect(heard).toEqual([])
    expect(await wanting(16)).toMatchObject({ units: 16, remaining: 80 })
    await client.query('select 1')
    expect(heard).toEqual([])
    expect(await wanting(16)).toMatchObject({ units: 16, remaining: 64 })
    await expect.poll(() => heard).toEqual([String(limited)])
    expect(await wanting(1, 48)).toMatchObject({ units: 48, remaining: 48 })
    await expect.poll(() => heard).toHaveLength(2)
    // Nothing is left to be returned by others that would not be returned anyway.
    expect(await wanting(16)).toMatchObject({ units: 0, remaining: 0 })
    await client.query('select 1')
    expect(heard).toHaveLength(2)
  } finally {
    client.release(true)
    // The size of a block depends on the number of instances.
    await store.settleInstance(instance)
  }
})

describe('units of a month', () => {
  test('are returned at a cost that does not grow with the leases of the instance', async () => {
    const projectId = await projectWith(pool, null)
    const client = await pool.connect()
    try {
      await client.query('begin')
      const instance = newInstance()
      await client.query(
        'insert into quota_usage (project_id, period, used) values ($1, $2, 5000)',
        [projectId, period],
      )
      const { rows } = await client.query<{ lease_no: number }>(
        `insert into quota_leases (project_id, period, boot_id, request_no, units)
         select $1, $2, $3, n, 1 from generate_series(1, 5000) n returning lease_no`,
        [projectId, period, instance],
      )
      const leaseNos = rows.map(({ lease_no }) => lease_no)
      // After five calls Postgres may use a generic plan.
      for (let from = 0; from < 1000; from += 100) {
        const returned = leaseNos.slice(from, from + 100)
        const charges = returned.map(() => 1)
        await client.query('select give_back_quota($1, $2, $3)', [instance, returned, charges])
      }
      const { rows: read } = await client.query<{ count: number }>(
        `select seq_tup_read + idx_tup_fetch as count from pg_stat_xact_user_tables where relname = 'quota_leases'`,
      )
      expect(read[0]!.count).toBeGreaterThan(0)
      expect(read[0]!.count).toBeLessThan(10_000)
    } finally {
      await client.query('rollback')
      client.release()
    }
  })

  test('fifty concurrent requests never exceed the limit, and get the last unit', async () => {
    const projectId = await projectWith(pool, 101)
    const instance = newInstance()
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => grant(store, instance, ask(projectId, { unitsNeeded: 3 }))),
    )
    const units = answers.map((answer) => answer.units)
    expect(units.reduce((sum, count) => sum + count, 0)).toBe(101)
    expect(units.filter((count) => count === 3)).toHaveLength(33)
    expect(units.filter((count) => count === 2)).toHaveLength(1)
    expect(await usedOf(projectId)).toBe(101)
  })

  test('a block is a fourth of the remaining units for one process, an eighth for two, and at least one unit', async () => {
    const projectId = await projectWith(pool, 100)
    const [instance, other] = [newInstance(), newInstance()]
    await store.touchInstance(instance)
    const wants = () => ask(projectId, { unitsNeeded: 0, unitsWanted: 1000 })
    expect((await grant(store, instance, wants())).units).toBe(25)
    await store.touchInstance(other)
    expect((await grant(store, instance, wants())).units).toBe(10)
    let last = 0
    for (let units = 10; units > 0; ) {
      last = units
      units = (await grant(store, instance, wants())).units
    }
    expect(last).toBe(1)
    expect(await usedOf(projectId)).toBe(100)
    await store.settleInstance(instance)
    await store.settleInstance(other)
  })

  test('waiting events are granted even beyond the share of one process', async () => {
    const projectId = await projectWith(pool, 100)
    const request = ask(projectId, { unitsNeeded: 60, unitsWanted: 1000 })
    expect((await grant(store, newInstance(), request)).units).toBe(60)
  })

  test('a limit takes effect when it is lowered, raised, removed and set again', async () => {
    const projectId = await projectWith(pool, 10)
    const instance = newInstance()
    const setLimit = (limit: number | null) =>
      pool.query('update projects set monthly_events = $2 where dsn_id = $1', [projectId, limit])
    const takes = async (unitsNeeded: number) =>
      (await grant(store, instance, ask(projectId, { unitsNeeded }))).units
    expect(await takes(8)).toBe(8)
    await setLimit(5)
    expect(await takes(1)).toBe(0)
    await setLimit(9)
    expect(await takes(2)).toBe(1)
    await setLimit(null)
    expect(await takes(500)).toBe(500)
    expect(
      await grant(store, instance, ask(projectId, { unitsWanted: quotaLeaseUnitsMax })),
    ).toMatchObject({
      units: quotaLeaseUnitsMax,
      limits: { monthlyEvents: undefined },
    })
    await setLimit(100)
    expect(await takes(1)).toBe(0)
    expect(await usedOf(projectId)).toBe(9 + 500 + quotaLeaseUnitsMax)
  })

  test('a repeated request gets the same lease, also when both run concurrently', async () => {
    const projectId = await projectWith(pool, 100)
    const instance = newInstance()
    const request = ask(projectId, { unitsNeeded: 7 })
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => grant(store, instance, request)),
    )
    expect(new Set(answers.map((answer) => answer.leaseNo)).size).toBe(1)
    expect(answers.map((answer) => answer.units)).toEqual([7, 7, 7, 7, 7])
    expect(await usedOf(projectId)).toBe(7)
    await store.giveBack(instance, [{ leaseNo: answers[0]!.leaseNo, charged: 2 }])
    expect(await grant(store, instance, request)).toMatchObject({ leaseNo: 0, units: 0 })
    expect(await usedOf(projectId)).toBe(2)
  })

  test('answers are in the order of the requests, and a deleted project gets no units', async () => {
    const [first, second] = [await projectWith(pool, 10), await projectWith(pool, 20)]
    const answers = await store.grant(newInstance(), [
      ask(second, { unitsNeeded: 2 }),
      ask(999_999 as ProjectId),
      ask(first, { unitsNeeded: 3 }),
    ])
    expect(answers.map(({ units, limits }) => [units, limits.monthlyEvents])).toEqual([
      [2, 20],
      [0, 0],
      [3, 10],
    ])
  })

  test('a grant contains the limits of a minute', async () => {
    const projectId = await projectWith(pool, null)
    await pool.query('update projects set events_per_minute = 7 where dsn_id = $1', [projectId])
    const keyNo = await keyWith(projectId, 3)
    await keyWith(projectId, null)
    expect((await grant(store, newInstance(), ask(projectId))).limits).toEqual({
      monthlyEvents: undefined,
      eventsPerMinute: 7,
      keyEventsPerMinute: new Map([[keyNo, 3]]),
    })
  })
})

describe('a lease', () => {
  test('that is returned twice counts once', async () => {
    const projectId = await projectWith(pool, 100)
    const instance = newInstance()
    const { leaseNo } = await grant(store, instance, ask(projectId, { unitsNeeded: 10 }))
    for (let round = 0; round < 2; round += 1) {
      await store.giveBack(instance, [{ leaseNo, charged: 4 }])
      expect(await usedOf(projectId)).toBe(4)
    }
    expect(await leasesOf(projectId)).toEqual([{ units: 4, seen: 0, state: 'closed' }])
  })

  test('of another process cannot be returned', async () => {
    const projectId = await projectWith(pool, 100)
    const { leaseNo } = await grant(store, newInstance(), ask(projectId, { unitsNeeded: 10 }))
    await store.giveBack(newInstance(), [{ leaseNo, charged: 0 }])
    expect(await usedOf(projectId)).toBe(10)
  })

  test('of a dead instance costs the units that workers have seen, open or closed', async () => {
    const projectId = await projectWith(pool, 100)
    const instance = newInstance()
    await store.touchInstance(instance)
    const open = await grant(store, instance, ask(projectId, { unitsNeeded: 10 }))
    const closed = await grant(store, instance, ask(projectId, { unitsNeeded: 10 }))
    const others = await grant(store, newInstance(), ask(projectId, { unitsNeeded: 10 }))
    await store.giveBack(instance, [{ leaseNo: closed.leaseNo, charged: 6 }])
    await pool.query('update quota_leases set seen = 3 where lease_no = any($1)', [
      [open.leaseNo, closed.leaseNo],
    ])
    expect(await usedOf(projectId)).toBe(26)
    for (let round = 0; round < 2; round += 1) {
      await store.settleInstance(instance)
      expect(await usedOf(projectId)).toBe(16)
    }
    const { rows } = await pool.query('select state from quota_leases where lease_no = $1', [
      others.leaseNo,
    ])
    expect(rows).toEqual([{ state: 'open' }])
    const instances = await pool.query('select settled_at from ingest_boots where boot_id = $1', [
      instance,
    ])
    expect(instances.rows[0].settled_at).toBeInstanceOf(Date)
  })

  test('is not granted to a settled instance until that is touched again', async () => {
    const projectId = await projectWith(pool, 100)
    const instance = newInstance()
    await store.touchInstance(instance)
    await store.settleInstance(instance)
    expect(await grant(store, instance, ask(projectId))).toMatchObject({ leaseNo: 0, units: 0 })
    await store.touchInstance(instance)
    expect((await grant(store, instance, ask(projectId))).units).toBe(1)
  })

  test('is not granted to an instance that was settled before it was first touched', async () => {
    const projectId = await projectWith(pool, 100)
    const instance = newInstance()
    await store.settleInstance(instance)
    expect(await grant(store, instance, ask(projectId))).toMatchObject({ leaseNo: 0, units: 0 })
  })

  test('records the instance that it is granted to, so that it is settled later', async () => {
    const projectId = await projectWith(pool, 100)
    const instance = newInstance()
    expect((await grant(store, instance, ask(projectId))).units).toBe(1)
    await store.settleInstance(instance)
    expect(await grant(store, instance, ask(projectId))).toMatchObject({ leaseNo: 0, units: 0 })
  })

  test('is deleted when all of its events were seen, or when it is settled', async () => {
    const projectId = await projectWith(pool, 100)
    const [instance, settled] = [newInstance(), newInstance()]
    const leases: number[] = []
    for (let count = 0; count < 4; count += 1) {
      leases.push((await grant(store, instance, ask(projectId, { unitsNeeded: 3 }))).leaseNo)
    }
    const [open, seen, unseen, young] = leases
    await grant(store, settled, ask(projectId))
    await store.settleInstance(settled)
    await store.giveBack(
      instance,
      [seen!, unseen!, young!].map((leaseNo) => ({ leaseNo, charged: 2 })),
    )
    await pool.query('update quota_leases set seen = 2 where lease_no = any($1)', [
      [open!, seen!, young!],
    ])
    await pool.query(
      `update quota_leases set granted_at = now() - interval '2 hours'
        where project_id = $1 and lease_no <> $2`,
      [projectId, young!],
    )
    await store.deleteOld(Date.UTC(2100, 0))
    const { rows } = await pool.query(
      'select lease_no from quota_leases where project_id = $1 order by 1',
      [projectId],
    )
    expect(rows.map((row) => row.lease_no)).toEqual([open, unseen, young])
  })

  test('grants, returns and commits of the same projects do not deadlock', async () => {
    const projects = [
      await projectWith(pool, 10_000),
      await projectWith(pool, 10_000),
      await projectWith(pool, null),
    ]
    const instances = [newInstance(), newInstance(), newInstance()]
    const rounds = instances.map(async (instance, index) => {
      for (let round = 0; round < 20; round += 1) {
        const order = index % 2 === 0 ? projects : projects.toReversed()
        const granted = await store.grant(
          instance,
          order.map((projectId) => ask(projectId, { unitsNeeded: 5 })),
        )
        const returns = granted.map(({ leaseNo }) => ({ leaseNo, charged: 1 }))
        // Locks like a commit: leases by number, then usage.
        await pool.query(
          `with leases as (
             select lease_no from quota_leases where lease_no = any($1) order by lease_no for update
           ) update quota_leases set seen = seen + 1 where lease_no in (select lease_no from leases)`,
          [returns.map(({ leaseNo }) => leaseNo)],
        )
        await store.giveBack(instance, returns.toReversed())
      }
    })
    await Promise.all(rounds)
    expect(await Promise.all(projects.map(usedOf))).toEqual([60, 60, 60])
  })
})

describe('units of a minute', () => {
  const minuteMs = Date.UTC(2026, 10, 21, 12, 30)

  test('concurrent requests never exceed the limit, and the next minute starts with all units', async () => {
    const projectId = await projectWith(pool, null)
    await pool.query('update projects set events_per_minute = 20 where dsn_id = $1', [projectId])
    const request = {
      scope: 'project',
      scopeId: projectId,
      minuteMs,
      unitsNeeded: 3,
      unitsWanted: 100,
    } as const
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => store.grantMinutes([request])),
    )
    expect(answers.reduce((sum, [answer]) => sum + answer!.units, 0)).toBe(20)
    const [next] = await store.grantMinutes([{ ...request, minuteMs: minuteMs + 60_000 }])
    expect(next).toEqual({ units: 5, limit: 20 })
    await store.deleteOld(minuteMs + 60_000)
    const { rows } = await pool.query('select minute from quota_minutes where scope_id = $1', [
      projectId,
    ])
    expect(rows).toEqual([{ minute: new Date(minuteMs + 60_000) }])
  })

  test('a key has its own limit or none', async () => {
    const projectId = await projectWith(pool, null)
    const scope = 'key'
    const common = { minuteMs, unitsNeeded: 9, unitsWanted: 9 }
    const answers = await store.grantMinutes([
      { ...common, scope, scopeId: await keyWith(projectId, null) },
      { ...common, scope, scopeId: await keyWith(projectId, 4) },
      { ...common, scope, scopeId: 999_999 },
    ])
    expect(answers).toEqual([
      { units: 0, limit: undefined },
      { units: 4, limit: 4 },
      { units: 0, limit: undefined },
    ])
  })
})

async function keyWith(projectId: ProjectId, perMinute: number | null): Promise<number> {
  const { rows } = await pool.query<{ key_no: number }>(
    `insert into dsn_keys (id, project_id, public_key, events_per_minute)
       select gen_random_uuid(), id, $2, $3 from projects where dsn_id = $1 returning key_no`,
    [projectId, newInstance(), perMinute],
  )
  return rows[0]!.key_no
}
