import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { apiOfThisFile, type Tenant } from '../../test/fixtures/api-fixture.ts'

const api = apiOfThisFile()
let tenant: Tenant

beforeAll(async () => {
  tenant = await api().tenant('Shop')
})
beforeEach(() => {
  api().time.nowMs += 61_000
})

const send = (body: object, headers: Readonly<Record<string, string>> = {}, of = tenant) =>
  api().call(`/api/v1/p/${of.project.projectKey}/feedback`, { method: 'POST', body, headers })

async function setUp(of: Tenant, columns: Readonly<Record<string, unknown>>): Promise<void> {
  const [names, values] = [Object.keys(columns), Object.values(columns)]
  await api().pool.query(
    `insert into portal_settings (project_id, ${names.join(', ')})
     values ($1, ${names.map((_name, index) => `$${index + 2}`).join(', ')})`,
    [of.project.id, ...values],
  )
}

describe('feedback from a page', () => {
  test('is listed with all feedback', async () => {
    const { status, body } = await send({
      message: ' The cart forgets ',
      type: 'Bug',
      path: 'https://shop.test/cart?session=1',
      version: 'shop@2',
      enduser_id: 'u-1',
      enduser_email: 'Ada@Example.test',
      colour: 'red',
    })
    expect([status, Object.keys(body)]).toEqual([201, ['feedback_id']])
    const item = await api().of(tenant, `/feedback/${body.feedback_id}`)
    expect(item.body).toMatchObject({
      message: 'The cart forgets',
      type: 'Bug',
      status: 'New',
      source: 'Api',
      path: '/cart',
      version: 'shop@2',
      enduser_id: 'u-1',
      person_email: 'Ada@example.test',
    })
  })

  test('may be anonymous', async () => {
    const { body } = await send({ message: 'Thanks', token: 'broken' })
    const item = await api().of(tenant, `/feedback/${body.feedback_id}`)
    expect(item.body).toMatchObject({ message: 'Thanks', type: 'Other' })
    expect(Object.keys(item.body)).not.toContain('enduser_id')
  })

  // biome-ignore format: the columns are the point
  test.each([
    ['no message',          {},                                            'message'],
    ['a blank message',     { message: ' \n ' },                           'message'],
    ['a long message',      { message: 'x'.repeat(10_001) },               'message'],
    ['an unknown type',     { message: 'x', type: 'bug' },                 'type'],
    ['an odd address',      { message: 'x', enduser_email: 'nobody' },     'enduser_email'],
  ])('%s is refused by name', async (_name, body, field) => {
    const answer = await send(body)
    expect([answer.status, answer.body.details?.[0].field]).toEqual([400, field])
  })

  test('a project with end-user auth requires a token', async () => {
    const signed = await api().tenant('Signed')
    await setUp(signed, { enduser_auth: true })
    expect((await send({ message: 'x', enduser_id: 'u' }, {}, signed)).body.code).toBe(
      'token_required',
    )
    expect((await send({ message: 'x', token: 'a.b.c' }, {}, signed)).body.code).toBe(
      'token_invalid',
    )
  })

  test('a page of another origin cannot send it', async () => {
    const listed = await api().tenant('Listed')
    await setUp(listed, { allowed_origins: ['https://shop.example'] })
    const from = (origin: string) => send({ message: 'x' }, { origin }, listed)
    expect((await from('https://shop.example')).status).toBe(201)
    expect((await from('https://shop.example.evil.test')).status).toBe(403)
  })

  test('the sixth request in a minute is refused', async () => {
    const statuses: number[] = []
    for (let call = 0; call < 6; call += 1) statuses.push((await send({ message: 'x' })).status)
    expect(statuses).toEqual([201, 201, 201, 201, 201, 429])
  })

  test('an unknown portal is 404', async () => {
    const path = `/api/v1/p/${tenant.project.id}/feedback`
    expect((await api().call(path, { method: 'POST', body: { message: 'x' } })).status).toBe(404)
  })
})
