// cspell:ignore qeue
import { describe, expect, test } from 'vitest'
import { apiOfThisFile, at, hex, type Tenant } from '../../test/fixtures/api-fixture.ts'

const api = apiOfThisFile()

const post = (tenant: Tenant, path: string, body: unknown) =>
  api().of(tenant, path, { method: 'POST', body })

/** Two issues of three events, with one user in common. */
async function twoIssues(name: string) {
  const tenant = await api().tenant(name)
  const times = { firstSeen: at(-300), lastSeen: at(-90) }
  const a = await api().addIssue(tenant, { title: 'a', count: 2, hashes: ['a1', 'a2'], ...times })
  const b = await api().addIssue(tenant, { title: 'b', count: 1, hashes: ['b'] })
  await api().addEvents(tenant, [
    { id: '1', hash: 'a1', user_id: '7', receivedAt: at(-90), tags: { queue: 'x' } },
    { id: '2', hash: 'a1', user_id: '8', receivedAt: at(-90) },
    { id: '3', hash: 'b', user_id: '7', receivedAt: at(-1), component: 'worker' },
  ])
  return { tenant, a, b }
}

describe('POST merge', () => {
  test('counts, users, times, series, tags, events and history move to the other issue', async () => {
    const { tenant, a, b } = await twoIssues('Merge')
    await api().of(tenant, `/issues/${a}`, { method: 'PATCH', body: { status: 'ignored' } })
    const merged = await post(tenant, `/issues/${a}/merge`, { into: b })
    expect(merged.status).toBe(200)
    expect(merged.body).toMatchObject({
      ...{ id: b, count: 3, user_count: 2, first_seen: at(-300), last_seen: at(-1) },
      ...{ title: 'b', components: ['worker'], status: 'unresolved' },
    })
    expect(merged.body.series_24h.slice(-2)).toEqual([2, 1])
    const { body } = await api().of(tenant, '/issues')
    expect(body.items.map(({ id }: { id: string }) => id)).toEqual([b])
    const events = await api().of(tenant, `/issues/${b}/events`)
    expect(events.body.items.map((item: { issue_id: string }) => item.issue_id)).toEqual([b, b, b])
    const detail = (await api().of(tenant, `/issues/${b}`)).body
    expect(detail.tags.queue).toEqual([{ value: 'x', count: 1 }])
    expect(detail.merged_issues).toMatchObject([{ id: a, title: 'a' }])
    const hashes = new Map<string, unknown>(
      detail.grouping.hashes.map((one: { hash: string }) => [one.hash, one]),
    )
    expect(hashes.get(hex('a1'))).toMatchObject({ count: 2, came_from: a })
    expect(hashes.get(hex('a2'))).toMatchObject({ count: 0, came_from: a })
    expect(hashes.get(hex('b'))).toMatchObject({ count: 1, came_from: null })
    expect(
      detail.activity.map(({ kind, issue_id }: Record<string, string>) => [kind, issue_id]),
    ).toEqual(
      expect.arrayContaining([
        ['merged', b],
        ['merged_into', a],
        ['status', a],
      ]),
    )
  })

  test('neither ends an ignored issue nor looks like growth, and a split issue enters the queue', async () => {
    const { tenant, a, b } = await twoIssues('Merge states')
    const state = async (id: string) =>
      (
        await api().pool.query(
          `select count, ignored_until_count, triage_reason, issue_forecasts.issue_id is not null as is_forecast
           from issues left join issue_forecasts on issue_id = id where id = $1`,
          [id],
        )
      ).rows[0]
    await api().pool.query(
      `update issues set status = 'ignored', ignored_until_count = 5 where id = $1`,
      [b],
    )
    await api().pool.query(
      `insert into issue_forecasts (issue_id, made_at, expected, limits)
       select id, now(), array_fill(1, array[168]), array_fill(50, array[168]) from issues where id = any($1)`,
      [[a, b]],
    )
    await post(tenant, `/issues/${a}/merge`, { into: b })
    expect(await state(b)).toMatchObject({ count: 3, ignored_until_count: 7, is_forecast: false })
    await post(tenant, `/issues/${b}/unmerge`, { hashes: [hex('a1'), hex('a2')] })
    expect(await state(b)).toMatchObject({ count: 1, ignored_until_count: 5 })
    await post(tenant, `/issues/${a}/unmerge`, { hashes: [hex('a2')] })
    const { rows } = await api().pool.query(
      `select triage_reason from issues where project_id = (select project_id from issues where id = $1)
       and id <> all($2)`,
      [a, [a, b]],
    )
    expect(rows).toEqual([{ triage_reason: 'new' }])
  })

  test('a merged id redirects reads, refuses writes, and may be merged into its issue again', async () => {
    const { tenant, a, b } = await twoIssues('Merged id')
    await post(tenant, `/issues/${a}/merge`, { into: b })
    const there = `/api/v1/projects/${tenant.project.id}/issues/${b}`
    for (const rest of ['', '/events?limit=2']) {
      const read = await api().of(tenant, `/issues/${a}${rest}`)
      expect([read.status, read.headers['location']]).toEqual([307, there + rest])
      expect(read.body).toMatchObject({ code: 'issue_merged' })
      expect(read.body.error).toContain(b)
    }
    const followed = await api().call(there, { token: tenant.token })
    expect(followed.body).toMatchObject({ id: b, count: 3 })
    const patch = { method: 'PATCH', body: { status: 'resolved' } } as const
    const writes = [
      await api().of(tenant, `/issues/${a}`, patch),
      await api().of(tenant, `/issues/${a}`, { method: 'DELETE' }),
      await post(tenant, `/issues/${a}/unmerge`, { hashes: [hex('a1')] }),
    ]
    for (const write of writes) {
      expect([write.status, write.body.code]).toEqual([409, 'issue_merged'])
      expect(write.body.details[0].rule).toContain(b)
    }
    const again = await post(tenant, `/issues/${a}/merge`, { into: b })
    expect([again.status, again.body.count]).toEqual([200, 3])
    const c = await api().addIssue(tenant, { title: 'c', hashes: ['c'] })
    expect((await post(tenant, `/issues/${a}/merge`, { into: c })).status).toBe(409)
  })

  test('an issue that cannot be merged is refused and named', async () => {
    const { tenant, a, b } = await twoIssues('Refused merges')
    const other = await twoIssues('Other tenant')
    const nobody = '019ab2c4-7f00-7c3e-9d41-5b0f5f7a9e10'
    // biome-ignore format: the columns are the point
    const refusals = [
      [a,       { into: a },         400, 'validation_failed'],
      [a,       { into: nobody },    400, 'validation_failed'],
      [a,       { into: other.a },   400, 'validation_failed'],
      [a,       { into: 'x' },       400, 'validation_failed'],
      [a,       {},                  400, 'validation_failed'],
      [other.a, { into: b },         404, 'not_found'],
      [nobody,  { into: b },         404, 'not_found'],
    ] as const
    for (const [id, body, status, code] of refusals) {
      const answer = await post(tenant, `/issues/${id}/merge`, body)
      expect([answer.status, answer.body.code]).toEqual([status, code])
      if (status === 400) expect(answer.body.details[0].field).toBe('into')
    }
    await post(tenant, `/issues/${a}/merge`, { into: b })
    const back = await post(tenant, `/issues/${b}/merge`, { into: a })
    expect([back.status, back.body.details?.[0]?.rule]).toEqual([400, 'was merged into this issue'])
  })

  test('a merged issue has at most the number of hashes that one query accepts', async () => {
    const tenant = await api().tenant('Many hashes')
    const names = (prefix: string, count: number) =>
      Array.from({ length: count }, (_, index) => `${prefix}${index}`)
    const a = await api().addIssue(tenant, { hashes: names('a', 200) })
    const b = await api().addIssue(tenant, { hashes: names('b', 101) })
    const answer = await post(tenant, `/issues/${a}/merge`, { into: b })
    expect([answer.status, answer.body.code]).toEqual([409, 'conflict'])
  })
})

describe('POST unmerge', () => {
  test('restores the merged issue with its state, and returns the ids of the issues', async () => {
    const { tenant, a, b } = await twoIssues('Unmerge')
    const before = [await api().of(tenant, `/issues/${a}`), await api().of(tenant, `/issues/${b}`)]
    await post(tenant, `/issues/${a}/merge`, { into: b })
    const split = { hashes: [hex('a1').toUpperCase(), hex('a2')] }
    const { status, body } = await post(tenant, `/issues/${b}/unmerge`, split)
    expect(status).toBe(200)
    expect(body.issue).toMatchObject({ id: b, count: 1, user_count: 1 })
    expect(body.issues).toMatchObject([{ id: a, count: 2, user_count: 2 }])
    const after = [await api().of(tenant, `/issues/${a}`), await api().of(tenant, `/issues/${b}`)]
    const rest = ({ body }: (typeof after)[number]) => ({ ...body, activity: undefined })
    expect(after.map(rest)).toEqual(before.map(rest))
    // A repeated request finds it done.
    const again = await post(tenant, `/issues/${b}/unmerge`, split)
    expect([again.status, again.body]).toEqual([200, body])
  })

  test('takes back the bookmarks and links that each merge of a chain has copied', async () => {
    const { tenant, a, b } = await twoIssues('Marks')
    const c = await api().addIssue(tenant, { title: 'c', count: 1, hashes: ['c'] })
    const login = await api().login(tenant)
    const issues = `/api/v1/projects/${tenant.project.id}/issues`
    const link = (issue: string, url: string) =>
      post(tenant, `/issues/${issue}/links`, { url: `https://t.test/${url}` })
    const marksOf = async (issue: string) => {
      const { body } = await api().call(`${issues}/${issue}`, { login })
      const urls = body.links.map(({ url }: { url: string }) => url.slice('https://t.test/'.length))
      return { isBookmarked: body.bookmarked, links: urls.sort().join() }
    }
    await api().call(`${issues}/${a}/bookmark`, { method: 'PUT', login })
    await link(a, 'both')
    await link(a, 'a')
    await link(b, 'both')
    await link(c, 'c')
    await post(tenant, `/issues/${a}/merge`, { into: b })
    expect(await marksOf(b)).toEqual({ isBookmarked: true, links: 'a,both' })
    await post(tenant, `/issues/${b}/merge`, { into: c })
    expect(await marksOf(c)).toEqual({ isBookmarked: true, links: 'a,both,c' })
    await link(c, 'later')
    await post(tenant, `/issues/${c}/unmerge`, { hashes: [hex('b'), hex('a1'), hex('a2')] })
    expect(await marksOf(c)).toEqual({ isBookmarked: false, links: 'c,later' })
    expect(await marksOf(b)).toEqual({ isBookmarked: true, links: 'a,both' })
    await post(tenant, `/issues/${b}/unmerge`, { hashes: [hex('a1'), hex('a2')] })
    expect(await marksOf(b)).toEqual({ isBookmarked: false, links: 'both' })
    expect(await marksOf(a)).toEqual({ isBookmarked: true, links: 'a,both' })
  })

  test('an unknown hash, or all hashes of the issue, are refused and named', async () => {
    const { tenant, a, b } = await twoIssues('Refused splits')
    // biome-ignore format: the columns are the point
    const refusals = [
      [{ hashes: [hex('b')] },               'hashes.0'],
      [{ hashes: [hex('a1'), hex('no')] },   'hashes.1'],
      [{ hashes: [hex('a1'), hex('a2')] },   'hashes'],
      [{ hashes: ['xyz'] },                  'hashes.0'],
      [{ hashes: [] },                       'hashes'],
      [{},                                   'hashes'],
    ] as const
    for (const [body, field] of refusals) {
      const answer = await post(tenant, `/issues/${a}/unmerge`, body)
      expect([answer.status, answer.body.code]).toEqual([400, 'validation_failed'])
      expect(answer.body.details[0].field).toBe(field)
    }
    expect((await api().of(tenant, `/issues/${b}`)).body.count).toBe(1)
  })
})

describe('POST bulk', () => {
  test('changes the given issues, counts the changes, and names the missing ids', async () => {
    const tenant = await api().tenant('Bulk')
    const ids = [
      await api().addIssue(tenant, {}),
      await api().addIssue(tenant, { status: 'resolved' }),
    ]
    const merged = await api().addIssue(tenant, { hashes: ['m'] })
    const into = await api().addIssue(tenant, { hashes: ['n'] })
    await post(tenant, `/issues/${merged}/merge`, { into })
    const foreign = (await twoIssues('Bulk of others')).a
    const body = { ids: [...ids, ids[0], merged, foreign], change: { status: 'resolved' } }
    const answer = await post(tenant, '/issues/bulk', body)
    expect([answer.status, answer.body]).toEqual([
      200,
      { matched: 2, changed: 1, unchanged: 1, missing: [merged, foreign], more: false },
    ])
    expect((await api().of(tenant, `/issues/${ids[0]}`)).body).toMatchObject({
      status: 'resolved',
      activity: [{ kind: 'status', data: { from: 'unresolved', to: 'resolved' } }],
    })
    expect((await api().of(tenant, `/issues/${ids[1]}`)).body.activity).toEqual([])
  })

  test('changes the issues that a query finds, in batches', async () => {
    const tenant = await api().tenant('Bulk query')
    for (let n = 0; n < 7; n += 1) await api().addIssue(tenant, { title: `Timeout ${n}` })
    const other = await api().addIssue(tenant, { title: 'Refused' })
    const change = { status: 'ignored' }
    const answer = await post(tenant, '/issues/bulk', { query: 'Timeout', change })
    expect(answer.body).toEqual({ matched: 7, changed: 7, unchanged: 0, missing: [], more: false })
    expect((await api().of(tenant, `/issues/${other}`)).body.status).toBe('unresolved')
  })

  // biome-ignore format: the columns are the point
  test.each(['qeue:mail', '!qeue:mail', '!has:qeue', 'Timeout OR qeue:mail', '!__proto__:1', '!tags["]:1'])(
    'a query with an unknown name changes nothing: %j',
    async (query) => {
      const tenant = await api().tenant('Bulk names')
      const id = await api().addIssue(tenant, { title: 'Timeout', hashes: ['bn'] })
      await api().addEvents(tenant, [{ id: 'bn', hash: 'bn', tags: { queue: 'mail' } }])
      const answer = await post(tenant, '/issues/bulk', { query, change: { status: 'ignored' } })
      const counted = await api().of(tenant, `/issues/count?query=${encodeURIComponent(query)}`)
      for (const { status, body } of [answer, counted]) {
        expect([status, body.details[0].field]).toEqual([400, 'query'])
        expect(body.details[0].rule).toMatch(/(?:is neither|no event has .+); /)
      }
      expect((await api().of(tenant, `/issues/${id}`)).body.status).toBe('unresolved')
    },
  )

  // biome-ignore format: the columns are the point
  test.each([
    ['neither ids nor query', { change: { status: 'ignored' } },                        'ids'],
    ['both',                  { ids: [], query: '', change: { status: 'ignored' } },    'ids'],
    ['an invalid id',         { ids: ['x'], change: { status: 'ignored' } },            'ids.0'],
    ['no change',             { query: '' },                                            'change'],
    ['an unknown change',     { query: '', change: { status: 'gone' } },                'change.status'],
  ] as const)('%s is refused and named', async (_name, body, field) => {
    const answer = await post(await api().tenant('Bulk refused'), '/issues/bulk', body)
    expect(answer.status).toBe(400)
    // biome-ignore lint/suspicious/noExplicitAny: an error as JSON.
    expect(answer.body.details.map((detail: any) => detail.field)).toContain(field)
  })
})

describe('DELETE', () => {
  test('202 deletes the issue with those merged into it; a repeated request returns the progress', async () => {
    const { tenant, a, b } = await twoIssues('Delete')
    await post(tenant, `/issues/${a}/merge`, { into: b })
    // Many clients send the content type of a body without a body.
    const headers = { 'content-type': 'application/json' }
    const remove = () => api().of(tenant, `/issues/${b}`, { method: 'DELETE', headers })
    const answer = await remove()
    const want = { issue_id: b, status: 'deleting', event_count: 3, requested_at: at(0) }
    expect([answer.status, answer.body]).toEqual([202, want])
    for (const id of [a, b]) expect((await api().of(tenant, `/issues/${id}`)).status).toBe(404)
    expect((await api().of(tenant, '/issues')).body.items).toEqual([])
    expect((await remove()).body).toEqual(want)
    await api().pool.query('update issue_deletions set finished_at = now() where issue_id = $1', [
      b,
    ])
    expect((await remove()).body).toEqual({ ...want, status: 'deleted' })
    const { rows } = await api().pool.query(
      `select count(*)::int as jobs from graphile_worker.jobs where task_identifier = 'delete_issue_events'`,
    )
    expect(rows).toEqual([{ jobs: 1 }])
  })

  test('an issue of another project is 404', async () => {
    const { tenant } = await twoIssues('Delete here')
    const other = await twoIssues('Delete there')
    const answer = await api().of(tenant, `/issues/${other.a}`, { method: 'DELETE' })
    expect(answer.status).toBe(404)
    expect((await api().of(other.tenant, `/issues/${other.a}`)).status).toBe(200)
  })
})
