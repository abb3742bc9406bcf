import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { Pool } from '#platform/postgres.ts'
import type { ProjectId } from '#schemas/ids.ts'
import { usePostgres } from '../../test/fixtures/processes/use-postgres.ts'
import { addProject } from '../../test/fixtures/workers/add-project.ts'
import { TestPartition } from '../../test/fixtures/workers/test-partition.ts'
import type { LeaseCount } from '../digest/lease-tally.ts'

const period = '2026-11-01'
const nextPeriod = '2026-12-01'
let pg: Pool
let project: ProjectId
let lastRequestNo = 0

usePostgres((fixture) => {
  pg = fixture.pg
  project = fixture.project
})

interface NewLease {
  readonly of?: ProjectId
  readonly units?: number
  readonly state?: 'open' | 'closed' | 'settled'
  readonly instance?: string
}

/** Adds a lease as ingest writes it; the units of an open or closed one are counted as used. */
async function addLease(lease: NewLease = {}): Promise<number> {
  const { of = project, units = 100, state = 'open', instance = randomUUID() } = lease
  lastRequestNo += 1
  const { rows } = await pg.query(
    `insert into quota_leases (project_id, period, boot_id, request_no, units, state)
     values ($1, $2, $3, $4, $5, $6) returning lease_no`,
    [of, period, instance, lastRequestNo, units, state],
  )
  await pg.query(
    `insert into quota_usage (project_id, period, used) values ($1, $2, $3)
     on conflict (project_id, period) do update set used = quota_usage.used + excluded.used`,
    [of, period, state === 'settled' ? 0 : units],
  )
  return rows[0].lease_no
}

function count(leaseNo: number, records: number, accepted = records, of = project): LeaseCount {
  return { leaseNo, projectId: of, receivedMonth: period, records, accepted }
}

async function used(of = project): Promise<Record<string, number>> {
  const { rows } = await pg.query(
    'select period::text, used from quota_usage where project_id = $1 order by period',
    [of],
  )
  return Object.fromEntries(rows.map((row) => [row.period, row.used]))
}

async function seen(leaseNo: number): Promise<number> {
  const { rows } = await pg.query('select seen from quota_leases where lease_no = $1', [leaseNo])
  return rows[0].seen
}

describe('A commit', () => {
  // biome-ignore format: the columns are the point
  test.each([
    ['accepted records of an open lease use the granted units        ', 'open',    5, 5, 100],
    ['units of records that became no event are returned             ', 'open',    5, 2, 97],
    ['so are those of a closed lease                                 ', 'closed',  5, 2, 97],
    ['records of a settled lease are charged again                   ', 'settled', 5, 5, 5],
    ['but only those that became events                              ', 'settled', 5, 2, 2],
  ] as const)('%s', async (_name, state, records, accepted, want) => {
    const lease = await addLease({ state })
    const partition = await TestPartition.takeNew(pg)
    await partition.commit({ leases: [count(lease, records, accepted)] })
    expect(await used()).toEqual({ [period]: want })
    expect(await seen(lease)).toBe(records)
  })

  test('adds events without a lease to the usage of their month', async () => {
    const partition = await TestPartition.takeNew(pg)
    const other = { ...count(0, 7, 4), receivedMonth: nextPeriod }
    await partition.commit({ leases: [count(0, 3, 2), other] })
    expect(await used()).toEqual({ [period]: 2, [nextPeriod]: 4 })
  })

  test('counts a lease in the month of the lease, not in that of its records', async () => {
    const lease = await addLease()
    const partition = await TestPartition.takeNew(pg)
    await partition.commit({ leases: [{ ...count(lease, 5, 0), receivedMonth: nextPeriod }] })
    expect(await used()).toEqual({ [period]: 95 })
  })

  test('treats an unknown lease as settled', async () => {
    const partition = await TestPartition.takeNew(pg)
    await partition.commit({ leases: [count(2 ** 40, 5, 3)] })
    expect(await used()).toEqual({ [period]: 3 })
  })

  test('tolerates projects that were deleted', async () => {
    const gone = await addProject(pg)
    const lease = await addLease({ of: gone })
    await pg.query('delete from projects where dsn_id = $1', [gone])
    const partition = await TestPartition.takeNew(pg)
    await partition.commit({
      leases: [count(lease, 5, 3, gone), count(0, 2, 2, gone), count(0, 1)],
    })
    expect(await used(gone)).toEqual({})
    expect(await used()).toEqual({ [period]: 1 })
  })

  test('never makes the usage negative', async () => {
    const lease = await addLease({ units: 1 })
    const partition = await TestPartition.takeNew(pg)
    await partition.commit({ leases: [count(lease, 5, 0)] })
    expect(await used()).toEqual({ [period]: 0 })
  })
})

test('concurrent commits, returns and settlements do not deadlock, and the usage is exact', async () => {
  const projects = [project, await addProject(pg), await addProject(pg)]
  const instances = [randomUUID(), randomUUID()]
  const partitions = await Promise.all([1, 2, 3].map(() => TestPartition.takeNew(pg)))
  for (let round = 0; round < 15; round += 1) {
    const leases = await Promise.all(
      projects.flatMap((of) => instances.map((instance) => addLease({ of, instance, units: 10 }))),
    )
    const owners = projects.flatMap((of) => instances.map(() => of))
    const counts = leases.map((leaseNo, index) => count(leaseNo, 3, 2, owners[index]))
    await Promise.all([
      ...partitions.map((partition, at) =>
        partition.commit({ leases: at % 2 === 0 ? counts : [...counts].reverse() }),
      ),
      pg.query('select give_back_quota($1, $2, $3)', [
        instances[0],
        [...leases].reverse(),
        leases.map(() => 9),
      ]),
      pg.query('select settle_boot($1)', [instances[1]]),
    ])
  }
  // All records were committed, so the unused units of both instances can be returned.
  for (const instance of instances) await pg.query('select settle_boot($1)', [instance])
  for (const of of projects) {
    expect(await used(of)).toEqual({ [period]: 15 * instances.length * partitions.length * 2 })
  }
})
