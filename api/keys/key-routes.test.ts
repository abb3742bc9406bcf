import { beforeAll, describe, expect, test } from 'vitest'
import { accessScopes } from '#schemas/rest/access-scope.ts'
import { apiOfThisFile, type Tenant } from '../../test/fixtures/api-fixture.ts'
import { keysPerProjectMax } from './dsn-key-store.ts'

const api = apiOfThisFile()
let tenant: Tenant

beforeAll(async () => {
  tenant = await api().tenant('Shop', accessScopes)
})

const post = (body: unknown) => api().of(tenant, '/keys', { method: 'POST', body })
const patch = (id: string, body: unknown) =>
  api().of(tenant, `/keys/${id}`, { method: 'PATCH', body })
const remove = (id: string) => api().of(tenant, `/keys/${id}`, { method: 'DELETE' })
const list = async () => (await api().of(tenant, '/keys')).body.items

describe('keys', () => {
  test('a key is created, changed, listed and deleted', async () => {
    const made = await post({ label: 'worker', rate_limit: 60 })
    expect(made).toMatchObject({
      status: 201,
      body: { label: 'worker', rate_limit: 60, status: 'active', last_used_at: null },
    })
    const { id, public_key, dsn } = made.body
    expect(public_key).toMatch(/^[0-9a-f]{32}$/)
    expect(dsn).toBe(`https://${public_key}@errors.example.test/${tenant.project.dsnId}`)
    expect(await list()).toEqual([made.body])

    const changed = await patch(id, { status: 'disabled', rate_limit: null })
    expect(changed.body).toEqual({ ...made.body, status: 'disabled', rate_limit: null })
    expect((await patch(id, {})).body).toEqual(changed.body)
    expect((await patch(id, { label: null })).body.label).toBeNull()

    expect((await remove(id)).status).toBe(204)
    expect(await list()).toEqual([])
    expect((await remove(id)).status).toBe(404)
    expect((await patch(id, { status: 'active' })).status).toBe(404)
  })

  test('a key of another project is 404', async () => {
    const other = await api().tenant('Other', accessScopes)
    const made = await api().of(other, '/keys', { method: 'POST', body: {} })
    expect((await patch(made.body.id, { status: 'disabled' })).status).toBe(404)
    expect((await remove(made.body.id)).status).toBe(404)
    expect((await remove('x')).status).toBe(404)
    expect((await api().of(other, '/keys')).body.items).toHaveLength(1)
  })

  // biome-ignore format: the columns are the point
  test.each([
    ['a label with spaces', { label: 'my worker' },   'label'],
    ['no event a minute',   { rate_limit: 0 },        'rate_limit'],
    ['an unknown field',    { name: 'x' },            ''],
  ] as const)('%s is refused and named', async (_name, body, field) => {
    const answer = await post(body)
    expect([answer.status, answer.body.code]).toEqual([400, 'validation_failed'])
    expect(answer.body.details[0].field).toContain(field)
  })

  test('the number of keys is bounded', async () => {
    const full = await api().tenant('Full', accessScopes)
    await api().pool.query(
      `insert into dsn_keys (id, project_id, public_key)
       select gen_random_uuid(), $1::uuid, md5($1::text || n::text) from generate_series(1, $2) as n`,
      [full.project.id, keysPerProjectMax],
    )
    const answer = await api().of(full, '/keys', { method: 'POST', body: {} })
    expect([answer.status, answer.body.code]).toEqual([409, 'conflict'])
  })

  test('a token that may only read cannot change them', async () => {
    const contact = await api().tenant('Reader')
    const answer = await api().of(contact, '/keys', { method: 'POST', body: {} })
    expect([answer.status, answer.body.code]).toEqual([403, 'missing_scope'])
  })
})
