import { beforeEach, describe, expect, test } from 'vitest'
import { type Idea, IdeaReply } from '#schemas/rest/portal/idea.ts'
import { apiOfThisFile, type Call, type Tenant } from '../../test/fixtures/api-fixture.ts'
import { addIdea, ipOf, setSettings } from '../../test/fixtures/portal-fixture.ts'

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
const vote = (ideaId: string, user: string, method: 'POST' | 'DELETE' = 'POST') =>
  method === 'POST'
    ? ask(`/ideas/${ideaId}/vote`, { method, body: { enduser_id: user } })
    : ask(`/ideas/${ideaId}/vote?enduser_id=${user}`, { method })
const add = (idea: Parameters<typeof addIdea>[2] = {}) => addIdea(api().pool, tenant, idea)

describe('votes', () => {
  test('are idempotent in both directions', async () => {
    const id = await add()
    const moves = []
    for (const method of ['POST', 'POST', 'DELETE', 'DELETE', 'POST'] as const) {
      const { status, body } = await vote(id, 'ada', method)
      expect(status).toBe(200)
      moves.push(body.result)
    }
    expect(moves).toEqual(['created', 'already_voted', 'removed', 'not_voted', 'created'])
    const { body } = await ask(`/ideas/${id}?enduser_id=ada`)
    expect(() => IdeaReply.parse(body)).not.toThrow()
    expect([body.feature.vote_count, body.feature.user_has_voted]).toEqual([1, true])
    expect((await ask(`/ideas/${id}?enduser_id=bob`)).body.feature.user_has_voted).toBe(false)
    expect('user_has_voted' in (await ask(`/ideas/${id}`)).body.feature).toBe(false)
  })

  test('200 of one user at the same time: one is created, and the count is 1', async () => {
    const id = await add()
    const answers = await Promise.all(Array.from({ length: 200 }, () => vote(id, 'ada')))
    const results = answers.map(({ body }) => body.result)
    expect(results.filter((result) => result === 'created')).toHaveLength(1)
    expect(results.filter((result) => result === 'already_voted')).toHaveLength(199)
    expect((await ask(`/ideas/${id}`)).body.feature.vote_count).toBe(1)
  })

  test('count for closed ideas too', async () => {
    const id = await add({ status: 'Declined' })
    expect((await vote(id, 'ada')).body.result).toBe('created')
  })

  test('for a duplicate count for its original', async () => {
    const into = await add({ title: 'into' })
    const id = await add({ title: 'from', duplicateOf: into })
    expect((await vote(id, 'ada')).body.result).toBe('created')
    expect((await vote(into, 'ada')).body.result).toBe('already_voted')
    const { body } = await ask(`/ideas?enduser_id=ada`)
    expect(
      body.items.map((idea: Idea) => [idea.title, idea.vote_count, idea.user_has_voted]),
    ).toEqual([
      ['into', 1, true],
      ['from', 0, true],
    ])
    expect(body.items[1].duplicate_of).toBe(into)
    expect((await vote(id, 'ada', 'DELETE')).body.result).toBe('removed')
  })

  // biome-ignore format: the columns are the point
  test.each([
    ['no user',           {},                                          400, 'validation_failed'],
    ['a blank user',      { enduser_id: '  ' },                        400, 'validation_failed'],
    ['a long user',       { enduser_id: 'x'.repeat(256) },             400, 'validation_failed'],
    ['a number as user',  { enduser_id: 7 },                           400, 'validation_failed'],
    ['an odd address',    { enduser_id: 'a', enduser_email: 'a@@b' },  400, 'validation_failed'],
  ] as const)('%s is refused', async (_name, body, status, code) => {
    const answer = await ask(`/ideas/${await add()}/vote`, { method: 'POST', body })
    expect([answer.status, answer.body.code]).toEqual([status, code])
  })

  test('for an unknown idea are 404 and create no user', async () => {
    for (const id of ['nonsense', '019ab2c4-7f00-7c3e-9d41-5b0f5f7a9e10']) {
      expect((await vote(id, 'nobody')).status).toBe(404)
      expect((await vote(id, 'nobody', 'DELETE')).status).toBe(404)
      expect((await ask(`/ideas/${id}`)).status).toBe(404)
    }
    const { rowCount } = await api().pool.query(
      `select from endusers where enduser_id = 'nobody' and project_id = $1`,
      [tenant.project.id],
    )
    expect(rowCount).toBe(0)
  })

  test('the sixth within a minute is refused, and withdrawals count', async () => {
    const id = await add()
    const address = ipOf()
    const statuses = []
    for (const method of ['POST', 'DELETE', 'POST', 'DELETE', 'POST', 'DELETE'] as const) {
      const path = `/ideas/${id}/vote?enduser_id=ada`
      const call = { method, address, ...(method === 'POST' && { body: { enduser_id: 'ada' } }) }
      statuses.push((await ask(path, call)).status)
    }
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429])
    expect((await ask(`/ideas/${id}`, { address })).status).toBe(200)
  })
})

describe('suggestions', () => {
  const suggest = (body: object) => ask('/ideas/suggest', { method: 'POST', body })
  const whole = { title: ' Dark\n mode ', description: 'At night', enduser_id: 'ada' }

  test('create ideas without a vote of their author', async () => {
    const { status, body } = await suggest(whole)
    expect([status, Object.keys(body)]).toEqual([201, ['idea_id']])
    const { feature } = (await ask(`/ideas/${body.idea_id}?enduser_id=ada`)).body
    expect(feature).toMatchObject({ title: 'Dark mode', status: 'Open', user_has_voted: false })
    expect((await vote(body.idea_id, 'ada')).body.result).toBe('created')
    const timeline = (await ask(`/ideas/${body.idea_id}/timeline`)).body.items
    expect(timeline).toEqual([
      { kind: 'created', from_status: null, to_status: 'Open', at: expect.any(String) },
    ])
  })

  test('with the same title by the same user within ten minutes are one idea', async () => {
    const ids = await Promise.all(Array.from({ length: 5 }, () => suggest(whole)))
    expect(new Set(ids.map(({ body }) => body.idea_id)).size).toBe(1)
    const other = await suggest({ ...whole, enduser_id: 'bob' })
    expect(other.body.idea_id).not.toBe(ids[0]!.body.idea_id)
    api().time.nowMs += 10 * 60_000 + 1
    expect((await suggest(whole)).body.idea_id).not.toBe(ids[0]!.body.idea_id)
  })

  // biome-ignore format: the columns are the point
  test.each([
    ['no title',               { title: undefined },             'title'],
    ['a blank title',          { title: ' \n ' },                'title'],
    ['a title too long',       { title: 'x'.repeat(201) },       'title'],
    ['no description',         { description: undefined },       'description'],
    ['a blank description',    { description: ' ' },             'description'],
    ['a description too long', { description: 'x'.repeat(10_001) }, 'description'],
    ['no user',                { enduser_id: undefined },        'enduser_id'],
    ['an odd address',         { enduser_email: 'nobody' },      'enduser_email'],
  ] as const)('with %s are refused and leave nothing', async (_name, change, field) => {
    const { status, body } = await suggest({ ...whole, ...change })
    expect([status, body.details[0].field]).toEqual([400, field])
    expect((await ask('/ideas')).body.total).toBe(0)
  })

  test('are refused if the portal is closed, and beyond its limit an hour', async () => {
    await setSettings(api().pool, tenant, { branding: { allow_suggestions: false } })
    expect((await suggest(whole)).body.code).toBe('suggestions_closed')
    tenant = await api().tenant('Ceiling')
    await setSettings(api().pool, tenant, { suggestionsPerHourMax: 1 })
    expect((await suggest(whole)).status).toBe(201)
    const full = await suggest({ ...whole, title: 'Another' })
    expect([full.status, full.body.details[0].field]).toEqual([429, 'suggest_portal'])
    expect(Number(full.headers['retry-after'])).toBeGreaterThan(0)
    api().time.nowMs += (Number(full.headers['retry-after']) + 1) * 1000
    expect((await suggest({ ...whole, title: 'Another' })).status).toBe(201)
  })

  test('suggestions of one address cannot use up the limit of the portal', async () => {
    tenant = await api().tenant('Greedy')
    await setSettings(api().pool, tenant, { suggestionsPerHourMax: 8 })
    const send = (number: number, address: string) =>
      ask('/ideas/suggest', {
        ...{ method: 'POST', address },
        body: { title: `Idea ${number}`, description: 'x', enduser_id: `user ${number}` },
      })
    const greedy = '10.255.0.1'
    for (let number = 1; number <= 30; number += 1) {
      api().time.nowMs += 61_000
      const answer = await send(number, greedy)
      expect(answer.status).toBe(number <= 2 ? 201 : 429)
      if (answer.status === 201) continue
      expect(answer.body.details[0].field).toBe('suggest_hour')
      expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0)
    }
    // The portal's own ceiling was never reached, and what it refuses costs the address nothing.
    const others = [31, 32, 33, 34, 35, 36].map((number) => send(number, `10.255.1.${number}`))
    const statuses = (await Promise.all(others)).map(({ status }) => status)
    expect(statuses).toEqual([201, 201, 201, 201, 201, 201])
    const refused = await send(40, '10.255.2.1')
    expect([refused.status, refused.body.details[0].field]).toEqual([429, 'suggest_portal'])
  })
})
