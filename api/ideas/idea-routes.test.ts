import { beforeEach, describe, expect, test } from 'vitest'
import { Idea, IdeaList, SimilarIdeas } from '#schemas/rest/portal/idea.ts'
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

  test('has exactly the documented fields of an idea', async () => {
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

  test('orders by votes, then newest first, and pages without a gap', async () => {
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

  test('an unknown query parameter is ignored', async () => {
    expect((await ask('/ideas?foo=bar&limit=100')).status).toBe(200)
  })

  test('a project never lists feedback of another one', async () => {
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
    ['a character too many in each',  'dark modes',      ['Dark mode']],
    ['a missing character',           'ark mode',        ['Dark mode']],
    ['a wrong one, and an exact word','expert csv',      ['Export to CSV']],
    ['a wrong one at the start',      'bark mode',       ['Dark mode']],
    ['a typo in a short word',        'cvs',             []],
    ['a typo beside a foreign word',  'drak confetti',   []],
    ['a typo in another script',      'тёмнаа тема',     ['Тёмная тема']],
    ['another script, in small',      'тёмная',          ['Тёмная тема']],
    ['the middle of Japanese text',   '機能',             ['検索機能を改善']],
    ['a particle in a description',   '探せる',           ['検索機能を改善']],
    ['an emoji',                      '🎉',               ['Party 🎉']],
    ['signs of a pattern',            '%_%',             []],
  ] as const)('%s', async (_name, words, want) => {
    expect(await titles(`search=${encodeURIComponent(words)}`)).toEqual(want)
  })

  test('no similar ideas are listed if only another filter excludes the matches', async () => {
    expect(await titles('search=dark&status=Planned')).toEqual([])
  })

  test('a title with typing errors is preferred to titles that are only similar', async () => {
    await add({ title: 'Remember number1389' })
    await add({ title: 'Remember number1388' })
    expect(await titles('search=nunber1389')).toEqual(['Remember number1389'])
    expect(await titles('search=nunber1389&offset=1')).toEqual([])
    expect(await titles(`search=${'x'.repeat(100)}`)).toEqual([])
  })

  test('a language finds stems and exact words', async () => {
    await setSettings(api().pool, tenant, { searchLanguage: 'english' })
    api().time.nowMs += 10_000
    await add({ title: 'Faster running tests', description: 'x' })
    expect(await titles('search=run test')).toEqual(['Faster running tests'])
    expect(await titles('search=running')).toEqual(['Faster running tests'])
  })

  test('similar ideas share words or have a similar title, most similar first', async () => {
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

describe('moderation', () => {
  const suggest = (title: string, description = 'x', user = 'ada') =>
    ask('/ideas/suggest', { method: 'POST', body: { title, description, enduser_id: user } })

  test('every read shows a pending idea to its author only', async () => {
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

  test('a comment with many links is pending without moderation', async () => {
    const links = 'https://a.test '.repeat(6)
    const { body } = await suggest('Buy this', links)
    expect((await ask(`/ideas/${body.idea_id}`)).status).toBe(404)
  })
})

test('tags and statistics count published ideas', async () => {
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
