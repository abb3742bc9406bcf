import { randomUUID } from 'node:crypto'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { adminOf } from '../../test/fixtures/admin-fixture.ts'
import {
  apiOfThisFile,
  type Call,
  type PersonLogin,
  type Tenant,
} from '../../test/fixtures/api-fixture.ts'

const api = apiOfThisFile()
const { admin, json } = adminOf(api)
let tenant: Tenant
let owner: PersonLogin
let member: PersonLogin
let slug: string
let count = 0

beforeAll(async () => {
  tenant = await api().tenant('Teams')
  owner = await api().login(tenant)
  member = await api().login(tenant, 'member')
})
beforeEach(() => {
  count += 1
  slug = `team-${count}`
})

const call = (path: string, given: Call = {}) =>
  api().call(`/api/v1/organization/teams${path}`, { login: owner, ...given })
const create = (body: unknown, login = owner) => call('', { method: 'POST', body, login })
const change = (path: string, body: unknown) => call(path, { method: 'PATCH', body })

async function auditOf(id: string) {
  const { rows } = await api().pool.query(
    'select action, details, actor from audit_log where subject_id = $1 order by at, id',
    [id],
  )
  return rows
}

describe('teams', () => {
  test('are created, changed, joined, left and deleted, each with an audit entry', async () => {
    const created = await create({ slug, name: ' Back end ' })
    expect([created.status, created.body]).toMatchObject([
      201,
      { slug, name: 'Back end', member_count: 0, members: [] },
    ])
    const { id } = created.body
    expect((await call(`/${id.toUpperCase()}`)).body).toEqual(created.body)
    const put = { method: 'PUT' } as const
    for (let time = 0; time < 2; time += 1) {
      const joined = await call(`/${slug}/members/${member.personId}`, put)
      expect(joined.body).toMatchObject({
        member_count: 1,
        members: [{ id: member.personId, email: member.email, name: 'member' }],
      })
    }
    const renamed = await change(`/${slug}`, { slug: `${slug}-new` })
    expect(renamed.body).toMatchObject({ id, slug: `${slug}-new`, name: 'Back end' })
    await change(`/${id}`, { name: 'Back end' })
    expect((await call(`/${slug}`)).status).toBe(404)
    const listed = await call('', { login: member })
    expect(listed.body.items).toContainEqual(expect.objectContaining({ id, member_count: 1 }))
    const remove = { method: 'DELETE' } as const
    for (let time = 0; time < 2; time += 1) {
      const left = await call(`/${id}/members/${member.personId}`, remove)
      expect([left.status, left.body.members]).toEqual([200, []])
    }
    expect((await call(`/${id}`, remove)).status).toBe(204)
    expect((await call(`/${id}`, remove)).status).toBe(404)
    expect((await auditOf(id)).map(({ action }) => action)).toEqual([
      'team.created',
      'team.member_added',
      'team.changed',
      'team.member_removed',
      'team.deleted',
    ])
  })

  // biome-ignore format: the columns are the point
  test.each([
    ['capitals',          { slug: 'Back', name: 'x' },                 400, 'slug'],
    ['a leading dash',    { slug: '-back', name: 'x' },                400, 'slug'],
    ['a space',           { slug: 'back end', name: 'x' },             400, 'slug'],
    ['a long slug',       { slug: 'b'.repeat(51), name: 'x' },         400, 'slug'],
    ['no slug',           { name: 'x' },                               400, 'slug'],
    ['an empty name',     { slug: 'ok', name: '  ' },                  400, 'name'],
    ['a control',         { slug: 'ok', name: 'a\nb' },                400, 'name'],
    ['NUL',               { slug: 'ok', name: 'a\u0000' },             400, 'name'],
    ['members',           { slug: 'ok', name: 'x', members: [] },      400, 'members'],
  ] as const)('%s is refused and named', async (_name, body, status, field) => {
    const answer = await create(body)
    expect([answer.status, answer.body.details[0].field]).toEqual([status, field])
  })

  test('a slug is unique in an organization, also when two create it at once', async () => {
    const body = { slug, name: 'x' }
    const answers = await Promise.all([create(body), create(body), create(body)])
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409])
    const second = await create({ slug: `${slug}-b`, name: 'x' })
    const taken = await change(`/${second.body.id}`, { slug })
    expect([taken.status, taken.body.error]).toEqual([409, 'A team with this slug exists already.'])
    const other = await api().tenant('Namesakes')
    expect((await create(body, await api().login(other))).status).toBe(201)
  })

  test('only owners change them, and other organizations see nothing', async () => {
    const { body } = await create({ slug, name: 'x' })
    const other = await api().login(await api().tenant('Strangers'))
    const viewer = await api().login(tenant, 'viewer')
    // biome-ignore format: the columns are the point
    const calls = [
      ['POST',   '',                                      { slug: 'a', name: 'a' }],
      ['PATCH',  `/${body.id}`,                           { name: 'a' }],
      ['DELETE', `/${body.id}`,                           undefined],
      ['PUT',    `/${body.id}/members/${owner.personId}`, undefined],
      ['DELETE', `/${body.id}/members/${owner.personId}`, undefined],
    ] as const
    for (const [method, path, sent] of calls) {
      for (const login of [member, viewer]) {
        const answer = await call(path, { method, body: sent, login })
        expect([method, answer.status, answer.body.code]).toEqual([method, 403, 'missing_role'])
      }
      if (path === '') continue
      expect((await call(path, { method, body: sent, login: other })).status).toBe(404)
    }
    expect((await call(`/${body.id}`, { login: viewer })).status).toBe(200)
    expect((await call(`/${body.id}`, { login: other })).status).toBe(404)
    expect((await call('', { login: other })).body.items).toEqual([])
  })

  test('take members of the organization only', async () => {
    const { body } = await create({ slug, name: 'x' })
    const stranger = await api().login(await api().tenant('Foreign'))
    for (const person of [stranger.personId, randomUUID(), 'x']) {
      expect((await call(`/${body.id}/members/${person}`, { method: 'PUT' })).status).toBe(404)
    }
  })
})

describe('issues of a team or person that goes', () => {
  const assign = async (assignee: string) => {
    const id = await api().addIssue(tenant, { substatus: 'new', triage: 'new' })
    const body = { assignee }
    expect((await api().of(tenant, `/issues/${id}`, { method: 'PATCH', body })).status).toBe(200)
    return id
  }
  const shown = async (id: string) => {
    const { assignee, assignee_team, triage, activity } = (await api().of(tenant, `/issues/${id}`))
      .body
    return { assignee, assignee_team, triage, last: activity[0] }
  }
  const nobody = { assignee: null, assignee_team: null, triage: null }

  test('belong to nobody, which their activity says', async () => {
    const team = (await create({ slug, name: 'Back end' })).body
    const issue = await assign(`team:${slug}`)
    await call(`/${slug}`, { method: 'DELETE' })
    expect(await shown(issue)).toMatchObject({
      ...nobody,
      last: {
        kind: 'assigned',
        actor: { type: 'person', label: owner.email },
        data: {
          to: null,
          from: { type: 'team', id: team.id, name: 'Back end' },
          reason: 'The team was deleted.',
        },
      },
    })
    expect((await auditOf(team.id)).at(-1).details).toMatchObject({ unassigned_issues: 1 })
  })

  test('of a person who stays in another organization, there they stay theirs', async () => {
    const other = await api().tenant('Second')
    const leaving = await api().login(tenant, 'member')
    await api().pool.query(
      `insert into memberships (organization_id, person_id, role) values ($1, $2, 'member')`,
      [other.organizationId, leaving.personId],
    )
    const team = (await create({ slug, name: 'x' })).body
    await call(`/${slug}/members/${leaving.personId}`, { method: 'PUT' })
    const issue = await assign(leaving.email)
    const elsewhere = await api().addIssue(other, {})
    await api().pool.query('update issues set assignee = $2 where id = $1', [
      elsewhere,
      leaving.personId,
    ])
    const path = `/api/v1/organization/people/${leaving.personId}`
    expect((await api().call(path, { method: 'DELETE', login: owner })).status).toBe(204)
    expect(await shown(issue)).toMatchObject({
      ...nobody,
      last: { data: { from: { type: 'person', id: leaving.personId, name: 'member' } } },
    })
    expect((await call(`/${team.id}`)).body.members).toEqual([])
    const { body } = await api().of(other, `/issues/${elsewhere}`)
    expect(body.assignee).toMatchObject({ id: leaving.personId })
  })

  test('a team that is deleted while an issue is assigned to it leaves no issue behind', async () => {
    const { id } = (await create({ slug, name: 'x' })).body
    const issues = await Promise.all(
      Array.from({ length: 5 }, () => api().addIssue(tenant, { status: 'unresolved' })),
    )
    const body = { assignee: `team:${slug}` }
    const answers = await Promise.all([
      ...issues
        .slice(0, 3)
        .map((issue) => api().of(tenant, `/issues/${issue}`, { method: 'PATCH', body })),
      call(`/${id}`, { method: 'DELETE' }),
      ...issues
        .slice(3)
        .map((issue) => api().of(tenant, `/issues/${issue}`, { method: 'PATCH', body })),
    ])
    for (const { status } of answers) expect([200, 204, 400]).toContain(status)
    for (const issue of issues) {
      const { assignee_team, last } = await shown(issue)
      expect([assignee_team, last?.data.to ?? null]).toEqual([null, null])
    }
  })
})

describe('the command line', () => {
  const acme = (line: string) => json(`${line} --organization Acme`)

  test('manages teams', async () => {
    await admin('organization create --name Acme')
    await acme('person invite ada@example.com --role owner')
    expect(await acme('team create backend --name Back+end')).toMatchObject({
      slug: 'backend',
      name: 'Back end',
    })
    const joined = await acme('team add-member backend --email ada@example.com')
    expect(joined.members).toMatchObject([{ email: 'ada@example.com' }])
    expect(await acme('team update backend --to server')).toMatchObject({ slug: 'server' })
    expect(await acme('team list')).toMatchObject([{ slug: 'server', member_count: 1 }])
    const text = await admin('team show server --organization Acme')
    expect(text.stdout).toContain('ada@example.com')
    expect((await acme('team remove-member server --email ada@example.com')).members).toEqual([])
    expect(await acme('team delete server')).toMatchObject({ slug: 'server' })
    const none = await admin('team delete server --organization Acme')
    expect(none.stderr).toBe('No team is called server: see `team list`.\n')
    await acme('team create backend')
    const nobody = await admin('team add-member backend --email x@y.test --organization Acme')
    expect(nobody.stderr).toBe('Nobody is called x@y.test: see `person list`.\n')
  })
})
