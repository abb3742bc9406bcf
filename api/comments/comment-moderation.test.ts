import { describe, expect, test } from 'vitest'
import { apiOfThisFile, type Tenant } from '../../test/fixtures/api-fixture.ts'
import { commentPortals } from '../../test/fixtures/comment-fixture.ts'

const api = apiOfThisFile()
const { portal } = commentPortals(api)

describe('pending comments', () => {
  const decide = async (tenant: Tenant, kind: 'ideas' | 'comments', id: string, body: unknown) =>
    api().call(`/api/v1/admin/portal/${tenant.project.id}/moderation/${kind}/${id}`, {
      method: 'POST',
      login: await api().login(tenant, 'member'),
      body,
    })

  test('a pending comment is visible to its author only until it is approved once', async () => {
    const { tenant, write, list, count } = await portal('pending', `moderation = 'all'`)
    const id = await write('first')
    expect(await list()).toMatchObject({ items: [], total: 0 })
    expect(await list('?enduser_id=bob')).toMatchObject({ items: [], total: 0 })
    expect(await list('?enduser_id=ada')).toMatchObject({
      items: [{ id, moderation: 'pending' }],
      total: 1,
    })
    expect(await count()).toBe(0)
    const queue = await api().call(`/api/v1/admin/portal/${tenant.project.id}/moderation`, {
      login: await api().login(tenant, 'viewer'),
    })
    expect(queue.body).toMatchObject({
      total: 1,
      items: [
        {
          kind: 'comment',
          id,
          title: 'Dark mode',
          text: 'first',
          author: { enduser_id: 'ada', published_count: 0 },
        },
      ],
    })
    const two = await Promise.all(
      [1, 2].map(() => decide(tenant, 'comments', id, { decision: 'approve' })),
    )
    expect(two.map(({ status }) => status).sort()).toEqual([200, 409])
    expect((await list()).items).toMatchObject([{ id }])
    expect((await list()).items[0]).not.toHaveProperty('moderation')
    expect(await count()).toBe(1)
  })

  test('a trusted user skips moderation; a blocked user loses pending comments and cannot write', async () => {
    const { tenant, write, list, comment } = await portal('trust', `moderation = 'all'`)
    await decide(tenant, 'comments', await write('mine'), { decision: 'approve_and_trust' })
    await write('mine again')
    expect((await list()).total).toBe(2)
    const spam = await write('spam', undefined, 'eve')
    await write('more spam', undefined, 'eve')
    expect((await decide(tenant, 'comments', spam, { decision: 'block' })).body).toEqual({
      moderation: 'rejected',
    })
    expect((await list('?enduser_id=eve')).total).toBe(2)
    expect((await comment({ body: 'x', enduser_id: 'eve' })).body.code).toBe('blocked')
    const { rows } = await api().pool.query(
      `select action from audit_log where organization_id = $1 order by at, action`,
      [tenant.organizationId],
    )
    expect(rows.map(({ action }) => action).sort()).toEqual([
      'comment.approved',
      'comment.rejected',
      'comment.rejected',
      'enduser.blocked',
    ])
  })

  test('an idea with more links than allowed is pending without moderation', async () => {
    const { write, list } = await portal('links', 'links_max = 1')
    await write('see https://a.example and www.b.example')
    await write('see https://a.example')
    expect((await list()).items).toMatchObject([{ body: 'see https://a.example' }])
  })

  test('a pending idea is hidden from others until it is approved, and its author is notified', async () => {
    const { tenant, at } = await portal('idea', `moderation = 'ideas'`)
    const suggestion = {
      title: 'A new idea',
      description: 'Words',
      enduser_id: 'ada',
      enduser_email: 'ada@example.com',
    }
    const { idea_id } = (await at('/ideas/suggest', { method: 'POST', body: suggestion })).body
    const paths = [
      `/ideas/${idea_id}`,
      `/ideas/${idea_id}/comments`,
      `/ideas/${idea_id}/comments?enduser_id=bob`,
    ]
    for (const path of paths) expect((await at(path)).status).toBe(404)
    expect((await at(`/ideas/${idea_id}/comments?enduser_id=ada`)).status).toBe(200)
    expect((await decide(tenant, 'ideas', idea_id, { decision: 'approve' })).status).toBe(200)
    for (const path of paths) expect((await at(path)).status).toBe(200)
    const { rows } = await api().pool.query(
      'select kind, email from portal_notices where idea_id = $1',
      [idea_id],
    )
    expect(rows).toEqual([{ kind: 'approved', email: 'ada@example.com' }])
  })
})
