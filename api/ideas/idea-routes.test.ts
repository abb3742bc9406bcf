import { beforeEach, describe, expect, test } from 'vitest'
import { Idea, IdeaList, IdeaReply, SimilarIdeas } from '#schemas/rest/portal/idea.ts'
import { apiOfThisFile, at, type Call, type Tenant } from '../../test/fixtures/api-fixture.ts'
import { addIdea, ipOf, setSettings, tagIdea } from '../../test/fixtures/portal-fixture.ts'

const api = apiOfThisFile()
let tenant: Tenant
let tenantCount = 0

beforeEach(async () => {
  tenantCount += 1
  tenant = await api().tenant(`Portal ${tenantCount}`)
})

/** Each from an address of its own, unless one is given: five votes a minute are soon used up. */
const ask = (path: string, call: Call = {}) =>
  api().call(`/api/v1/p/${tenant.project.projectKey}${path}`, { address: ipOf(), ...call })
const titles = async (query: string) => {
  const { status, body } = await ask(`/ideas?${query}`)
  expect(status, JSON.stringify(body)).toBe(200)
  expect(() => IdeaList.parse(body)).not.toThrow()
  expect(body.has_more).toBe(body.items.length < body.total && !query.includes('offset'))
  return body.items.map((idea: { title: string }) => idea.title)
}
const vote = (ideaId: string, user: string, method: 'POST' | 'DELETE' = 'POST') =>
  method === 'POST'
    ? ask(`/ideas/${ideaId}/vote`, { method, body: { enduser_id: user } })
    : ask(`/ideas/${ideaId}/vote?enduser_id=${user}`, { method })
const add = (idea: Parameters<typeof addIdea>[2] = {}) => addIdea(api().pool, tenant, idea)

describe('the list', () => {
  test('of an empty portal is empty, and has no portal_config', async () => {
    const { status, body } = await ask('/ideas')
    expect([status, body]).toEqual([200, { items: [], has_more: false, total: 0 }])
  })

  test('shows every field of the schema and no other, in the shape that is documented', async () => {
    const id = await add({ title: 'Quote " and \\ and ✓', description: 'two\nlines' })
    await setSettings(api().pool, tenant, { branding: { title: 'Ours' } })
    const { body } = await ask('/ideas?enduser_id=ada')
    expect(Object.keys(body.items[0]).sort()).toEqual(
      Object.keys(Idea.shape)
        .filter((key) => key !== 'moderation')
        .sort(),
    )
    expect(IdeaList.parse(body)).toEqual(body)
    expect(body.items[0]).toMatchObject({
      id,
      title: 'Quote " and \\ and ✓',
      description: 'two\nlines',
      status: 'Open',
      tags: [],
      vote_count: 0,
      user_has_voted: false,
      created_at: at(0),
    })
    expect(body.portal_config).toMatchObject({ title: 'Ours', require_token: false, theme: 'auto' })
  })

  test('orders by votes, then the newest first, and pages without a gap', async () => {
    const [old, top, newer] = [
      await add({ title: 'old', minutes: -3 }),
      await add({ title: 'top', minutes: -2 }),
      await add({ title: 'newer', minutes: -1 }),
    ]
    await vote(top, 'ada')
    expect(await titles('')).toEqual(['top', 'newer', 'old'])
    expect(await titles('sort_by_votes=false')).toEqual(['newer', 'top', 'old'])
    expect(await titles('sort_by_votes=0')).toEqual(['newer', 'top', 'old'])
    const pages = []
    for (let offset = 0; offset < 4; offset += 1) {
      pages.push((await ask(`/ideas?limit=1&offset=${offset}`)).body)
    }
    expect(pages.map(({ items }) => items[0]?.id)).toEqual([top, newer, old, undefined])
    expect(pages.map(({ has_more }) => has_more)).toEqual([true, true, false, false])
    expect(pages.map(({ total }) => total)).toEqual([3, 3, 3, 3])
  })

  test('filters combine; totals follow them', async () => {
    const planned = await add({ title: 'dark planned', status: 'Planned' })
    await add({ title: 'dark open' })
    await add({ title: 'light planned', status: 'Planned' })
    await tagIdea(api().pool, tenant, planned, 'design')
    for (const [query, want] of [
      ['status=Planned', 2],
      ['tag=design', 1],
      ['tag=unknown', 0],
      ['tag=design&status=Open', 0],
      ['tag=design&status=Planned', 1],
      ['search=dark', 2],
      ['search=dark&status=Planned', 1],
      ['search=dark&tag=design&status=Planned', 1],
      ['search=%20%20', 3],
      ['status=Duplicate', 0],
    ] as const) {
      for (const order of ['true', 'false']) {
        for (const who of ['', '&enduser_id=ada']) {
          const { body } = await ask(`/ideas?${query}&sort_by_votes=${order}${who}`)
          expect([query, body.total, body.items.length]).toEqual([query, want, want])
        }
      }
    }
  })

  // biome-ignore format: the columns are the point
  test.each([
    ['a limit of 0',           'limit=0',               'limit'],
    ['a limit above 100',      'limit=101',             'limit'],
    ['a negative limit',       'limit=-1',              'limit'],
    ['a limit that is a word', 'limit=many',            'limit'],
    ['a negative offset',      'offset=-1',             'offset'],
    ['an offset too far out',  'offset=100001',         'offset'],
    ['an order that is a word','sort_by_votes=yes',     'sort_by_votes'],
    ['an unknown status',      'status=Done',           'status'],
    ['a status in small',      'status=open',           'status'],
    ['a search of a book',     `search=${'x'.repeat(10_000)}`, 'search'],
    ['a NUL in a search',      'search=%00',            'search'],
  ] as const)('%s is refused and named', async (_name, query, field) => {
    const { status, body } = await ask(`/ideas?${query}`)
    expect([status, body.code, body.details[0].field]).toEqual([400, 'validation_failed', field])
  })

  test('a query parameter that nobody knows is ignored', async () => {
    expect((await ask('/ideas?foo=bar&limit=100')).status).toBe(200)
  })

  test('one project never shows what is of another', async () => {
    const id = await add({ title: 'theirs' })
    tenant = await api().tenant('Neighbour')
    expect(await titles('')).toEqual([])
    expect(await titles('search=theirs')).toEqual([])
    expect((await ask(`/ideas/${id}`)).status).toBe(404)
    expect((await vote(id, 'ada')).status).toBe(404)
    expect((await ask('/ideas/stats')).body).toEqual({ counts: [], total: 0 })
  })
})

describe('search', () => {
  beforeEach(async () => {
    await add({ title: 'Dark mode', description: 'Für die Nacht im Café' })
    await add({ title: 'Export to CSV', description: 'and JSON, with "quotes"' })
    await add({ title: 'Тёмная тема', description: 'Для ночи' })
    await add({ title: '検索機能を改善', description: '日本語でも探せるように' })
    await add({ title: 'Party 🎉', description: 'confetti' })
  })

  // biome-ignore format: the columns are the point
  test.each([
    ['a word',                        'mode',            ['Dark mode']],
    ['the beginning of the last',     'dark mo',         ['Dark mode']],
    ['not the beginning of another',  'nach caf',        []],
    ['two words from both fields',    'nacht dark',      ['Dark mode']],
    ['words that no idea has both of','dark confetti',   []],
    ['capitals',                      'DARK',            ['Dark mode']],
    ['an accent left out',            'cafe',            ['Dark mode']],
    ['an accent put in',              'CAFÉ',            ['Dark mode']],
    ['a decomposed accent',           'cafe\u0301',      ['Dark mode']],
    ['quotes',                        '"quotes"',        ['Export to CSV']],
    ['signs of a query language',     'dark & | ! :* (', ['Dark mode']],
    ['an apostrophe and backslashes', "dark'\\'",        ['Dark mode']],
    ['nothing but signs',             '& | ! :*',        []],
    ['one character',                 'x',               []],
    ['a typo',                        'drak mode',       ['Dark mode']],
    ['a typo in another script',      'тёмнаа тема',     ['Тёмная тема']],
    ['another script, in small',      'тёмная',          ['Тёмная тема']],
    ['the middle of Japanese text',   '機能',             ['検索機能を改善']],
    ['a particle in a description',   '探せる',           ['検索機能を改善']],
    ['an emoji',                      '🎉',               ['Party 🎉']],
    ['signs of a pattern',            '%_%',             []],
  ] as const)('%s', async (_name, words, want) => {
    expect(await titles(`search=${encodeURIComponent(words)}`)).toEqual(want)
  })

  test('where only another filter keeps out what has the words, nothing alike takes its place', async () => {
    expect(await titles('search=dark&status=Planned')).toEqual([])
  })

  test('a language finds stems, and the words as they are', async () => {
    await setSettings(api().pool, tenant, { searchLanguage: 'english' })
    api().time.nowMs += 10_000
    await add({ title: 'Faster running tests', description: 'x' })
    expect(await titles('search=run test')).toEqual(['Faster running tests'])
    expect(await titles('search=running')).toEqual(['Faster running tests'])
  })

  test('similar ideas are those with some of the words or a like title, the most alike first', async () => {
    await add({ title: 'Dark mode for the mobile app' })
    const { body } = await ask('/ideas/similar?title=a%20drak%20mode')
    expect(() => SimilarIdeas.parse(body)).not.toThrow()
    expect(body.items.map(({ title }: { title: string }) => title)).toEqual([
      'Dark mode',
      'Dark mode for the mobile app',
    ])
    expect((await ask('/ideas/similar?title=%20')).body).toEqual({ items: [] })
    expect((await ask('/ideas/similar')).status).toBe(400)
  })
})

describe('votes', () => {
  test('move as the specification says, each way twice', async () => {
    const id = await add()
    const moves = []
    for (const method of ['POST', 'POST', 'DELETE', 'DELETE', 'POST'] as const) {
      const { status, body } = await vote(id, 'ada', method)
      expect(status).toBe(200)
      moves.push(body.result)
    }
    expect(moves).toEqual(['created', 'already_voted', 'removed', 'not_voted', 'created'])
    const { body } = await ask(`/ideas/${id}?enduser_id=ada`)
    expect(() => IdeaReply.parse(body)).not.toThrow()
    expect([body.feature.vote_count, body.feature.user_has_voted]).toEqual([1, true])
    expect((await ask(`/ideas/${id}?enduser_id=bob`)).body.feature.user_has_voted).toBe(false)
    expect('user_has_voted' in (await ask(`/ideas/${id}`)).body.feature).toBe(false)
  })

  test('200 of one user at the same time: one is created, and the count is 1', async () => {
    const id = await add()
    const answers = await Promise.all(Array.from({ length: 200 }, () => vote(id, 'ada')))
    const results = answers.map(({ body }) => body.result)
    expect(results.filter((result) => result === 'created')).toHaveLength(1)
    expect(results.filter((result) => result === 'already_voted')).toHaveLength(199)
    expect((await ask(`/ideas/${id}`)).body.feature.vote_count).toBe(1)
  })

  test('count on closed ideas as well', async () => {
    const id = await add({ status: 'Declined' })
    expect((await vote(id, 'ada')).body.result).toBe('created')
  })

  test('for a duplicate count for the idea that it duplicates', async () => {
    const into = await add({ title: 'into' })
    const id = await add({ title: 'from', duplicateOf: into })
    expect((await vote(id, 'ada')).body.result).toBe('created')
    expect((await vote(into, 'ada')).body.result).toBe('already_voted')
    const { body } = await ask(`/ideas?enduser_id=ada`)
    expect(
      body.items.map((idea: Idea) => [idea.title, idea.vote_count, idea.user_has_voted]),
    ).toEqual([
      ['into', 1, true],
      ['from', 0, true],
    ])
    expect(body.items[1].duplicate_of).toBe(into)
    expect((await vote(id, 'ada', 'DELETE')).body.result).toBe('removed')
  })

  // biome-ignore format: the columns are the point
  test.each([
    ['no user',           {},                                          400, 'validation_failed'],
    ['a blank user',      { enduser_id: '  ' },                        400, 'validation_failed'],
    ['a long user',       { enduser_id: 'x'.repeat(256) },             400, 'validation_failed'],
    ['a number as user',  { enduser_id: 7 },                           400, 'validation_failed'],
    ['an odd address',    { enduser_id: 'a', enduser_email: 'a@@b' },  400, 'validation_failed'],
  ] as const)('%s is refused', async (_name, body, status, code) => {
    const answer = await ask(`/ideas/${await add()}/vote`, { method: 'POST', body })
    expect([answer.status, answer.body.code]).toEqual([status, code])
  })

  test('for what is no idea are 404, and leave no user behind', async () => {
    for (const id of ['nonsense', '019ab2c4-7f00-7c3e-9d41-5b0f5f7a9e10']) {
      expect((await vote(id, 'nobody')).status).toBe(404)
      expect((await vote(id, 'nobody', 'DELETE')).status).toBe(404)
      expect((await ask(`/ideas/${id}`)).status).toBe(404)
    }
    const { rowCount } = await api().pool.query(
      `select from endusers where enduser_id = 'nobody' and project_id = $1`,
      [tenant.project.id],
    )
    expect(rowCount).toBe(0)
  })

  test('the sixth within a minute is refused, and taking back counts too', async () => {
    const id = await add()
    const address = ipOf()
    const statuses = []
    for (const method of ['POST', 'DELETE', 'POST', 'DELETE', 'POST', 'DELETE'] as const) {
      const path = `/ideas/${id}/vote?enduser_id=ada`
      const call = { method, address, ...(method === 'POST' && { body: { enduser_id: 'ada' } }) }
      statuses.push((await ask(path, call)).status)
    }
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429])
    expect((await ask(`/ideas/${id}`, { address })).status).toBe(200)
  })
})

describe('suggestions', () => {
  const suggest = (body: object) => ask('/ideas/suggest', { method: 'POST', body })
  const whole = { title: ' Dark\n mode ', description: 'At night', enduser_id: 'ada' }

  test('become ideas that their author has not voted for', async () => {
    const { status, body } = await suggest(whole)
    expect([status, Object.keys(body)]).toEqual([201, ['idea_id']])
    const { feature } = (await ask(`/ideas/${body.idea_id}?enduser_id=ada`)).body
    expect(feature).toMatchObject({ title: 'Dark mode', status: 'Open', user_has_voted: false })
    expect((await vote(body.idea_id, 'ada')).body.result).toBe('created')
    const timeline = (await ask(`/ideas/${body.idea_id}/timeline`)).body.items
    expect(timeline).toEqual([
      { kind: 'created', from_status: null, to_status: 'Open', at: expect.any(String) },
    ])
  })

  test('of the same title by the same user are one within ten minutes', async () => {
    const ids = await Promise.all(Array.from({ length: 5 }, () => suggest(whole)))
    expect(new Set(ids.map(({ body }) => body.idea_id)).size).toBe(1)
    const other = await suggest({ ...whole, enduser_id: 'bob' })
    expect(other.body.idea_id).not.toBe(ids[0]!.body.idea_id)
    api().time.nowMs += 10 * 60_000 + 1
    expect((await suggest(whole)).body.idea_id).not.toBe(ids[0]!.body.idea_id)
  })

  // biome-ignore format: the columns are the point
  test.each([
    ['no title',               { title: undefined },             'title'],
    ['a blank title',          { title: ' \n ' },                'title'],
    ['a title too long',       { title: 'x'.repeat(201) },       'title'],
    ['no description',         { description: undefined },       'description'],
    ['a blank description',    { description: ' ' },             'description'],
    ['a description too long', { description: 'x'.repeat(10_001) }, 'description'],
    ['no user',                { enduser_id: undefined },        'enduser_id'],
    ['an odd address',         { enduser_email: 'nobody' },      'enduser_email'],
  ] as const)('with %s are refused and leave nothing', async (_name, change, field) => {
    const { status, body } = await suggest({ ...whole, ...change })
    expect([status, body.details[0].field]).toEqual([400, field])
    expect((await ask('/ideas')).body.total).toBe(0)
  })

  test('are refused where the portal takes none, and beyond its ceiling of an hour', async () => {
    await setSettings(api().pool, tenant, { branding: { allow_suggestions: false } })
    expect((await suggest(whole)).body.code).toBe('suggestions_closed')
    tenant = await api().tenant('Ceiling')
    await setSettings(api().pool, tenant, { suggestionsPerHourMax: 1 })
    expect((await suggest(whole)).status).toBe(201)
    const full = await suggest({ ...whole, title: 'Another' })
    expect([full.status, full.body.details[0].field]).toEqual([429, 'suggest_portal'])
    expect(Number(full.headers['retry-after'])).toBeGreaterThan(0)
    api().time.nowMs += (Number(full.headers['retry-after']) + 1) * 1000
    expect((await suggest({ ...whole, title: 'Another' })).status).toBe(201)
  })

  test('of one address never use up what the portal takes of all', async () => {
    tenant = await api().tenant('Greedy')
    await setSettings(api().pool, tenant, { suggestionsPerHourMax: 8 })
    const send = (number: number, address: string) =>
      ask('/ideas/suggest', {
        ...{ method: 'POST', address },
        body: { title: `Idea ${number}`, description: 'x', enduser_id: `user ${number}` },
      })
    const greedy = '10.255.0.1'
    for (let number = 1; number <= 30; number += 1) {
      api().time.nowMs += 61_000
      const answer = await send(number, greedy)
      expect(answer.status).toBe(number <= 2 ? 201 : 429)
      if (answer.status === 201) continue
      expect(answer.body.details[0].field).toBe('suggest_hour')
      expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0)
    }
    // The portal's own ceiling was never reached, and what it refuses costs the address nothing.
    const others = [31, 32, 33, 34, 35, 36].map((number) => send(number, `10.255.1.${number}`))
    const statuses = (await Promise.all(others)).map(({ status }) => status)
    expect(statuses).toEqual([201, 201, 201, 201, 201, 201])
    const refused = await send(40, '10.255.2.1')
    expect([refused.status, refused.body.details[0].field]).toEqual([429, 'suggest_portal'])
  })
})

describe('moderation', () => {
  const suggest = (title: string, description = 'x', user = 'ada') =>
    ask('/ideas/suggest', { method: 'POST', body: { title, description, enduser_id: user } })

  test('a pending idea is there for its author alone, in every read', async () => {
    await setSettings(api().pool, tenant, { moderation: 'ideas' })
    const published = await add({ title: 'Dark theme' })
    const pending = (await suggest('Dark mode')).body.idea_id
    const seenBy = async (who: string) => {
      const query = who === '' ? '' : `enduser_id=${who}`
      const list = (await ask(`/ideas?${query}`)).body
      const search = (await ask(`/ideas?search=dark&${query}`)).body
      const newest = (await ask(`/ideas?sort_by_votes=false&status=Open&${query}`)).body
      const one = await ask(`/ideas/${pending}?${query}`)
      const ids = [list, search, newest].map(({ items }) => items.map(({ id }: Idea) => id))
      return { ids, totals: [list.total, search.total, newest.total], status: one.status, list }
    }
    for (const who of ['', 'bob']) {
      const seen = await seenBy(who)
      expect(seen).toMatchObject({ totals: [1, 1, 1], status: 404 })
      expect(seen.ids.flat()).not.toContain(pending)
    }
    const own = await seenBy('ada')
    expect(own).toMatchObject({ totals: [2, 2, 2], status: 200 })
    expect(own.ids.every((ids) => ids.includes(pending) && ids.includes(published))).toBe(true)
    expect(own.list.items.find(({ id }: Idea) => id === pending).moderation).toBe('pending')
    expect((await ask('/ideas/stats')).body).toEqual({
      counts: [{ status: 'Open', count: 1 }],
      total: 1,
    })
    expect((await vote(pending, 'bob')).status).toBe(404)
    expect((await vote(pending, 'ada')).status).toBe(200)
  })

  test('many links wait for a moderator where nothing else does', async () => {
    const links = 'https://a.test '.repeat(6)
    const { body } = await suggest('Buy this', links)
    expect((await ask(`/ideas/${body.idea_id}`)).status).toBe(404)
  })
})

test('tags and stats count what everybody sees', async () => {
  const one = await add()
  await add({ status: 'Planned' })
  const hidden = await add({ moderation: 'pending' })
  await tagIdea(api().pool, tenant, one, 'design')
  await tagIdea(api().pool, tenant, hidden, 'design')
  expect((await ask('/tags')).body).toEqual({
    tags: [{ slug: 'design', name: 'design', color: '#3355ff', idea_count: 1 }],
  })
  expect((await ask('/ideas/stats')).body).toEqual({
    counts: [
      { status: 'Open', count: 1 },
      { status: 'Planned', count: 1 },
    ],
    total: 2,
  })
})
