import { beforeAll, describe, expect, test } from 'vitest'
import { dashed } from '#schemas/ids.ts'
import { apiOfThisFile, at, hex, type Tenant } from '../../test/fixtures/api-fixture.ts'

const api = apiOfThisFile()

const titles = (answer: { body: { items: { title: string }[] } }) =>
  answer.body.items.map((item) => item.title)

describe('GET issues', () => {
  test('an item has every field, from both stores', async () => {
    const tenant = await api().tenant('Web shop')
    const id = await api().addIssue(tenant, {
      shortNo: 12,
      title: 'TypeError: no id',
      culprit: 'addToCart',
      substatus: 'new',
      triage: 'new',
      triageAt: at(-200),
      count: 4,
      firstSeen: at(-200),
      lastSeen: at(-1),
      release: 'shop@1.4.0',
      hashes: ['a', 'b'],
    })
    await api().addEvents(tenant, [
      { id: '1', hash: 'a', receivedAt: at(-1), user_id: '7', component: 'worker' },
      { id: '2', hash: 'b', receivedAt: at(-2), user_id: '7', environment: 'production' },
      { id: '3', hash: 'b', receivedAt: at(-200), user_email: 'x@y.test', environment: 'dev' },
      { id: '4', hash: 'a', receivedAt: at(-60 * 48) },
    ])
    const answer = await api().of(tenant, '/issues')
    const series = Array.from({ length: 24 }, () => 0)
    series[23] = 2
    series[20] = 1
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({
      items: [
        {
          id,
          short_id: 'WEB-SHOP-12',
          title: 'TypeError: no id',
          culprit: 'addToCart',
          level: 'error',
          platform: 'node',
          status: 'unresolved',
          substatus: 'new',
          assignee: null,
          assignee_team: null,
          priority: 'high',
          resolution: null,
          ignore_until: null,
          escalation: null,
          triage: { reason: 'new', since: at(-200), snoozed_until: null },
          count: 4,
          sampled_count: 0,
          events_expired: false,
          bookmarked: false,
          user_count: 2,
          first_seen: at(-200),
          last_seen: at(-1),
          first_release: 'shop@1.4.0',
          last_release: 'shop@1.4.0',
          components: ['worker'],
          environments: ['dev', 'production'],
          series_24h: series,
        },
      ],
      next_cursor: null,
    })
  })

  describe('filters', () => {
    const ann = '019ab2c4-7f00-7c3e-9d41-5b0f5f7a9e10'
    const ben = '019ab2c4-7f00-7c3e-9d41-5b0f5f7a9e11'
    let tenant: Tenant
    beforeAll(async () => {
      tenant = await api().tenant('Filters')
      await api().pool.query(`insert into people (id, email) values ($1, 'ann@shop.test')`, [ann])
      const seen = (minutes: number) => ({ firstSeen: at(minutes - 10), lastSeen: at(minutes) })
      await api().addIssue(tenant, { title: 'one', level: 'fatal', hashes: ['one'], ...seen(-10) })
      await api().addIssue(tenant, {
        title: 'two',
        status: 'resolved',
        hashes: ['two'],
        ...seen(-20),
      })
      await api().addIssue(tenant, {
        title: '100% of_it',
        culprit: "o'brien",
        substatus: 'regressed',
        hashes: ['three', 'four'],
        ...seen(-30),
      })
      await api().pool.query(`update issues set assignee = $1 where title = 'two'`, [ann])
      await api().addEvents(tenant, [
        { id: 'f1', hash: 'one', environment: 'production', release: 'a@1', component: 'cli' },
        { id: 'f2', hash: 'two', environment: 'production', release: 'a@2' },
        { id: 'f3', hash: 'four', environment: 'staging', release: 'a@2', component: 'cli' },
      ])
    })

    // biome-ignore format: the columns are the point
    test.each([
      ['status',                                'status=resolved',                       ['two']],
      ['substatus',                             'substatus=regressed',                   ['100% of_it']],
      ['level',                                 'level=fatal',                           ['one']],
      ['assignee',                              `assignee=${ann}`,                       ['two']],
      ['assignee in upper case',                `assignee=${ann.toUpperCase()}`,         ['two']],
      ['an assignee who has none',              `assignee=${ben}`,                       []],
      ['no assignee',                           'assignee=none',                         ['one', '100% of_it']],
      ['environment',                           'environment=production',                ['one', 'two']],
      ['release',                               'release=a@2',                           ['two', '100% of_it']],
      ['component, by any hash of the issue',   'component=cli',                         ['one', '100% of_it']],
      ['two facts that one event must share',   'component=cli&environment=production',  ['one']],
      ['a fact and a state together',           'release=a@2&status=resolved',           ['two']],
      ['an environment that nothing has',       'environment=nowhere',                   []],
      ['since',                                 `since=${at(-20)}`,                      ['one', 'two']],
      ['until',                                 `until=${at(-25)}`,                      ['two', '100% of_it']],
      ['text of the title, any case',           'query=TWO',                             ['two']],
      ['text of the culprit',                   "query=o'brien",                         ['100% of_it']],
      ['a percent sign means itself',           'query=100%25',                          ['100% of_it']],
      ['an underscore means itself',            'query=of_it',                           ['100% of_it']],
      ['a wildcard matches nothing else',       'query=t_o',                             []],
      ['an empty query is none',                'query=',                                ['one', 'two', '100% of_it']],
      ['SQL in the text is text',               "query=');drop table issues;--",         []],
      ['SQL in a ClickHouse value is text',     "environment=' or 1=1 --",               []],
      ['a backslash is text',                   'query=%5C',                             []],
      ['a backslash in ClickHouse is text',     'release=%5C',                           []],
    ] as const)('%s', async (_name, query, want) => {
      const answer = await api().of(tenant, `/issues?${query.replaceAll(' ', '%20')}`)
      expect(answer.status).toBe(200)
      expect(titles(answer)).toEqual(want)
    })
  })

  test('each sort is descending, and its cursor visits every issue once', async () => {
    const tenant = await api().tenant('Sorts')
    for (let n = 0; n < 7; n += 1) {
      await api().addIssue(tenant, {
        title: `issue ${n}`,
        count: (n * 3) % 7,
        firstSeen: at(-100 - ((n * 2) % 7)),
        // Two were last seen at one instant, so that the id must decide.
        lastSeen: at(-1 - Math.floor(((n * 5) % 7) / 2)),
        hashes: [`s${n}`],
      })
      const users = Array.from({ length: n % 4 }, (_, user) => `${user}`)
      await api().addEvents(tenant, [
        { id: `s${n}`, hash: `s${n}` },
        ...users.map((user_id) => ({ id: `s${n}${user_id}`, hash: `s${n}`, user_id })),
      ])
    }
    for (const [sort, field] of Object.entries(sortFields)) {
      const pages = await api().pages(tenant, `/issues?limit=2&sort=${sort}`)
      for (const { body } of pages) expect(body.items.length).toBeLessThanOrEqual(2)
      const seen = pages.flatMap(({ body }) => body.items)
      expect(new Set(seen.map((item) => item.title)).size).toBe(7)
      const values = seen.map((item) => item[field])
      expect(values).toEqual([...values].sort((a, b) => (a < b ? 1 : a > b ? -1 : 0)))
    }
  })

  test('sort=trend has the issue first that grew most in the last 24 hours', async () => {
    const tenant = await api().tenant('Trends')
    // Events of the last day, and of the day before.
    const issues = { fades: [1, 4], grows: [4, 1], steady: [2, 2], old: [0, 0] }
    for (const [title, [now, before]] of Object.entries(issues)) {
      await api().addIssue(tenant, { title, hashes: [`t-${title}`] })
      const times = [...Array(now).fill(at(-60)), ...Array(before).fill(at(-60 * 30)), at(-60 * 72)]
      await api().addEvents(
        tenant,
        times.map((receivedAt, n) => ({ id: `t-${title}${n}`, hash: `t-${title}`, receivedAt })),
      )
    }
    const pages = await api().pages(tenant, '/issues?limit=1&sort=trend')
    const names = pages.flatMap((page) => titles(page))
    expect([names[0], names.at(-1), names.length]).toEqual(['grows', 'fades', 4])
  })

  test('new issues do not shift the pages of a list', async () => {
    const tenant = await api().tenant('Arrivals')
    for (let n = 0; n < 6; n += 1)
      await api().addIssue(tenant, { title: `${n}`, lastSeen: at(-n - 1) })
    const first = await api().of(tenant, '/issues?limit=3')
    await api().addIssue(tenant, { title: 'newer', lastSeen: at(0) })
    const second = await api().of(tenant, `/issues?limit=3&cursor=${first.body.next_cursor}`)
    expect([...titles(first), ...titles(second)]).toEqual(['0', '1', '2', '3', '4', '5'])
    expect(second.body.next_cursor).toBeNull()
  })

  // biome-ignore format: the columns are the point
  test.each([
    ['a limit of 0',                    'limit=0',                     'limit'],
    ['a limit of 101',                  'limit=101',                   'limit'],
    ['a limit that is no number',       'limit=many',                  'limit'],
    ['a status that does not exist',    'status=open',                 'status'],
    ['a sort that does not exist',      'sort=priority',               'sort'],
    ['an assignee that is no id',       'assignee=ann',                'assignee'],
    ['a time without an offset',        'since=2026-11-21T00:00:00',   'since'],
    ['a day that does not exist',       'until=2026-02-30T00:00:00Z',  'until'],
    ['a NUL in a text',                 'query=%00',                   'query'],
    ['an empty filter',                 'release=',                    'release'],
    ['a parameter that is not known',   'statuss=resolved',            'statuss'],
    ['a parameter that is given twice', 'level=error&level=fatal',     'level'],
  ] as const)('%s is refused and named', async (_name, query, field) => {
    const tenant = await api().tenant('Refused')
    const { status, body } = await api().of(tenant, `/issues?${query}`)
    expect(status).toBe(400)
    expect(body.code).toBe('validation_failed')
    // biome-ignore lint/suspicious/noExplicitAny: an error as JSON.
    expect(body.details.map((detail: any) => detail.field)).toContain(field)
    expect(body.error).toContain(field)
  })

  test('the error for an unknown sort lists the sorts', async () => {
    const { body } = await api().of(await api().tenant('Sorts'), '/issues?sort=priority')
    expect(body.error).toBe('`sort`: must be one of last_seen, first_seen, count, users, trend.')
  })

  // biome-ignore format: the columns are the point
  test.each([
    ['no JSON',                 'last_seen', 'xx'],
    ['another sort',            'count',     cursor(['last_seen', at(0), '019ab2c4-7f00-7c3e-9d41-5b0f5f7a9e10'])],
    ['SQL for a time',          'last_seen', cursor(['last_seen', "now()'", '019ab2c4-7f00-7c3e-9d41-5b0f5f7a9e10'])],
    ['SQL for an id',           'last_seen', cursor(['last_seen', at(0), "' or 1=1"])],
    ['a list that is too long', 'last_seen', cursor(['last_seen', at(0), '019ab2c4-7f00-7c3e-9d41-5b0f5f7a9e10', 1])],
  ] as const)('a cursor with %s is refused', async (_name, sort, text) => {
    const tenant = await api().tenant('Cursors')
    const { status, body } = await api().of(tenant, `/issues?sort=${sort}&cursor=${text}`)
    expect([status, body.code]).toEqual([400, 'invalid_cursor'])
  })
})

const sortFields = {
  last_seen: 'last_seen',
  first_seen: 'first_seen',
  count: 'count',
  users: 'user_count',
} as const

function cursor(position: unknown): string {
  return Buffer.from(JSON.stringify(position)).toString('base64url')
}

describe('GET issues/{issue_id}', () => {
  test('shows the grouping explanation, the daily series, the tags and the activity', async () => {
    const tenant = await api().tenant('Detail')
    const explanation = {
      algorithm: 'g1',
      path: 'exception-stack',
      summary: 'The same function threw the same type.',
      variants: [
        { name: 'app', hash: hex('d1'), pieces: [['function', 'addToCart']], skipped: [] },
      ],
      replaced: [{ kind: 'int', count: 2 }],
      rules: [],
      notes: [],
    }
    const id = await api().addIssue(tenant, { hashes: ['d2', 'd1'], explanation })
    await api().addEvents(tenant, [
      { id: 'd1', hash: 'd1', tags: { queue: 'orders', os: 'linux' } },
      { id: 'd2', hash: 'd2', tags: { queue: 'orders' } },
      { id: 'd3', hash: 'd2', tags: { queue: 'mail' }, receivedAt: at(-60 * 24) },
      { id: 'd4', hash: 'd2', receivedAt: at(-60 * 24 * 40) },
    ])
    await api().of(tenant, `/issues/${id}`, { method: 'PATCH', body: { status: 'ignored' } })
    const { status, body } = await api().of(tenant, `/issues/${id}`)
    expect(status).toBe(200)
    expect(body).toMatchObject({ id, status: 'ignored', substatus: null })
    expect(body.grouping.version).toBe('g1')
    expect(body.grouping.explanation).toEqual(explanation)
    expect(body.grouping.variables).toEqual([{ kind: 'int', count: 2 }])
    expect(body.grouping.hashes).toHaveLength(2)
    expect(body.grouping.hashes[0]).toMatchObject({ summary: explanation.summary })
    expect(body.series_30d).toHaveLength(30)
    expect(body.series_30d.slice(-2)).toEqual([1, 2])
    expect(body.series_30d.slice(0, -2).every((count: number) => count === 0)).toBe(true)
    expect(body.tags).toEqual({
      queue: [
        { value: 'orders', count: 2 },
        { value: 'mail', count: 1 },
      ],
      os: [{ value: 'linux', count: 1 }],
      level: [{ value: 'error', count: 4 }],
    })
    expect(body.derived_tags).toEqual(['level'])
    expect(body.activity).toEqual([
      {
        issue_id: id,
        kind: 'status',
        actor: { type: 'token', id: tenant.tokenId, label: 'test' },
        data: { from: 'unresolved', to: 'ignored' },
        at: at(0),
      },
    ])
  })

  test('says when none of its events is stored any more, in the list and alone', async () => {
    const tenant = await api().tenant('Expired')
    const expired = await api().addIssue(tenant, { title: 'gone', hashes: ['gone'], count: 6 })
    const stored = await api().addIssue(tenant, { title: 'here', hashes: ['here'], count: 2 })
    const none = await api().addIssue(tenant, { title: 'split', hashes: ['split'], count: 0 })
    await api().addEvents(tenant, [{ id: 'x1', hash: 'here', receivedAt: at(-60 * 24 * 40) }])
    const { body } = await api().of(tenant, '/issues')
    const says = body.items.map((item: { id: string; events_expired: boolean }) => [
      item.id,
      item.events_expired,
    ])
    expect(Object.fromEntries(says)).toEqual({ [expired]: true, [stored]: false, [none]: false })
    for (const [id, isExpired] of says) {
      const alone = await api().of(tenant, `/issues/${id}`)
      expect(alone.body.events_expired).toBe(isExpired)
    }
  })

  test('counts the events that sampled rows represent, in every sum', async () => {
    const tenant = await api().tenant('Sampled')
    const id = await api().addIssue(tenant, { hashes: ['s'], count: 6 })
    await api().pool.query('update issues set sampled_count = 3 where id = $1', [id])
    await api().addEvents(tenant, [
      { id: 's1', hash: 's', tags: { queue: 'a' }, sampled_ids: [dashed(hex('s2'))] },
      { id: 's3', hash: 's', tags: { queue: 'b' }, receivedAt: at(-60 * 24) },
      {
        id: 's4',
        hash: 's',
        tags: { queue: 'c' },
        receivedAt: at(-60),
        sampled_ids: [dashed(hex('s5')), dashed(hex('s6'))],
      },
    ])
    const { body } = await api().of(tenant, `/issues/${id}`)
    expect(body).toMatchObject({ count: 6, sampled_count: 3 })
    expect(body.series_24h.slice(-2)).toEqual([3, 2])
    expect(body.series_30d.slice(-2)).toEqual([1, 5])
    expect(body.tags.queue).toEqual([
      { value: 'c', count: 3 },
      { value: 'a', count: 2 },
      { value: 'b', count: 1 },
    ])
    const events = await api().of(tenant, '/events')
    expect(events.body.items.map((item: { stands_for: number }) => item.stands_for)).toEqual([
      1, 2, 0,
    ])
  })

  test('an explanation of an unknown version is left out without an error', async () => {
    const tenant = await api().tenant('Foreign')
    const id = await api().addIssue(tenant, { hashes: ['foreign'], explanation: { v: 9 } })
    const { status, body } = await api().of(tenant, `/issues/${id}`)
    expect([status, body.grouping.version, body.grouping.explanation]).toEqual([
      200,
      'unknown',
      null,
    ])
  })

  test.each(['x', '019ab2c4-7f00-7c3e-9d41-5b0f5f7a9e10', "'--"])('%s is not there', async (id) => {
    const tenant = await api().tenant('Absent')
    expect((await api().of(tenant, `/issues/${id}`)).status).toBe(404)
    expect((await api().of(tenant, `/issues/${id}/events`)).status).toBe(404)
    const patch = await api().of(tenant, `/issues/${id}`, {
      method: 'PATCH',
      body: { status: 'ignored' },
    })
    expect([patch.status, patch.body.code]).toEqual([404, 'not_found'])
  })
})
