import { beforeEach, describe, expect, test } from 'vitest'
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
const unvote = (ideaId: string, user: string) =>
  portal(`/ideas/${ideaId}/vote?enduser_id=${user}`, { method: 'DELETE' })
const merge = (ideaId: string, into: string) =>
  admin(`/ideas/${ideaId}/merge`, { method: 'POST', body: { into } })
const unmerge = (ideaId: string) => admin(`/ideas/${ideaId}/unmerge`, { method: 'POST' })
const votesOf = async (...ids: string[]) => {
  const counts = []
  for (const id of ids) counts.push((await portal(`/ideas/${id}`)).body.feature.vote_count)
  return counts
}
const add = (idea: FixtureIdea = {}) => addIdea(api().pool, tenant, idea)

describe('merging', () => {
  test('lets alert rules about the status fire, and so does unmerging', async () => {
    await api().pool.query(
      `insert into alert_rules (id, project_id, name, conditions, cooldown_seconds, digest_seconds)
       values (gen_random_uuid(), $1, 'Duplicates', '{"when": [{"type": "idea_status"}], "if": {}}', 0, 60)`,
      [tenant.project.dsnId],
    )
    const [from, into] = [await add({ title: 'from', status: 'Planned' }), await add()]
    await merge(from, into)
    await merge(from, into)
    await unmerge(from)
    const { rows } = await api().pool.query(
      'select data from alert_firings where project_id = $1 order by id',
      [tenant.project.dsnId],
    )
    const idea = { id: from, title: 'from' }
    expect(rows.map(({ data }) => data)).toEqual([
      { idea: { ...idea, status: 'Duplicate' } },
      { idea: { ...idea, status: 'Planned' } },
    ])
  })

  test('is in the audit log with the title of the original, also through a duplicate of it', async () => {
    const [original, duplicate] = [await add({ title: 'Dark mode' }), await add()]
    const from = await add()
    await merge(duplicate, original)
    await merge(from, duplicate)
    const { rows } = await api().pool.query(
      `select details from audit_log where action = 'idea.merged' and subject_id = $1`,
      [from],
    )
    expect(rows).toEqual([{ details: { into: original, original: 'Dark mode' } }])
  })

  test('counts each voter once, and unmerging restores the counts', async () => {
    const [from, into] = [
      await add({ title: 'from', status: 'Planned' }),
      await add({ title: 'into' }),
    ]
    await vote(from, 'ada', 'bob')
    await vote(into, 'bob', 'eve')
    const preview = (await admin(`/ideas/${from}/merge-preview?into=${into}`)).body
    expect([preview.votes, preview.shared]).toEqual([3, 1])
    expect((await merge(from, into)).body).toMatchObject({
      status: 'Duplicate',
      duplicate_of: into,
    })
    expect(await votesOf(from, into)).toEqual([2, 3])
    expect((await portal(`/ideas/${from}?enduser_id=eve`)).body.feature.user_has_voted).toBe(true)
    const { items } = (await admin(`/ideas/${into}/voters`)).body
    expect(
      items.map((voter: { enduser_id: string; via_idea_id: string | null }) => [
        voter.enduser_id,
        voter.via_idea_id,
      ]),
    ).toEqual(
      expect.arrayContaining([
        ['ada', from],
        ['bob', null],
        ['eve', null],
      ]),
    )
    expect((await unmerge(from)).body).toMatchObject({ status: 'Planned', duplicate_of: null })
    expect(await votesOf(from, into)).toEqual([2, 2])
    expect((await unmerge(from)).status).toBe(409)
  })

  test('merging a chain leaves no duplicate of a duplicate, and is undone step by step', async () => {
    const [a, b, c] = [
      await add({ title: 'a' }),
      await add({ title: 'b' }),
      await add({ title: 'c' }),
    ]
    await vote(a, 'ada')
    await vote(b, 'bob')
    await vote(c, 'eve')
    await merge(a, b)
    await merge(b, c)
    expect(await votesOf(a, b, c)).toEqual([1, 1, 3])
    expect((await portal(`/ideas/${a}`)).body.feature.duplicate_of).toBe(c)
    await unmerge(b)
    expect(await votesOf(a, b, c)).toEqual([1, 2, 1])
    expect((await portal(`/ideas/${a}`)).body.feature.duplicate_of).toBe(b)
    await unmerge(a)
    expect(await votesOf(a, b, c)).toEqual([1, 1, 1])
  })

  test('a merge into a duplicate merges into its original', async () => {
    const [a, b, c] = [
      await add({ title: 'a' }),
      await add({ title: 'b' }),
      await add({ title: 'c' }),
    ]
    await merge(b, c)
    expect((await merge(a, b)).body.duplicate_of).toBe(c)
    expect((await merge(c, a)).status).toBe(400)
    expect((await merge(c, c)).status).toBe(400)
  })

  test('a voter of two duplicates keeps a vote when one of them leaves', async () => {
    const [a, b, c] = [
      await add({ title: 'a' }),
      await add({ title: 'b' }),
      await add({ title: 'c' }),
    ]
    await vote(a, 'ada')
    await vote(b, 'ada')
    await merge(a, c)
    await merge(b, c)
    await unmerge(a)
    expect(await votesOf(c)).toEqual([1])
    await unmerge(b)
    expect(await votesOf(c)).toEqual([0])
  })

  test('a new status undoes a merge, and so does deleting the original', async () => {
    const [a, b, c] = [
      await add({ title: 'a' }),
      await add({ title: 'b' }),
      await add({ title: 'c' }),
    ]
    await merge(a, c)
    await merge(b, c)
    const answer = await admin(`/ideas/${a}`, { method: 'PATCH', body: { status: 'Started' } })
    expect(answer.body).toMatchObject({ status: 'Started', duplicate_of: null })
    expect((await admin(`/ideas/${c}`, { method: 'DELETE' })).status).toBe(204)
    expect((await portal(`/ideas/${b}`)).body.feature).toMatchObject({
      status: 'Open',
      duplicate_of: null,
    })
  })

  test('a merge loses no concurrent vote and duplicates none', async () => {
    const [from, into] = [await add({ title: 'from' }), await add({ title: 'into' })]
    const users = Array.from({ length: 40 }, (_, n) => `user-${n}`)
    const voting = users.map((user, n) => vote(n % 2 === 0 ? from : into, user))
    const merging = merge(from, into)
    await Promise.all([...voting, merging])
    expect(await votesOf(into)).toEqual([40])
    await unvote(from, 'user-0')
    expect(await votesOf(into)).toEqual([39])
  })

  test('two concurrent merges of the same idea have one result', async () => {
    const [from, into] = [await add({ title: 'from' }), await add({ title: 'into' })]
    const answers = await Promise.all([merge(from, into), merge(from, into), merge(into, from)])
    expect(
      answers.map(({ status }) => status).every((status) => status === 200 || status === 400),
    ).toBe(true)
    const { body } = await portal('/ideas?status=Duplicate')
    expect(body.total).toBe(1)
  })
})
