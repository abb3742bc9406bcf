import { beforeEach, describe, expect, test } from 'vitest'
import { AdminIdea } from '#schemas/rest/portal/idea-admin.ts'
import {
  apiOfThisFile,
  type Call,
  type PersonLogin,
  type Tenant,
} from '../../test/fixtures/api-fixture.ts'
import { addIdea, type FixtureIdea, ipOf } from '../../test/fixtures/portal-fixture.ts'

const api = apiOfThisFile()
let tenant: Tenant
let owner: PersonLogin
let tenantCount = 0

beforeEach(async () => {
  tenantCount += 1
  tenant = await api().tenant(`Team ${tenantCount}`)
  owner = await api().login(tenant)
})

const admin = (path: string, call: Call = {}) =>
  api().call(`/api/v1/admin/portal/${tenant.project.id}${path}`, { login: owner, ...call })
const portal = (path: string, call: Call = {}) =>
  api().call(`/api/v1/p/${tenant.project.projectKey}${path}`, { address: ipOf(), ...call })
const vote = async (ideaId: string, ...users: string[]) => {
  for (const user of users) {
    const call = {
      method: 'POST',
      body: { enduser_id: user, enduser_email: `${user}@x.test` },
    } as const
    expect((await portal(`/ideas/${ideaId}/vote`, call)).status).toBe(200)
  }
}
const merge = (ideaId: string, into: string) =>
  admin(`/ideas/${ideaId}/merge`, { method: 'POST', body: { into } })
const votesOf = async (...ids: string[]) => {
  const counts = []
  for (const id of ids) counts.push((await portal(`/ideas/${id}`)).body.feature.vote_count)
  return counts
}
const add = (idea: FixtureIdea = {}) => addIdea(api().pool, tenant, idea)
const auditActions = async () => {
  const { rows } = await api().pool.query(
    'select action from audit_log where organization_id = $1 order by at, id',
    [tenant.organizationId],
  )
  return rows.map(({ action }) => action)
}
const notificationAddresses = async () => {
  const { rows } = await api().pool.query(
    'select email, kind from portal_notices where project_id = $1 order by email',
    [tenant.project.id],
  )
  return rows.map(({ email, kind }) => `${email} ${kind}`)
}

describe('the team', () => {
  test('creates, updates and deletes an idea, each with an audit entry', async () => {
    await admin('/tags', { method: 'POST', body: { slug: 'design', name: 'Design' } })
    const made = await admin('/ideas', {
      ...{ method: 'POST', body: { title: 'Dark mode', description: 'x', tags: ['design'] } },
    })
    expect([made.status, made.body.author, made.body.tags[0].slug]).toEqual([201, null, 'design'])
    expect(() => AdminIdea.parse(made.body)).not.toThrow()
    const { id } = made.body
    await vote(id, 'ada')
    const body = { status: 'Planned', response: ' Soon. ', title: 'Dark theme', tags: [] }
    const changed = await admin(`/ideas/${id}`, { method: 'PATCH', body })
    expect(changed.body).toMatchObject({
      ...{ status: 'Planned', title: 'Dark theme', tags: [] },
      response: { body: 'Soon.', author_name: 'owner' },
    })
    const { feature } = (await portal(`/ideas/${id}`)).body
    expect(feature).toMatchObject({ status: 'Planned', response: { body: 'Soon.' } })
    const detail = (await admin(`/ideas/${id}`)).body
    expect(detail.events.map(({ kind }: { kind: string }) => kind).sort()).toEqual(
      ['created', 'edited', 'response', 'status', 'tagged'].sort(),
    )
    expect(await notificationAddresses()).toEqual(['ada@x.test status'])
    expect((await admin(`/ideas/${id}`, { method: 'DELETE' })).status).toBe(204)
    expect((await portal(`/ideas/${id}`)).status).toBe(404)
    expect(await auditActions()).toEqual([
      ...['tag.created', 'idea.created', 'idea.changed', 'idea.deleted'],
    ])
  })

  test('saving equal values notifies nobody', async () => {
    const id = await add()
    await vote(id, 'ada')
    await admin(`/ideas/${id}`, { method: 'PATCH', body: { status: 'Open' } })
    expect(await notificationAddresses()).toEqual([])
  })

  // biome-ignore format: the columns are the point
  test.each([
    ['Duplicate by hand',     { status: 'Duplicate' },  'status'],
    ['an unknown status',     { status: 'Done' },       'status'],
    ['an unknown tag',        { tags: ['nope'] },       'tags'],
    ['a blank title',         { title: '  ' },          'title'],
    ['an unknown field',      { votes: 7 },             'votes'],
  ] as const)('cannot set %s', async (_name, body, field) => {
    const answer = await admin(`/ideas/${await add()}`, { method: 'PATCH', body })
    expect([answer.status, answer.body.details[0].field]).toEqual([400, field])
  })

  test('finds ideas by moderation, status and words, page by page', async () => {
    for (const [title, minutes] of [
      ['one', -3],
      ['two', -2],
      ['three', -1],
    ] as const) {
      await add({ title, minutes })
    }
    await add({ title: 'waiting', moderation: 'pending' })
    const seen: string[] = []
    for (const sort of ['newest', 'votes']) {
      let cursor = ''
      do {
        const { body } = await admin(`/ideas?limit=2&sort=${sort}&moderation=published${cursor}`)
        seen.push(...body.items.map(({ title }: AdminIdea) => title))
        cursor = body.next_cursor === null ? '' : `&cursor=${body.next_cursor}`
      } while (cursor !== '')
    }
    expect(seen).toEqual(['three', 'two', 'one', 'three', 'two', 'one'])
    expect((await admin('/ideas?moderation=pending')).body.items[0].title).toBe('waiting')
    expect((await admin('/ideas?search=thr')).body.items).toHaveLength(1)
  })
})

describe('files', () => {
  test('an import has a dry run and a report, is idempotent, and is exported again', async () => {
    await admin('/tags', { method: 'POST', body: { slug: 'design', name: 'Design' } })
    const csv = [
      'title,description,status,tags,author_id,author_name,voters,created_at',
      'Dark mode,"At night, mostly",Planned,design,ada,Ada,ada|bob,2026-01-02T03:04:05Z',
      'Export,=1+1,,,,,,',
      ',no title,,,,,,',
      'Odd,x,Done,,,,,',
      'Tagged,x,Open,nope,,,,',
    ].join('\n')
    const call = { method: 'POST', body: csv, headers: { 'content-type': 'text/csv' } } as const
    const rehearsal = (await admin('/ideas/import?dry_run=true', call)).body
    expect([rehearsal.read, rehearsal.imported, rehearsal.dry_run]).toEqual([5, 2, true])
    expect((await portal('/ideas')).body.total).toBe(0)
    const { body } = await admin('/ideas/import', call)
    expect(body).toMatchObject({ read: 5, imported: 2, known: 0 })
    expect(
      body.problems.map(({ row, field }: { row: number; field: string }) => [row, field]),
    ).toEqual([
      [3, 'title'],
      [4, 'status'],
      [5, 'tags'],
    ])
    const { items } = (await portal('/ideas?enduser_id=bob')).body
    expect(items[0]).toMatchObject({
      ...{ title: 'Dark mode', vote_count: 2, user_has_voted: true, author_name: 'Ada' },
      created_at: '2026-01-02T03:04:05.000Z',
    })
    expect((await admin('/ideas/import', call)).body).toMatchObject({ imported: 0, known: 2 })

    const file = await admin('/ideas/export')
    expect(file.body).toContain("'=1+1")
    const json = await admin('/ideas/export?format=json')
    expect(json.body.map(({ title }: { title: string }) => title).sort()).toEqual([
      'Dark mode',
      'Export',
    ])
    const voters = await admin(`/ideas/${items[0].id}/voters/export?format=json`)
    expect(voters.body.map(({ enduser_id }: { enduser_id: string }) => enduser_id).sort()).toEqual([
      'ada',
      'bob',
    ])
  })
})

test('the team votes on behalf of a user with a note, and deletes the vote', async () => {
  const id = await add()
  const body = { enduser_id: 'ada', note: 'by phone' }
  expect((await admin(`/ideas/${id}/voters`, { method: 'POST', body })).body.result).toBe('created')
  expect((await admin(`/ideas/${id}/voters`)).body.items[0].cast_by).toMatch(/: by phone$/)
  expect((await portal(`/ideas/${id}?enduser_id=ada`)).body.feature.user_has_voted).toBe(true)
  const gone = await admin(`/ideas/${id}/voters/ada`, { method: 'DELETE' })
  expect(gone.body.result).toBe('removed')
  expect(await votesOf(id)).toEqual([0])
})

test('tags are unique by slug and keep it', async () => {
  const make = (slug: string) => admin('/tags', { method: 'POST', body: { slug, name: slug } })
  expect((await make('design')).status).toBe(201)
  expect((await make('design')).status).toBe(409)
  expect((await make('Not A Slug')).status).toBe(400)
  const renamed = await admin('/tags/design', { method: 'PATCH', body: { name: 'Look' } })
  expect(renamed.body).toMatchObject({ slug: 'design', name: 'Look' })
  expect((await admin('/tags/design', { method: 'PATCH', body: { slug: 'look' } })).status).toBe(
    400,
  )
  expect((await admin('/tags/design', { method: 'DELETE' })).status).toBe(204)
  expect((await admin('/tags/design', { method: 'DELETE' })).status).toBe(404)
})

test('ideas of another organization are not found, and a viewer changes none', async () => {
  const id = await add()
  const stranger = await api().login(await api().tenant(`Stranger ${tenantCount}`))
  const viewer = await api().login(tenant, 'viewer')
  const patch = { method: 'PATCH', body: { status: 'Planned' } } as const
  for (const [path, call] of [
    ['/ideas', {}],
    [`/ideas/${id}`, {}],
    [`/ideas/${id}`, patch],
    [`/ideas/${id}/merge`, { method: 'POST', body: { into: id } }],
    [`/ideas/${id}/voters`, {}],
    ['/ideas/export', {}],
    ['/tags', {}],
  ] as const) {
    expect((await admin(path, { ...call, login: stranger })).status).toBe(404)
    const anonymous = await api().call(`/api/v1/admin/portal/${tenant.project.id}${path}`, call)
    expect(anonymous.status).toBe(401)
  }
  expect((await admin(`/ideas/${id}`, { login: viewer })).status).toBe(200)
  expect((await admin(`/ideas/${id}`, { ...patch, login: viewer })).status).toBe(403)
  const other = await addIdea(api().pool, await api().tenant(`Other ${tenantCount}`))
  expect((await merge(id, other)).status).toBe(400)
})
