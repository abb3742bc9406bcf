/** Searches for issues that combine facts of issues, of their events and of the person who asks. */
import { beforeAll, describe, expect, test } from 'vitest'
import {
  apiOfThisFile,
  at,
  type PersonLogin,
  type Tenant,
} from '../../../test/fixtures/api-fixture.ts'

const api = apiOfThisFile()
let tenant: Tenant
let login: PersonLogin
const ids = new Map<string, string>()

beforeAll(async () => {
  tenant = await api().tenant('Issues')
  login = await api().login(tenant, 'viewer')
  const add = async (title: string, more: object) => {
    ids.set(title, await api().addIssue(tenant, { title, culprit: 'x', ...more }))
  }
  await add('a', { hashes: ['ia'], substatus: 'new', count: 10, release: 'shop@1.2' })
  await add('b', { hashes: ['ib', 'ib2'], status: 'resolved', count: 15, release: 'shop@1.10' })
  await add('c', { hashes: ['ic'], status: 'ignored', count: 20 })
  // No event of it is stored any more.
  await add('d', { hashes: ['id'], substatus: 'ongoing', count: 25 })
  await api().addRelease(tenant, { version: 'shop@1.2', first: -60, last: -1 })
  await api().addRelease(tenant, { version: 'shop@1.10', first: -30, last: -1 })
  const user = (id: number) => ({ user_id: `${id}` })
  await api().addEvents(tenant, [
    { id: '1', hash: 'ia', environment: 'dev', component: 'web', ...user(1) },
    { id: '2', hash: 'ia', environment: 'live', ...user(2) },
    // The user 1 has both hashes of the issue.
    { id: '3', hash: 'ib', environment: 'live', tags: { queue: 'mail' }, ...user(1) },
    { id: '4', hash: 'ib2', environment: 'test', ...user(1), receivedAt: at(-5) },
    { id: '5', hash: 'ic', environment: 'test', ...user(4) },
    { id: '6', hash: 'ic', environment: 'test', ...user(5) },
    { id: '7', hash: 'ic', environment: 'test', ...user(6) },
  ])
  await api().pool.query(`update issues set assignee = $1 where id = $2`, [
    login.personId,
    ids.get('c'),
  ])
  await mark('PUT', 'a', 'bookmark')
})

async function mark(method: 'PUT' | 'DELETE', title: string, thing: string) {
  const path = `/api/v1/projects/${tenant.project.id}/issues/${ids.get(title)}/${thing}`
  return api().call(path, { method, login })
}

async function search(query: string, more = ''): Promise<string> {
  const path = `/api/v1/projects/${tenant.project.id}/issues?query=${encodeURIComponent(query)}${more}`
  const { status, body } = await api().call(path, { login })
  expect([query, status, body.error]).toEqual([query, 200, undefined])
  return body.items
    .map(({ title }: { title: string }) => title)
    .sort()
    .join('')
}

// biome-ignore format: the columns are the point
const cases: readonly (readonly [query: string, found: string])[] = [
  ['environment:dev OR environment:test',                 'abc'],
  ['is:new OR is:resolved',                               'ab'],
  ['is:resolved OR environment:dev',                      'ab'],
  // Without a stored event only its own facts can match.
  ['is:ongoing OR environment:dev',                       'ad'],
  ['!is:ongoing OR environment:dev',                      'abc'],
  ['is:unresolved environment:live',                      'a'],
  // One event must match all of it.
  ['(environment:dev component:web) OR is:ignored',       'ac'],
  ['(environment:live component:web) OR is:ignored',      'c'],
  ['environment:live (component:web OR is:resolved)',     'b'],
  ['environment:live (component:web OR is:unresolved)',   'a'],
  ['(is:new environment:live) OR (is:resolved queue:mail)', 'ab'],
  ['(is:new environment:test) OR (is:resolved environment:dev)', ''],
  ['!(is:new OR environment:test)',                       'b'],
  ['!(is:new environment:dev)',                           'abcd'],
  ['!(is:unresolved OR environment:test) OR a',           'ab'],
  ['times_seen:10..20',                                   'abc'],
  ['times_seen:16..19',                                   ''],
  ['!times_seen:10..20',                                  'd'],
  ['users_seen:>2',                                       'c'],
  ['users_seen:2',                                        'a'],
  ['users_seen:1..2',                                     'ab'],
  ['users_seen:<=1',                                      'bd'],
  ['users_seen:0',                                        'd'],
  ['users_seen:>=0',                                      'abcd'],
  ['users_seen:<0',                                       ''],
  ['!users_seen:>1',                                      'bd'],
  ['users_seen:>2 OR environment:dev',                    'ac'],
  ['first_release:latest',                                'b'],
  ['first_release:>=shop@1.2',                            'ab'],
  ['first_release:<1.10',                                 'a'],
  ['is:archived',                                         'c'],
  ['is:for_review',                                       'a'],
  ['is:linked',                                           ''],
  ['assigned:me',                                         'c'],
  ['!assigned:me',                                        'abd'],
  ['assigned:[me, none]',                                 'abcd'],
  ['bookmarks:me',                                        'a'],
  ['!bookmarks:me',                                       'bcd'],
  ['bookmarks:nobody@find.test',                          ''],
  ['bookmarks:viewer-*',                                  'a'],
  ['bookmarks:me OR assigned:me',                         'ac'],
]

describe('a search for issues', () => {
  test.each(cases)('%s', async (query, found) => {
    expect(await search(query)).toBe(found)
  })

  test.each(['first_seen', 'count', 'users', 'trend'])('with sort %s', async (sort) => {
    expect(await search('is:resolved OR environment:dev', `&sort=${sort}`)).toBe('ab')
    expect(await search('users_seen:>1', `&sort=${sort}`)).toBe('ac')
  })

  test.each([
    ['users_seen:>0', 'abc'],
    ['users_seen:<=1 !is:ongoing', 'b'],
    ['users_seen:>=2 users_seen:<3', 'a'],
  ])('%s in pages of one issue', async (query, found) => {
    const titles: string[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const path = `/issues?limit=1&sort=first_seen&query=${encodeURIComponent(query)}`
      const { body } = await api().of(tenant, cursor === '' ? path : `${path}&cursor=${cursor}`)
      titles.push(...body.items.map(({ title }: { title: string }) => title))
      cursor = body.next_cursor
    }
    expect(titles.sort().join('')).toBe(found)
  })

  test('users that are no number are refused', async () => {
    const { status, body } = await api().of(tenant, `/issues?query=users_seen:many`)
    expect([status, body.details[0].position]).toEqual([400, 11])
  })

  test('the other filters are about the same event', async () => {
    expect(await search('is:ignored OR component:web', '&environment=dev')).toBe('a')
    expect(await search('is:ignored OR component:web', '&environment=live')).toBe('')
    expect(await search('is:ignored OR component:web', '&environment=test')).toBe('c')
  })

  test('a bulk change finds the same issues', async () => {
    const path = `/issues/count?query=${encodeURIComponent('is:resolved OR environment:dev')}`
    expect((await api().of(tenant, path)).body).toEqual({ count: 2, is_exact: true })
  })

  test('too many combinations are refused at the group', async () => {
    const group = '(is:new OR queue:mail)'
    const query = Array.from({ length: 4 }, () => group).join(' ')
    const { status, body } = await api().of(tenant, `/issues?query=${encodeURIComponent(query)}`)
    expect([status, body.details[0].position]).toEqual([400, 3 * (group.length + 1)])
    expect(body.details[0].rule).toContain('in at most 10 ways')
  })
})

describe('a bookmark', () => {
  test('is of one person, and its removal is idempotent', async () => {
    const other = await api().login(tenant, 'viewer')
    const list = `/api/v1/projects/${tenant.project.id}/issues?query=bookmarks:me`
    expect((await api().call(list, { login: other })).body.items).toEqual([])
    expect((await mark('PUT', 'b', 'bookmark')).status).toBe(204)
    expect((await mark('PUT', 'b', 'bookmark')).status).toBe(204)
    expect(await search('bookmarks:me')).toBe('ab')
    const issue = `/api/v1/projects/${tenant.project.id}/issues/${ids.get('b')}`
    expect((await api().call(issue, { login })).body.bookmarked).toBe(true)
    expect((await api().call(issue, { login: other })).body.bookmarked).toBe(false)
    expect((await mark('DELETE', 'b', 'bookmark')).status).toBe(204)
    expect((await mark('DELETE', 'b', 'bookmark')).status).toBe(204)
    expect(await search('bookmarks:me')).toBe('a')
  })

  test('needs a person', async () => {
    const path = `/issues/${ids.get('a')}/bookmark`
    const { status, body } = await api().of(tenant, path, { method: 'PUT' })
    expect([status, body.error]).toEqual([400, expect.stringContaining('log in')])
  })
})

describe('a link', () => {
  const add = (body: unknown) =>
    api().of(tenant, `/issues/${ids.get('d')}/links`, { method: 'POST', body })

  test('shows on the issue, in its activity and in searches until it is removed', async () => {
    const url = 'https://tickets.example.com/SHOP-1'
    const { status, body } = await add({ url, title: 'SHOP-1' })
    expect([status, body.title]).toEqual([201, 'SHOP-1'])
    expect((await add({ url })).body.id).toBe(body.id)
    expect(await search('is:linked')).toBe('d')
    const issue = (await api().of(tenant, `/issues/${ids.get('d')}`)).body
    expect(issue.links).toEqual([body])
    expect(issue.activity[0]).toMatchObject({ kind: 'linked', data: { url, title: 'SHOP-1' } })
    const path = `/issues/${ids.get('d')}/links/${body.id}`
    expect((await api().of(tenant, path, { method: 'DELETE' })).status).toBe(204)
    expect((await api().of(tenant, path, { method: 'DELETE' })).status).toBe(404)
    expect(await search('is:linked')).toBe('')
  })

  test.each([
    'javascript:alert(1)',
    'ftp://example.com/x',
    'https://user:secret@example.com/x',
    'https:example.com',
    'https://example.com/a b',
    ' ',
    `https://example.com/${'x'.repeat(2_000)}`,
    'data:text/html,<script>',
    7,
  ])('to %s is refused', async (url) => {
    const { status, body } = await add({ url })
    expect([status, body.details?.[0]?.field]).toEqual([400, 'url'])
  })

  test('is one of at most 20', async () => {
    for (let count = 0; count < 20; count += 1) {
      expect((await add({ url: `https://example.com/${count}` })).status).toBe(201)
    }
    const { status, body } = await add({ url: 'https://example.com/21' })
    expect([status, body.details[0].rule]).toEqual([400, expect.stringContaining('at most 20')])
  })
})
