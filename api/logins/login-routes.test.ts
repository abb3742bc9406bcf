import { describe, expect, test } from 'vitest'
import { apiOfThisFile, type PersonLogin } from '../../test/fixtures/api-fixture.ts'
import { peopleOf } from '../../test/fixtures/people-fixture.ts'

const api = apiOfThisFile()
const { loginOf, person } = peopleOf(api)

describe('a login', () => {
  test('ends when the person logs out, and their other logins stay', async () => {
    const { email } = await person(await api().tenant('Log out'))
    const [first, second] = [await loginOf(email), await loginOf(email)]
    const left = await api().call('/logout', { method: 'POST', login: first })
    expect(left.status).toBe(204)
    expect(left.headers['set-cookie']).toMatch(/^sluice_login=; Max-Age=0/)
    expect((await api().call('/me', { login: first })).body.code).toBe('invalid_credentials')
    expect((await api().call('/me', { login: second })).status).toBe(200)
  })

  test('ends after a week without use, and after thirty days in any case', async () => {
    const { email } = await person(await api().tenant('Time'))
    const [idle, busy] = [await loginOf(email), await loginOf(email)]
    const before = api().time.nowMs
    for (let day = 6; day <= 24; day += 6) {
      api().time.nowMs = before + day * 86_400_000
      expect((await api().call('/me', { login: busy })).status).toBe(200)
      // It is noted after the reply.
      await expect.poll(async () => lastUseOf(busy)).toBe(api().time.nowMs)
    }
    expect((await api().call('/me', { login: idle })).status).toBe(401)
    api().time.nowMs = before + 30 * 86_400_000
    expect((await api().call('/me', { login: busy })).status).toBe(401)
  })

  test('is listed with its origin, and can be ended alone or with all others', async () => {
    const tenant = await api().tenant('Listed')
    const { email } = await person(tenant)
    const [here, there, third] = [await loginOf(email), await loginOf(email), await loginOf(email)]
    const stranger = await api().login(tenant)
    const list = async (login: PersonLogin) =>
      (await api().call('/me/logins', { login })).body.items
    const items = await list(here)
    expect(items).toHaveLength(3)
    const shown = { ip: '192.0.2.1', organization: { id: tenant.organizationId, name: 'Listed' } }
    expect(items[0]).toMatchObject(shown)
    expect(JSON.stringify(items)).not.toMatch(/csrf|token/)
    const idOf = async (login: PersonLogin) =>
      (await list(login)).find(({ current }: { current: boolean }) => current).id
    const thereId = await idOf(there)
    const end = (id: string, login: PersonLogin) =>
      api().call(`/api/v1/me/logins/${id}`, { method: 'DELETE', login })
    expect((await end(thereId, stranger)).status).toBe(404)
    expect((await end('x', here)).status).toBe(404)
    expect((await end(thereId, { ...here, csrf: 'x' })).status).toBe(403)
    expect((await end(thereId, here)).status).toBe(204)
    expect((await end(thereId, here)).status).toBe(404)
    expect((await api().call('/me', { login: there })).status).toBe(401)
    expect((await api().call('/me', { login: third })).status).toBe(200)
    expect((await api().call('/me/logins', { method: 'DELETE', login: here })).status).toBe(204)
    expect((await api().call('/me', { login: third })).status).toBe(401)
    expect((await api().call('/me', { login: stranger })).status).toBe(200)
    const left = await end(await idOf(here), here)
    expect([left.status, left.headers['set-cookie']]).toEqual([
      204,
      expect.stringMatching(/^sluice_login=; Max-Age=0/),
    ])
    expect((await api().call('/me', { login: here })).status).toBe(401)
  })

  test('can write only with its own CSRF token', async () => {
    const tenant = await api().tenant('CSRF')
    const login = await api().login(tenant, 'viewer')
    const other = await api().login(tenant, 'viewer')
    const change = { method: 'PATCH', body: { name: 'Grace' } } as const
    for (const csrf of ['', 'x', other.csrf]) {
      const answer = await api().call('/me', { ...change, login: { ...login, csrf } })
      expect([answer.status, answer.body.code]).toEqual([403, 'csrf_failed'])
    }
    expect((await api().call('/me', { ...change, login })).body.name).toBe('Grace')
  })

  test('has 300 requests per minute over all routes for people', async () => {
    const login = await api().login(await api().tenant('Rate'))
    for (let call = 0; call < 150; call++) await api().call('/me', { login })
    const last = await api().call('/api/v1/organization/people', { login })
    expect(last.headers['ratelimit-remaining']).toBe('149')
    for (let call = 0; call < 149; call++) await api().call('/me', { login })
    const refused = await api().call('/api/v1/organization/people', { login })
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '60'])
  })

  test('works for another organization of the person after a switch', async () => {
    const [one, two] = [await api().tenant('One'), await api().tenant('Two')]
    const login = await api().login(one)
    const change = {
      method: 'PATCH',
      login,
      body: { organization_id: two.organizationId },
    } as const
    expect((await api().call('/me', change)).body.code).toBe('missing_role')
    await api().pool.query("insert into memberships values ($1, $2, 'viewer')", [
      two.organizationId,
      login.personId,
    ])
    const me = await api().call('/me', change)
    expect(me.body).toMatchObject({ role: 'viewer', organization: { name: 'Two' } })
    const { body } = await api().call('/api/v1/organization', { login })
    expect(body.name).toBe('Two')
  })
})

async function lastUseOf(login: PersonLogin): Promise<number | undefined> {
  const { rows } = await api().pool.query<{ at: Date }>(
    'select max(last_used_at) as at from logins where person_id = $1',
    [login.personId],
  )
  return rows[0]?.at.getTime()
}
