import { describe, expect, test } from 'vitest'
import { apiOfThisFile, type Tenant } from '../../test/fixtures/api-fixture.ts'
import { commentPortals } from '../../test/fixtures/comment-fixture.ts'

const api = apiOfThisFile()
const { portal, addIdea } = commentPortals(api)

async function listOf(tenant: Tenant, query = '', role: 'viewer' | 'member' = 'viewer') {
  return api().call(`/api/v1/admin/portal/${tenant.project.id}/comments${query}`, {
    login: await api().login(tenant, role),
  })
}

const bodies = ({ body }: { body: { items: { body: string }[] } }) =>
  body.items.map((item) => item.body)

describe('GET admin comments', () => {
  test('lists the comments of all ideas, newest first, in pages, without deleted ones', async () => {
    const { tenant, write, comment } = await portal('all comments')
    const other = await addIdea(tenant)
    const first = await write('one')
    await write('two', first, 'bob')
    api().time.nowMs += 1_000
    await comment({ body: 'three', enduser_id: 'ada' }, other)
    const gone = await write('gone')
    const login = await api().login(tenant, 'member')
    const path = `/api/v1/admin/portal/${tenant.project.id}/comments/${gone}`
    await api().call(path, { method: 'DELETE', login })
    const foreign = await portal('all comments of others')
    await foreign.write('of others')

    const all = await listOf(tenant)
    expect(bodies(all)).toEqual(['three', 'two', 'one'])
    expect(all.body.items[1]).toMatchObject({
      idea: { title: 'Dark mode' },
      parent_id: first,
      author: { enduser_id: 'bob' },
      is_team: false,
      moderation: 'published',
    })
    const seen: string[] = []
    let next = ''
    do {
      const page = await listOf(tenant, `?limit=1${next}`)
      seen.push(...bodies(page))
      next = page.body.next_cursor === null ? '' : `&cursor=${page.body.next_cursor}`
    } while (next !== '')
    expect(seen).toEqual(['three', 'two', 'one'])
  })

  test('comments of the same millisecond are neither skipped nor listed twice', async () => {
    const { tenant, ideaId } = await portal('same time')
    await api().pool.query(
      `insert into comments (id, project_id, idea_id, root_id, depth, body, created_at)
       select id, $1, $2, id, 1, n::text, timestamptz '2026-11-20T12:00:00.0001Z' + (n / 3) * interval '1 microsecond'
       from (select n, gen_random_uuid() id from generate_series(1, 9) n) rows`,
      [tenant.project.id, ideaId],
    )
    const first = await listOf(tenant, '?limit=4')
    const second = await listOf(tenant, `?limit=5&cursor=${first.body.next_cursor}`)
    expect(second.body.next_cursor).toBeNull()
    expect([...bodies(first), ...bodies(second)].sort()).toEqual([...'123456789'])
  })

  test('filters by state, idea, author and text', async () => {
    const { tenant, ideaId, write, comment } = await portal('filtered', `moderation = 'all'`)
    const other = await addIdea(tenant)
    await write('Buy 100% now')
    await comment({ body: 'elsewhere', enduser_id: 'bob' }, other)
    const login = await api().login(tenant, 'member')
    const admin = `/api/v1/admin/portal/${tenant.project.id}`
    const body = { body: 'From us' }
    await api().call(`${admin}/ideas/${ideaId}/comments`, { method: 'POST', login, body })
    const bob = (await listOf(tenant)).body.items.find(
      (item: { body: string }) => item.body === 'elsewhere',
    ).author.id
    // biome-ignore format: the columns are the point
    const cases = [
      ['?moderation=pending',              ['Buy 100% now', 'elsewhere']],
      ['?moderation=published',            ['From us']],
      ['?moderation=rejected',             []],
      [`?idea_id=${other}`,                ['elsewhere']],
      [`?author=${bob}`,                   ['elsewhere']],
      ['?author=team',                     ['From us']],
      ['?search=100%25',                   ['Buy 100% now']],
      ['?search=BUY',                      ['Buy 100% now']],
      ['?search=_',                        []],
      [`?author=team&idea_id=${other}`,    []],
    ] as const
    for (const [query, want] of cases) {
      expect([query, bodies(await listOf(tenant, query)).sort()]).toEqual([query, want])
    }
    for (const query of ['?author=nobody', '?idea_id=1', '?moderation=hidden', '?limit=0']) {
      expect([query, (await listOf(tenant, query)).status]).toEqual([query, 400])
    }
  })
})
