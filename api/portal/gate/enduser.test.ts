import { SignJWT } from 'jose'
import { describe, expect, test } from 'vitest'
import { apiOfThisFile, type Call, type Tenant } from '../../../test/fixtures/api-fixture.ts'
import { enduserSecretPurpose } from './portal-directory.ts'

const api = apiOfThisFile()
let addresses = 0
/** Each test counts for itself. */
const newAddress = () => {
  addresses += 1
  return `192.0.2.${addresses}`
}

async function portal(name: string, settings: Record<string, unknown> = {}) {
  const tenant = await api().tenant(name)
  const keys = Object.keys(settings)
  await api().pool.query(
    `insert into portal_settings (project_id${keys.map((key) => `, ${key}`).join('')})
     values ($1${keys.map((_, index) => `, $${index + 2}`).join('')})`,
    [tenant.project.id, ...Object.values(settings)],
  )
  const { projectKey } = tenant.project
  const address = newAddress()
  const at = (path: string, call: Call = {}) =>
    api().call(`/api/v1/p/${projectKey}${path}`, { address, ...call })
  return { tenant, at }
}

async function addIdea(tenant: Tenant, title = 'Dark mode'): Promise<string> {
  const { rows } = await api().pool.query<{ id: string }>(
    `insert into ideas (id, project_id, title, description) values (gen_random_uuid(), $1, $2, 'Please.') returning id`,
    [tenant.project.id, title],
  )
  return rows[0]!.id
}

describe('the user who writes', () => {
  const secret = 'a secret of end-user auth for these tests'
  const sign = (claims: Record<string, unknown>, sub = 'signed', seconds = 600) =>
    new SignJWT(claims)
      .setProtectedHeader({ alg: 'HS256' })
      .setSubject(sub)
      .setExpirationTime(Math.floor(api().time.nowMs / 1000) + seconds)
      .sign(Buffer.from(secret))

  async function signedPortal(name: string, settings: Record<string, unknown> = {}) {
    const made = await portal(name, { enduser_auth: true, ...settings })
    const { rows } = await api().pool.query<{ id: string }>('select gen_random_uuid() id')
    const { id } = rows[0]!
    await api().pool.query(
      `insert into enduser_secrets (id, project_id, sealed_secret, prefix) values ($1, $2, $3, 'x')`,
      [id, made.tenant.project.id, api().ctx.box.seal(enduserSecretPurpose, id, secret)],
    )
    return { ...made, ideaId: await addIdea(made.tenant) }
  }

  const usersOf = async (tenant: Tenant) => {
    const { rows } = await api().pool.query<{
      enduser_id: string
      email: string
      email_source: string
    }>(
      'select enduser_id, email, email_source from endusers where project_id = $1 order by enduser_id',
      [tenant.project.id],
    )
    return rows
  }

  test('with end-user auth on, the token decides the user, not enduser_id', async () => {
    const { tenant, at, ideaId } = await signedPortal('signed')
    const vote = (body: unknown, headers = {}) =>
      at(`/ideas/${ideaId}/vote`, { method: 'POST', body, headers, address: newAddress() })
    expect((await vote({ enduser_id: 'a' })).body.code).toBe('token_required')
    expect((await vote({ enduser_id: 'a', token: 'a.b.c' })).body.code).toBe('token_invalid')
    const late = await sign({}, 'late', -61)
    expect((await vote({ token: late })).body).toMatchObject({ code: 'token_expired' })
    expect(await usersOf(tenant)).toEqual([])
    const token = await sign({ email: 'ada@example.com' })
    expect((await vote({ enduser_id: 'a', token })).body).toEqual({ result: 'created' })
    const bearer = { authorization: `Bearer ${token}` }
    expect((await vote({}, bearer)).body).toEqual({ result: 'already_voted' })
    expect(await usersOf(tenant)).toEqual([
      { enduser_id: 'signed', email: 'ada@example.com', email_source: 'token' },
    ])
    const seen = async (query: string) =>
      (await at(`/ideas/${ideaId}?${query}`)).body.feature.user_has_voted
    expect(await seen(`token=${token}&enduser_id=b`)).toBe(true)
    expect(await seen('enduser_id=signed')).toBe(true)
    expect(await seen('enduser_id=a&token=broken')).toBe(false)
    expect(await seen('token=broken')).toBeUndefined()
  })

  test('if reads need a token, an id alone shows no data of the user', async () => {
    const { at, ideaId } = await signedPortal('careful', { reads_need_token: true })
    const { body } = await at(`/ideas/${ideaId}?enduser_id=signed`)
    expect(body.feature).not.toHaveProperty('user_has_voted')
  })

  test('with end-user auth off, a valid token is ignored and enduser_id is required', async () => {
    const { tenant, at } = await portal('unsigned')
    const ideaId = await addIdea(tenant)
    const body = { token: await sign({}) }
    const refused = await at(`/ideas/${ideaId}/vote`, { method: 'POST', body })
    expect(refused.body.details[0]).toEqual({ field: 'enduser_id', rule: 'is required' })
  })

  // biome-ignore format: the columns are the point
  test.each([
    ['blank               ', { enduser_id: '   ' }, 'enduser_id'],
    ['256 characters      ', { enduser_id: 'x'.repeat(256) }, 'enduser_id'],
    ['a control character ', { enduser_id: 'a\nb' }, 'enduser_id'],
    ['an address of none  ', { enduser_id: 'a', enduser_email: 'ada at home' }, 'enduser_email'],
    ['a number            ', { enduser_id: 7 }, 'enduser_id'],
  ] as const)('a user that is %s is refused before anything is stored', async (name, body, field) => {
    const { tenant, at } = await portal(`refused ${name}`)
    const ideaId = await addIdea(tenant)
    const got = await at(`/ideas/${ideaId}/vote`, { method: 'POST', body })
    expect([got.status, got.body.details[0].field]).toEqual([400, field])
    expect(await usersOf(tenant)).toEqual([])
  })

  test('a request that only knows an id cannot change the email address of its user', async () => {
    const { tenant, at } = await portal('redirect')
    const ideaId = await addIdea(tenant)
    const other = await addIdea(tenant, 'Another')
    const vote = (id: string, enduser_email: string) =>
      at(`/ideas/${id}/vote`, { method: 'POST', body: { enduser_id: 'a', enduser_email } })
    await vote(ideaId, 'ada@example.com')
    await vote(other, 'eve@example.com')
    expect(await usersOf(tenant)).toMatchObject([
      { email: 'ada@example.com', email_source: 'typed' },
    ])
    const { rows } = await api().pool.query('select email from votes where idea_id = $1', [other])
    expect(rows).toEqual([{ email: 'eve@example.com' }])
  })

  test('a blocked user gets `blocked` on writes and can still read', async () => {
    const { tenant, at } = await portal('blocked')
    const ideaId = await addIdea(tenant)
    const call = { method: 'POST', body: { enduser_id: 'a' } } as const
    await at(`/ideas/${ideaId}/vote`, call)
    await api().pool.query('update endusers set blocked_at = now() where project_id = $1', [
      tenant.project.id,
    ])
    expect((await at(`/ideas/${ideaId}/vote`, call)).body.code).toBe('blocked')
    expect((await at(`/ideas/${ideaId}?enduser_id=a`)).status).toBe(200)
  })
})
