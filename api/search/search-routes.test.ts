// cspell:ignore enviroment qeue levl queu quue
/**
 * The language of searches over real stores: what each field finds, and that no value is ever a
 * part of a statement.
 */
import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { apiOfThisFile, at, hex, type Tenant } from '../../test/fixtures/api-fixture.ts'
import { describedFields, searchFields } from './search-fields.ts'

const api = apiOfThisFile()
let tenant: Tenant
const ann = '019ab2c4-7f00-7c3e-9d41-5b0f5f7a9e20'

beforeAll(async () => {
  tenant = await api().tenant('Search')
  await api().pool.query(`insert into people (id, email) values ($1, 'ann@find.test')`, [ann])
  await api().addIssue(tenant, {
    ...{ title: 'TypeError: out of memory', culprit: 'cart.js in pay', level: 'fatal', count: 150 },
    ...{ substatus: 'new', release: 'shop@1.0', hashes: ['s1'] },
    ...{ firstSeen: at(-60 * 30), lastSeen: at(-5) },
  })
  await api().addIssue(tenant, {
    ...{ title: '100% of_disk\\used', culprit: 'disk.go in fill', level: 'warning', count: 3 },
    ...{ status: 'resolved', release: 'shop@2.0', hashes: ['s2'] },
    ...{ firstSeen: at(-60), lastSeen: at(-10) },
  })
  await api().addIssue(tenant, {
    ...{ title: "it's * gone", culprit: 'main', level: 'error', count: 1 },
    ...{ status: 'ignored', hashes: ['s3'], firstSeen: at(-30), lastSeen: at(-20) },
  })
  await api().pool.query(
    `with team as (
       insert into teams (id, organization_id, slug, name) values ($1, $2, 'server', 'Back end') returning id
     )
     update issues set assignee_team = team.id, priority = 'low', escalated_at = now(), triage_at = now(),
       triage_reason = 'escalating' from team where title like 'Type%' and project_id = $3`,
    [randomUUID(), tenant.organizationId, tenant.project.dsnId],
  )
  await api().pool.query(
    `update issues set assignee = $1 where title like '100%' and project_id = $2`,
    [ann, tenant.project.dsnId],
  )
  const payload = JSON.stringify({
    transaction: '/checkout',
    request: { url: 'https://shop.test/checkout?x=1', method: 'POST' },
    contexts: {
      browser: { name: 'Firefox' },
      device: { model: 'a "b" größe\\' },
      trace: { trace_id: 'a'.repeat(32) },
    },
  })
  await api().addEvents(tenant, [
    {
      ...{ id: 'e1', hash: 's1', title: 'TypeError: out of memory', level: 'fatal', payload },
      ...{
        release: 'shop@1.0',
        environment: 'production',
        user_email: 'bo@find.test',
        user_id: '7',
      },
      ...{ tags: { queue: 'orders', level: 'high', 'my key': 'a*b' }, receivedAt: at(-5) },
    },
    {
      ...{ id: 'e2', hash: 's1', title: 'TypeError: out of memory', environment: 'dev' },
      ...{ tags: { queue: 'mail' }, receivedAt: at(-60 * 30) },
    },
    {
      ...{
        id: 'e3',
        hash: 's2',
        title: '100% of_disk\\used',
        release: 'shop@2.0',
        level: 'warning',
      },
      ...{ component: 'worker', receivedAt: at(-10) },
    },
    { id: 'e4', hash: 's3', title: "it's * gone", environment: 'dev', receivedAt: at(-20) },
  ])
})

const names = ['e1', 'e2', 'e3', 'e4']
const nameOf = (id: string) => names.find((name) => hex(name) === id) ?? id

async function search(path: 'events' | 'issues', query: string) {
  const { status, body } = await api().of(tenant, `/${path}?query=${encodeURIComponent(query)}`)
  expect([status, body.error]).toEqual([200, undefined])
  return path === 'events'
    ? body.items.map(({ id }: { id: string }) => nameOf(id)).sort()
    : body.items.map(({ title }: { title: string }) => title.slice(0, 4)).sort()
}

describe('a search for events', () => {
  // biome-ignore format: the columns are the point
  test.each([
    ['',                                          ['e1', 'e2', 'e3', 'e4']],
    ['level:fatal',                               ['e1']],
    ['level:[fatal,warning]',                     ['e1', 'e3']],
    ['!level:[fatal,warning]',                    ['e2', 'e4']],
    ['!environment:dev',                          ['e1', 'e3']],
    ['environment:production level:fatal',        ['e1']],
    ['environment:production level:warning',      []],
    ['release:shop@*',                            ['e1', 'e3']],
    ['release:SHOP@*',                            ['e1', 'e3']],
    ['release:SHOP@1.0',                          []],
    ['url:*checkout*',                            ['e1']],
    ['!url:*checkout*',                           ['e2', 'e3', 'e4']],
    ['url:HTTPS://*',                             ['e1']],
    ['url:*shop*=1',                              ['e1']],
    ['device.model:*größe*',                      ['e1']],
    ['device.model:"a \\"b\\" größe\\\\"',       ['e1']],
    ['device.model:*\\"B\\"*',                     []],
    ['http.method:POST transaction:/checkout',    ['e1']],
    ['browser.name:Fire*',                        ['e1']],
    [`trace:${'a'.repeat(32)}`,                   ['e1']],
    ['user.email:bo@find.test',                   ['e1']],
    ['user:id:7',                                 ['e1']],
    ['has:user',                                  ['e1']],
    ['!has:user',                                 ['e2', 'e3', 'e4']],
    ['queue:orders',                              ['e1']],
    ['has:queue',                                 ['e1', 'e2']],
    ['!tags[level]:high',                         ['e2', 'e3', 'e4']],
    ['has:timestamp',                             ['e1', 'e2', 'e3', 'e4']],
    ['!queue:orders',                             ['e2', 'e3', 'e4']],
    ['tags[level]:high',                          ['e1']],
    ['component:worker',                          ['e3']],
    ['memory',                                    ['e1', 'e2']],
    ['OUT OF memory',                             ['e1', 'e2']],
    ['!memory',                                   ['e3', 'e4']],
    ['title:*memory',                             ['e1', 'e2']],
    ['title:*100%*',                              ['e3']],
    ['title:*of_disk*',                           ['e3']],
    ['title:*ofXdisk*',                           []],
    ['title:*disk\\\\used',                       ['e3']],
    ['title:"it\'s \\* gone"',                    ['e4']],
    ['received:-15m',                             ['e1', 'e3']],
    ['received:+15m',                             ['e2', 'e4']],
    ['received:>=2026-11-21T01:20:00Z',           ['e1', 'e3']],
    ['received:<2026-11-21T01:20:00Z',            ['e2', 'e4']],
    ['received:2026-11-21',                       ['e1', 'e3', 'e4']],
    [`id:${hex('e2')}`,                           ['e2']],
    ["queue:\"' or 1=1 --\"",                     []],
    ['queue:{project:UInt64}',                    []],
    ["x'),(1:1",                                  []],
  ])('%s', async (query, want) => {
    expect(await search('events', query)).toEqual(want)
  })
})

describe('a search for issues', () => {
  // biome-ignore format: the columns are the point
  test.each([
    ['',                                          ['100%', 'Type', "it's"]],
    ['is:unresolved',                             ['Type']],
    ['!is:unresolved',                            ['100%', "it's"]],
    ['is:[resolved,ignored]',                     ['100%', "it's"]],
    ['is:new',                                    []],
    ['is:escalating',                             ['Type']],
    ['!is:escalating',                            ['100%', "it's"]],
    ['is:triage',                                 ['Type']],
    ['!is:triage',                                ['100%', "it's"]],
    ['is:assigned',                               ['100%', 'Type']],
    ['is:unassigned',                             ["it's"]],
    ['assigned:#server',                         ['Type']],
    ['assigned:team:SERVER',                     ['Type']],
    ['assigned:[#server,ann@find.test]',         ['100%', 'Type']],
    ['assigned:#frontend',                        []],
    ['!assigned:#server',                        ['100%', "it's"]],
    ['priority:low',                              ['Type']],
    ['priority:[high,medium]',                    ['100%', "it's"]],
    ['assigned:ANN@find.test',                    ['100%']],
    [`assigned:${ann}`,                           ['100%']],
    ['assigned:none',                             ["it's"]],
    ['!assigned:*@find.test',                     ['Type', "it's"]],
    ['times_seen:>100',                           ['Type']],
    ['times_seen:<=3 !times_seen:1',              ['100%']],
    ['age:-24h',                                  ['100%', "it's"]],
    ['age:+24h',                                  ['Type']],
    ['lastSeen:-7m',                              ['Type']],
    ['firstSeen:<2026-11-20',                     ['Type']],
    ['firstSeen:<2026-11-19',                     []],
    ['first_release:shop@*',                      ['100%', 'Type']],
    ['!first_release:shop@1.0',                   ['100%', "it's"]],
    ['level:[fatal,error]',                       ['Type', "it's"]],
    ['title:*100%*',                              ['100%']],
    ['of_disk',                                   ['100%']],
    ['"it\'s"',                                   ["it's"]],
    ['issue:SEARCH-2',                            ['100%']],
    ['environment:dev',                           ['Type', "it's"]],
    ['environment:dev is:unresolved',             ['Type']],
    ['environment:dev queue:mail',                ['Type']],
    ['environment:production queue:mail',         []],
    ['!environment:dev',                          ['100%', 'Type']],
    ['user.email:*@find.test memory',             ['Type']],
    ['has:component',                             ['100%']],
    ["');drop table issues;--",                   []],
    ['title:"\' or true --"',                     []],
    ['level:$1',                                  []],
  ])('%s', async (query, want) => {
    expect(await search('issues', query)).toEqual(want)
  })

  test('works with every sort and with pages', async () => {
    const query = encodeURIComponent('environment:dev')
    for (const sort of ['last_seen', 'first_seen', 'count', 'users']) {
      const pages = await api().pages(tenant, `/issues?query=${query}&sort=${sort}&limit=1`)
      expect(pages.flatMap(({ body }) => body.items)).toHaveLength(2)
    }
  })
})

describe('an invalid search', () => {
  // biome-ignore format: the columns are the point
  test.each([
    ['events', 'level:',                   6,  6,  'must have a value after level:'],
    ['events', 'a "b',                     2,  4, 'must close each " with another one'],
    ['events', 'x level:>error',           8,  14, 'must compare level with a value alone: it is a text'],
    ['events', 'timestamp:yesterday',      10, 19, 'must have a time here'],
    ['events', 'timestamp:2026-02-30',     10, 20, 'must have a time here'],
    ['events', 'has:[a,b]',                4,  9, 'must name one field after has:'],
    ['events', 'x is:unresolved',          2,  15, 'must not ask events for is'],
    ['events', 'has:age',                  4,  7, 'must not ask events for age'],
    ['issues', 'x is:[new,"a b", open] y',  5,  22, 'must be one of unresolved'],
    ['issues', 'is:open',                  3,  7, 'must be one of unresolved'],
    ['issues', 'times_seen:many',          11, 15, 'must have a whole number after times_seen:'],
    ['issues', 'issue:none',               6,  10, 'must have a short id'],
    ['issues', 'environment:>dev',         12, 16, 'must compare environment'],
    ['issues', 'x enviroment:dev',         2,  12, 'did you mean environment?'],
    ['issues', '!status:open',             1,  7,  'did you mean is, http.status_code'],
    ['issues', 'a OR (b',                  5,  6,  'must close each ( with a )'],
    ['issues', 'assigned:me',              9,  11, 'must not be me without a login'],
    ['issues', 'users_seen:20..10',        11, 17, 'must have the smaller number first'],
    ['events', 'error.handled:maybe',      14, 19, 'must be true or false after error.handled:'],
    ['events', 'release:>=main',           8,  14, 'must have a version to compare with'],
    ['events', 'x OR is:unresolved',       5,  18, 'must not ask events for is'],
    ['events', 'has:qeue',                 4,  8,  'did you mean queue?'],
    // Names of properties that every object has.
    ['issues', '__proto__:1',              0,  9,  '__proto__ is neither; GET search/fields'],
    ['events', 'has:constructor',          4,  15, 'constructor is neither; GET search/fields'],
    ['events', 'tags[levl]:high',          0,  10, 'did you mean tags[level]?'],
    ['events', "tags[a')]:1",              0,  9,  'GET search/fields lists the fields'],
    ['events', 'has:"\') or (1=1"',        4,  16, 'GET search/fields lists the fields'],
    ['issues', 'a'.repeat(1_001),          1_000, 1_001, 'must have at most 1000 bytes'],
  ] as const)('in %s?query=%s is pointed at', async (path, query, position, end, rule) => {
    const answer = await api().of(tenant, `/${path}?query=${encodeURIComponent(query)}`)
    expect([answer.status, answer.body.code]).toEqual([400, 'validation_failed'])
    expect(answer.body.error).toContain(`character ${position + 1}`)
    expect(answer.body.details).toEqual([
      { field: 'query', position, end, rule: expect.stringContaining(rule) },
    ])
  })
})

describe('suggestions', () => {
  test('name the keys of tags by how often they occur, and the fields', async () => {
    const { body } = await api().of(tenant, '/tags')
    expect(body.items.slice(0, 3)).toEqual([
      { key: 'queue', count: 2, is_derived: false },
      { key: 'level', count: 1, is_derived: false },
      { key: 'my key', count: 1, is_derived: false },
    ])
    expect(body.fields).toEqual(expect.arrayContaining(['environment', 'user.email', 'times_seen']))
  })

  // biome-ignore format: the columns are the point
  test.each([
    ['queue',        '',     [{ value: 'mail', count: 1 }, { value: 'orders', count: 1 }]],
    ['queue',        'OR',   [{ value: 'orders', count: 1 }]],
    ['environment',  '',     [{ value: 'dev', count: 2 }, { value: 'production', count: 1 }]],
    ['user.email',   'bo@',  [{ value: 'bo@find.test', count: 1 }]],
    ['times_seen',   '',     []],
    ['queue',        'z',    []],
    ['tags[level]',  '',     [{ value: 'high', count: 1 }]],
    ['is',           're',   [{ value: 'resolved', count: null }, { value: 'regressed', count: null }]],
    ['my key',       'a*',   [{ value: 'a*b', count: 1 }]],
  ])('of the values of %s that begin with %j', async (key, prefix, want) => {
    const path = `/tags/${encodeURIComponent(key)}/values?prefix=${encodeURIComponent(prefix)}`
    const { status, body } = await api().of(tenant, path)
    expect([status, body.items]).toEqual([200, want])
  })

  // biome-ignore format: the columns are the point
  test.each([
    ['nothing',       'must be a field or a tag of an event of the project, and nothing is neither; GET search/fields lists the fields'],
    ['queu',          'and queu is neither; did you mean queue?'],
    ['enviroment',    'did you mean environment?'],
    ['tags[quue]',    'must be a tag of an event of the project, and no event has quue; did you mean tags[queue]?'],
    ["x') or ('1",    "x') or ('1 is neither"],
    ['\ud800',        '\ufffd is neither'],
    ['q'.repeat(900), `${'q'.repeat(50)}… is neither`],
  ])('of the values of %s, which no event has: the closest names', async (key, rule) => {
    const path = `/tags/${encodeURIComponent(key.toWellFormed())}/values?prefix=a`
    const { status, body } = await api().of(tenant, path)
    expect([status, body]).toMatchObject([
      400,
      { code: 'validation_failed', details: [{ field: 'key', rule: expect.stringContaining(rule) }] },
    ])
  })

  test('a tag whose events have expired is known, and has no values', async () => {
    const key = 'expired_tag'
    await api().pool.query('insert into project_tag_keys (project_id, key) values ($1, $2)', [
      tenant.project.dsnId,
      key,
    ])
    const { status, body } = await api().of(tenant, `/tags/${key}/values`)
    expect([status, body.items]).toEqual([200, []])
  })
})

describe('the fields', () => {
  test('are those that searches know, each with a text', async () => {
    const { body } = await api().of(tenant, '/search/fields')
    const listed: string[] = body.items.map(({ name }: { name: string }) => name)
    const known = (await api().of(tenant, '/tags')).body.fields
    expect(listed).toEqual(known)
    const own = body.items.filter(({ alias_of: of }: { alias_of: string | null }) => of === null)
    expect([...describedFields].sort()).toEqual(own.map(({ name }: { name: string }) => name))
    expect(body.items).toContainEqual({
      name: 'times_seen',
      alias_of: null,
      searches: ['issues'],
      type: 'number',
      operators: ['=', '>', '>=', '<', '<='],
      lists: false,
      wildcards: false,
      values: null,
      suggests: false,
      description: 'Events of the issue.',
      example: 'times_seen:>100',
    })
  })

  test.each(searchFields)('$name can be used as it says', async (field) => {
    const { name, example, operators, lists, alias_of, searches, values } = field
    expect(example).toMatch(new RegExp(`^!?${name.replace('.', '[.]')}:`))
    if (alias_of !== null) expect(searchFields.map((one) => one.name)).toContain(alias_of)
    const value = values?.[0] ?? /:(?:>=?)?(.*)$/.exec(example)?.[1]
    // Each with a token of its own, which has a rate limit.
    const asking = await api().tenant('Fields')
    const ask = async (path: string, query: string) =>
      (await api().of(asking, `/${path}?query=${encodeURIComponent(query)}`)).status
    for (const path of ['issues', 'events'] as const) {
      const isAllowed = searches.includes(path)
      expect([path, await ask(path, example)]).toEqual([path, isAllowed ? 200 : 400])
      if (!isAllowed) continue
      for (const operator of ['', '>', '>=', '<', '<='] as const) {
        const isKnown = (operators as readonly string[]).includes(operator || '=')
        const query = `${name}:${operator}${example.includes('[') ? 'x' : value}`
        expect([query, await ask(path, query)]).toEqual([query, isKnown ? 200 : 400])
      }
      const list = `${name}:[${value?.startsWith('[') ? 'x' : value}, ${values?.[1] ?? (['issue', 'issue.id'].includes(name) ? 2 : 'x')}]`
      expect([list, await ask(path, list)]).toEqual([list, lists ? 200 : 400])
    }
  })
})
