import { describe, expect, test } from 'vitest'
import { bulkIssuesMax } from '#schemas/rest/issue-merge.ts'
import { apiOfThisFile, at, type Tenant } from '../../../test/fixtures/api-fixture.ts'

const api = apiOfThisFile()

async function count(tenant: Tenant, query?: string) {
  const rest = query === undefined ? '' : `?query=${encodeURIComponent(query)}`
  return api().of(tenant, `/issues/count${rest}`)
}

async function matchedBy(tenant: Tenant, query: string): Promise<number> {
  const body = { query, change: { priority: 'high' } }
  return (await api().of(tenant, '/issues/bulk', { method: 'POST', body })).body.matched
}

describe('GET issues/count', () => {
  test('counts the issues that a bulk change with the same query changes', async () => {
    const tenant = await api().tenant('Count')
    for (const name of ['a', 'b', 'c'])
      await api().addIssue(tenant, { title: name, hashes: [name] })
    await api().addIssue(tenant, { title: 'two hashes', hashes: ['d1', 'd2'] })
    await api().addIssue(tenant, { title: 'done', status: 'resolved', hashes: ['e'] })
    await api().addEvents(
      tenant,
      ['a', 'd1', 'd2', 'e'].map((hash, index) => ({
        id: `${index}`,
        hash,
        environment: 'live',
        receivedAt: at(-90 - 3_000 * index),
      })),
    )
    // biome-ignore format: the columns are the point
    const cases = [
      ['',                              5],
      ['is:unresolved',                 4],
      ['is:resolved title:"two hashes"', 0],
      ['environment:live',              3],
      ['environment:live is:unresolved', 2],
      ['environment:test',              0],
    ] as const
    for (const [query, want] of cases) {
      const { body } = await count(tenant, query)
      expect([query, body]).toEqual([query, { count: want, is_exact: true }])
      expect([query, await matchedBy(tenant, query)]).toEqual([query, want])
    }
    expect((await count(tenant)).body).toEqual({ count: 5, is_exact: true })
  })

  test('a period is of issues and of their events, for the count and for the change', async () => {
    const tenant = await api().tenant('Count since')
    const [old, recent] = [at(-90_000), at(-60)] as const
    const since = at(-3_600)
    const add = (name: string, lastSeen: string) =>
      api().addIssue(tenant, { title: name, hashes: [name], firstSeen: old, lastSeen })
    const id = await add('a', old)
    await add('b', recent)
    await add('c', recent)
    const event = { environment: 'live', receivedAt: recent }
    await api().addEvents(tenant, [
      { ...event, id: '1', hash: 'b' },
      // The issue was seen since, but not in this environment.
      { ...event, id: '2', hash: 'c', receivedAt: old },
    ])
    // biome-ignore format: the columns are the point
    const cases = [
      ['',                 2],
      ['environment:live', 1],
      ['environment:test', 0],
    ] as const
    for (const [query, want] of cases) {
      const found = await api().of(tenant, `/issues/count?query=${query}&since=${since}`)
      const body = { query, since, change: { priority: 'high' } }
      const changed = await api().of(tenant, '/issues/bulk', { method: 'POST', body })
      expect([query, found.body.count, changed.body.matched]).toEqual([query, want, want])
      const { body: list } = await api().of(tenant, `/issues?query=${query}&since=${since}`)
      expect([query, list.items.length]).toEqual([query, want])
    }
    const refused = await api().of(tenant, '/issues/bulk', {
      method: 'POST',
      body: { ids: [id], since, change: { priority: 'high' } },
    })
    expect(refused.body.details).toEqual([{ field: 'since', rule: 'must come with query' }])
  })

  test('stops at the number of issues that one request changes', async () => {
    const tenant = await api().tenant('Count many')
    const first = await api().addIssue(tenant, { hashes: ['first'] })
    // Triggers of the table make this slow, so few are added at once.
    const addedAtOnce = 1_000
    const add = async (from: number, to: number) => {
      for (let start = from; start <= to; start += addedAtOnce)
        await addSome(start, Math.min(to, start + addedAtOnce - 1))
    }
    const addSome = (from: number, to: number) =>
      api().pool.query(
        `insert into issues select (jsonb_populate_record(i, jsonb_build_object(
             'id', gen_random_uuid(), 'short_no', i.short_no + n))).*
         from issues i, generate_series(${from}, ${to}) n where i.id = '${first}'`,
      )
    await add(1, bulkIssuesMax - 1)
    expect((await count(tenant)).body).toEqual({ count: bulkIssuesMax, is_exact: true })
    await add(bulkIssuesMax, bulkIssuesMax)
    expect((await count(tenant)).body).toEqual({ count: bulkIssuesMax, is_exact: false })
  })

  test('an invalid search is refused like that of the list, and a merged issue does not count', async () => {
    const tenant = await api().tenant('Count refused')
    const a = await api().addIssue(tenant, { hashes: ['a'] })
    const b = await api().addIssue(tenant, { hashes: ['b'] })
    await api().of(tenant, `/issues/${a}/merge`, { method: 'POST', body: { into: b } })
    expect((await count(tenant, '')).body).toEqual({ count: 1, is_exact: true })
    for (const query of ['is:unknown', 'times_seen:many', '"open']) {
      const list = await api().of(tenant, `/issues?query=${encodeURIComponent(query)}`)
      const { status, body } = await count(tenant, query)
      expect([query, status, body.details]).toEqual([query, list.status, list.body.details])
    }
  })
})
