/** Runs deletions as a worker does, on the stores of an API fixture. */
import { pause, systemClock } from '#platform/clock.ts'
import { deletionPorts, type RemovalContext } from '../../workers/removals/deletion-ports.ts'
import { type DeletionPorts, runDeletion } from '../../workers/removals/run-deletion.ts'
import type { ApiFixture } from '../fixtures/api-fixture.ts'

export async function portsOf(
  api: ApiFixture,
  ends: Partial<RemovalContext['ends']> = {},
): Promise<DeletionPorts> {
  return deletionPorts({
    pg: api.pool,
    clickhouse: api.clickhouse,
    clock: systemClock,
    sleep: pause,
    signal: new AbortController().signal,
    ends: { layout: { first: 0, partitions: 0 }, lastSeq: async () => 0, graceMs: 0, ...ends },
  })
}

/** Runs one deletion to its end. */
export async function finishDeletionOf(api: ApiFixture, id: string): Promise<void> {
  const end = await runDeletion(await portsOf(api), id)
  if (end !== 'done') throw new Error(`the deletion is ${end}`)
}

/** Ends at the given call of a port, as a killed process does. */
export function killedAt(ports: DeletionPorts, call: number): DeletionPorts {
  let calls = 0
  const dying = <Args extends unknown[], Result>(port: (...args: Args) => Promise<Result>) =>
    (async (...args: Args) => {
      calls += 1
      if (calls === call) throw new Error('killed before')
      const result = await port(...args)
      calls += 1
      if (calls === call) throw new Error('killed after')
      return result
    }) as typeof port
  return {
    ...ports,
    finishStep: dying(ports.finishStep),
    enter: dying(ports.enter),
    finish: dying(ports.finish),
    checkStream: dying(ports.checkStream),
    stepsOf: (deletion) =>
      ports.stepsOf(deletion).map(({ name, run }) => ({ name, run: dying(run) })),
  }
}

/** The number of rows of every table of both stores. */
export async function countAll(api: ApiFixture): Promise<Record<string, number>> {
  const { rows } = await api.pool.query<{ name: string }>(
    `select table_name as name from information_schema.tables
     where table_schema = 'public' and table_type = 'BASE TABLE' order by 1`,
  )
  const counts: Record<string, number> = {}
  for (const { name } of rows) {
    const counted = await api.pool.query<{ n: number }>(`select count(*) as n from "${name}"`)
    counts[name] = counted.rows[0]!.n
  }
  for (const name of ['events', 'sessions', 'session_days', 'outcomes']) {
    const answer = await api.clickhouse.query({
      query: `select toUInt32(count()) as n from ${name}`,
      format: 'JSONEachRow',
    })
    counts[`clickhouse.${name}`] = (await answer.json<{ n: number }>())[0]!.n
  }
  return counts
}
