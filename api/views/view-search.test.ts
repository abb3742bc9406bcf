// cspell:ignore enviroment qeue unresolvd grösse
/** A view is saved only with a search that its page accepts; one from before is refused there. */
import { beforeAll, expect, test } from 'vitest'
import { CodedError } from '#schemas/error-codes.ts'
import { apiOfThisFile, type Tenant } from '../../test/fixtures/api-fixture.ts'
import { checkSearch } from '../search/check-search.ts'

const api = apiOfThisFile()
let tenant: Tenant

beforeAll(async () => {
  tenant = await api().tenant('Views')
  await api().addEvents(tenant, [
    { id: 'a', hash: 'fa', tags: { queue: 'mail', größe: 'xl', '__proto__ x': '1' } },
  ])
})

type Page = 'issues' | 'events' | 'releases'
const paramsOf = (query: string) => `sort=count&query=${encodeURIComponent(query)}`
const post = (params: string, page: Page = 'issues') =>
  api().of(tenant, '/views', {
    method: 'POST',
    body: { name: 'View', params, page, shared: true },
  })
const patch = (id: string, body: object) =>
  api().of(tenant, `/views/${id}`, { method: 'PATCH', body })
const list = (query: string, page: Page = 'issues') =>
  api().of(tenant, `/${page}?query=${encodeURIComponent(query)}`)

// biome-ignore format: the columns are the point
test.each<[page: Page, query: string, rule: string]>([
  ['issues', 'qeue:mail',                          'qeue is neither; did you mean queue?'],
  ['issues', 'is:unresolved !qeue:mail',           'qeue is neither; did you mean queue?'],
  ['issues', '(qeue:a OR times_seen:>3) memory',   'qeue is neither; did you mean queue?'],
  ['issues', 'has:qeue',                           'qeue is neither; did you mean queue?'],
  ['issues', 'tags[qeue]:mail',                    'no event has qeue; did you mean tags[queue]?'],
  ['issues', 'grösse:xl',                          'grösse is neither; did you mean größe?'],
  ['issues', 'enviroment:live',                    'did you mean environment?'],
  ['events', 'enviroment:live',                    'did you mean environment?'],
  ['issues', '__proto__:1',                        '__proto__ is neither'],
  ['issues', 'constructor:1',                      'constructor is neither'],
  ['issues', `${'q'.repeat(200)}:1`,               `${'q'.repeat(50)}… is neither`],
  ['issues', 'a\u0000b:1',                         'must not contain a NUL'],
  ['events', 'tags[a\u0000b]:1',                   'must not contain a NUL'],
  ['issues', 'tags["]:x',                          'no event has "'],
  ['issues', 'is:unresolvd',                       'must be one of unresolved'],
  ['issues', 'users_seen:many',                    'number'],
  ['issues', '(level:error',                       'must close each ( with a )'],
  ['events', 'is:unresolved',                      'must not ask events for is'],
  ['issues', 'x'.repeat(1_001),                    'at most 1000 bytes'],
])('on %s, %j is refused as in the list', async (page, query, rule) => {
  const searched = await list(query, page)
  const { id } = (await post('sort=count', page)).body
  const before = (await api().of(tenant, '/views')).body.items.length
  for (const answer of [await post(paramsOf(query), page), await patch(id, { params: paramsOf(query) })]) {
    expect([searched.status, answer.status, answer.body.code]).toEqual([400, 400, 'validation_failed'])
    const [detail, ...others] = answer.body.details
    expect([detail.field, others]).toEqual(['params', []])
    expect(detail.rule).toContain(rule)
    expect(detail.rule).toContain(searched.body.details[0].rule)
  }
  expect((await api().of(tenant, '/views')).body.items.length).toBe(before)
})

// biome-ignore format: the columns are the point
test.each<[page: Page, params: string]>([
  ['issues',   ''],
  ['issues',   'query='],
  ['issues',   paramsOf('queue:mail größe:x* "__proto__ x"')],
  // The person who opens it is `me`; no users are counted to check it.
  ['issues',   paramsOf('assigned:me OR bookmarks:me users_seen:>5')],
  ['issues',   paramsOf('release:latest last_release:>=shop@1.0')],
  ['issues',   'query=is:unresolved+out+of+memory&query=qeue:2'],
  // The page has no search in this language.
  ['releases', 'query=qeue:mail'],
])('on %s, %j is saved', async (page, params) => {
  expect((await post(params, page)).body).toMatchObject({ page, params })
})

test('a view from before keeps its search, may be renamed, and its list names the closest tag', async () => {
  const { id } = (await post(paramsOf('queue:mail'))).body
  const params = paramsOf('qeue:mail')
  await api().pool.query('update saved_views set params = $1 where id = $2', [params, id])
  expect((await patch(id, { name: 'Renamed', params })).body).toMatchObject({
    name: 'Renamed',
    params,
  })
  expect((await patch(id, { position: 0 })).status).toBe(200)
  expect((await patch(id, { params: `${params}&sort=x` })).status).toBe(400)
  const opened = await list('qeue:mail')
  expect([opened.status, opened.body.details[0].rule]).toEqual([
    400,
    expect.stringContaining('did you mean queue?'),
  ])
})

test('names are not checked while ClickHouse is away, and everything else is', async () => {
  const clickhouse = { select: () => Promise.reject(new CodedError('unavailable')) }
  const check = (text: string) =>
    checkSearch(
      { ...api().ctx, clickhouse },
      { text, of: 'issues', projectId: tenant.project.dsnId },
    )
  await expect(check('qeue:mail')).resolves.toBeUndefined()
  await expect(check('is:unresolvd')).rejects.toThrow('must be one of')
})
