import { v7 as uuidv7 } from 'uuid'
import { describe, expect, test } from 'vitest'
import { repliesPerThreadMax } from '#schemas/rest/portal/comment.ts'
import { apiOfThisFile } from '../../test/fixtures/api-fixture.ts'
import { commentPortals } from '../../test/fixtures/comment-fixture.ts'

const api = apiOfThisFile()
const { portal, addIdea } = commentPortals(api)

describe('comments of an idea that was merged into this one', () => {
  test('are listed with `from_idea`, get replies on their own idea, and leave with an unmerge', async () => {
    const { tenant, ideaId, comment, write, list, at } = await portal('merged')
    const night = await addIdea(tenant)
    await api().pool.query(`update ideas set title = 'Night theme' where id = $1`, [night])
    await write('here')
    const there = (await comment({ body: 'there', enduser_id: 'bob' }, night)).body.comment_id
    const setDuplicate = (of: string | null) =>
      api().pool.query(
        `update ideas set duplicate_of = $2, status = case when $2::uuid is null then 'Open' else 'Duplicate' end where id = $1`,
        [night, of],
      )
    await setDuplicate(ideaId)
    const { items, total } = await list()
    expect(total).toBe(2)
    expect(
      items.map(({ body, from_idea }: { body: string; from_idea?: object }) => [body, from_idea]),
    ).toEqual(
      expect.arrayContaining([
        ['here', undefined],
        ['there', { id: night, title: 'Night theme' }],
      ]),
    )
    const answer = await write('an answer', there)
    const stored = await api().pool.query('select idea_id from comments where id = $1', [answer])
    expect(stored.rows).toEqual([{ idea_id: night }])
    expect((await at(`/ideas/${night}/comments`)).body.items[0].replies).toHaveLength(1)

    await setDuplicate(null)
    expect((await list()).total).toBe(1)
    const late = await comment({ body: 'too late', parent_id: there, enduser_id: 'ada' })
    expect([late.status, late.body.details[0].field]).toEqual([400, 'parent_id'])
  })
})

describe('threads', () => {
  test('a page holds top-level comments with all their replies, oldest first on every level', async () => {
    const { write, list, count } = await portal('threads')
    const first = await write('first')
    const second = await write('second')
    const reply = await write('reply', first, 'bob')
    await write('later reply', first)
    await write('answer', reply)
    const page = await list('?limit=1')
    expect(page).toMatchObject({ has_more: true, total: 2 })
    expect(page.items).toEqual([
      expect.objectContaining({
        id: first,
        parent_id: null,
        reply_count: 3,
        is_team: false,
        deleted: false,
        author_name: null,
      }),
    ])
    expect(page.items[0].replies).toMatchObject([
      {
        body: 'reply',
        parent_id: first,
        reply_count: 1,
        replies: [{ body: 'answer', parent_id: reply }],
      },
      { body: 'later reply', reply_count: 0, replies: [] },
    ])
    expect(JSON.stringify(page)).not.toMatch(/enduser|email|bob/)
    const next = await list('?limit=1&offset=1')
    expect(next).toMatchObject({ has_more: false, total: 2, items: [{ id: second }] })
    expect(await list('?offset=2')).toEqual({ items: [], has_more: false, total: 2 })
    expect(await count()).toBe(5)
  })

  test('a reply below the fifth level is listed under its ancestor there and keeps its parent_id', async () => {
    const { write, list } = await portal('deep')
    const ids: string[] = []
    for (let depth = 1; depth <= 8; depth += 1) ids.push(await write(`depth ${depth}`, ids.at(-1)))
    let [level] = (await list()).items
    expect(level.reply_count).toBe(7)
    for (let depth = 1; depth < 5; depth += 1) [level] = level.replies
    expect(level.body).toBe('depth 5')
    expect(level.replies).toMatchObject([
      { body: 'depth 6', parent_id: ids[4], replies: [] },
      { body: 'depth 7', parent_id: ids[5], replies: [] },
      { body: 'depth 8', parent_id: ids[6], replies: [] },
    ])
  })

  test('a deleted comment stays empty while it has live replies, and disappears with the last one', async () => {
    const { tenant, write, list, count } = await portal('deleted')
    const login = await api().login(tenant, 'member')
    const root = await write('root')
    const reply = await write('reply', root)
    const remove = (id: string) =>
      api().call(`/api/v1/admin/portal/${tenant.project.id}/comments/${id}`, {
        method: 'DELETE',
        login,
      })
    expect((await remove(root)).status).toBe(204)
    expect((await list()).items).toMatchObject([
      {
        id: root,
        body: '',
        author_name: null,
        deleted: true,
        reply_count: 1,
        replies: [{ id: reply }],
      },
    ])
    expect(await count()).toBe(1)
    expect((await remove(reply)).status).toBe(204)
    expect(await list()).toEqual({ items: [], has_more: false, total: 0 })
    expect((await remove(reply)).status).toBe(404)
    expect(await count()).toBe(0)
  })

  test('a thread accepts 500 replies, also concurrent ones', async () => {
    const { tenant, ideaId, write, comment } = await portal('full')
    const root = await write('root')
    await api().pool.query(
      `insert into comments (id, project_id, idea_id, parent_id, root_id, depth, body)
       select gen_random_uuid(), $1, $2, $3, $3, 2, 'x' from generate_series(1, $4)`,
      [tenant.project.id, ideaId, root, repliesPerThreadMax - 2],
    )
    const replies = await Promise.all(
      ['a', 'b', 'c', 'd'].map((enduser_id) => comment({ body: 'x', parent_id: root, enduser_id })),
    )
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 201, 400, 400])
    expect(replies.find(({ status }) => status === 400)?.body.code).toBe('thread_full')
  })
})

describe('the body of a comment', () => {
  // biome-ignore format: the columns are the point
  test.each([
    ['nothing                ', {}, 'body'],
    ['a blank text           ', { body: ' \n ' }, 'body'],
    ['5,001 characters       ', { body: 'x'.repeat(5_001) }, 'body'],
    ['a number               ', { body: 7 }, 'body'],
    ['no user                ', { body: 'x', enduser_id: undefined }, 'enduser_id'],
    ['an empty parent        ', { body: 'x', parent_id: '' }, 'parent_id'],
    ['a parent of no idea    ', { body: 'x', parent_id: uuidv7() }, 'parent_id'],
    ['a parent that is no id ', { body: 'x', parent_id: 'first' }, 'parent_id'],
  ] as const)('%s is refused', async (name, given, field) => {
    const { comment } = await portal(`invalid ${name}`)
    const { status, body } = await comment({ enduser_id: 'ada', ...given })
    expect([status, body.details?.[0].field]).toEqual([400, field])
  })

  test('5,000 characters, null as parent and unknown fields are accepted; control characters are removed', async () => {
    const { comment, list } = await portal('valid')
    const text = `${'é'.repeat(4_990)}\u0001\u0007`
    const answer = await comment({ body: text, parent_id: null, enduser_id: 'ada', colour: 'red' })
    expect(answer.status).toBe(201)
    expect(answer.headers['sluice-ignored-fields']).toBe('colour')
    expect((await list()).items[0].body).toBe('é'.repeat(4_990))
  })

  test.each([
    ['of another idea', 'published', false],
    ['that waits', 'pending', false],
    ['that was rejected', 'rejected', false],
    ['that was deleted', 'published', true],
  ] as const)('a parent %s is refused', async (name, moderation, deleted) => {
    const { tenant, ideaId, write, comment } = await portal(`parent ${name}`)
    const id = await write('parent')
    const idea = name === 'of another idea' ? await addIdea(tenant) : ideaId
    await api().pool.query(
      `update comments set moderation = $2, deleted_at = case when $3 then now() end where id = $1`,
      [id, moderation, deleted],
    )
    const answer = await comment({ body: 'x', parent_id: id, enduser_id: 'ada' }, idea)
    expect(answer.body.details[0].field).toBe('parent_id')
  })

  // biome-ignore format: the columns are the point
  test.each([['0', '?limit=0'], ['101', '?limit=101'], ['text', '?limit=many'], ['negative', '?offset=-1'], ['far', '?offset=100001']])(
    'a page of %s is refused', async (_name, query) => {
      const { at, ideaId } = await portal(`page ${query}`)
      expect((await at(`/ideas/${ideaId}/comments${query}`)).status).toBe(400)
    },
  )

  test('a portal without comments refuses them with a code', async () => {
    const { comment } = await portal('closed', `branding = '{"allow_comments": false}'`)
    expect((await comment({ body: 'x', enduser_id: 'ada' })).body.code).toBe('comments_closed')
  })

  test('an idea of another project is 404', async () => {
    const mine = await portal('mine')
    const theirs = await portal('theirs')
    const path = `/ideas/${theirs.ideaId}/comments`
    expect((await mine.at(path)).status).toBe(404)
    const posted = await mine.comment({ body: 'x', enduser_id: 'ada' }, theirs.ideaId)
    expect(posted.status).toBe(404)
    const { rows } = await api().pool.query('select from endusers where project_id = $1', [
      mine.tenant.project.id,
    ])
    expect(rows).toEqual([])
  })
})
