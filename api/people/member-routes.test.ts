import { describe, expect, test } from 'vitest'
import { accessScopes } from '#schemas/rest/access-scope.ts'
import { apiOfThisFile, type PersonLogin } from '../../test/fixtures/api-fixture.ts'
import { peopleOf } from '../../test/fixtures/people-fixture.ts'
import { addAccessToken, addApiKey } from '../credentials/credential-store.ts'

const api = apiOfThisFile()
const { linkTo, loginOf, person, submit } = peopleOf(api)

describe('people of an organization', () => {
  const people = '/api/v1/organization/people'

  test('an invited person chooses a password and is logged in', async () => {
    const tenant = await api().tenant('Invite')
    const login = await api().login(tenant)
    const body = { email: 'New.Person@Example.com', role: 'member' }
    const invited = await api().call(people, { method: 'POST', login, body })
    expect(invited.body).toMatchObject({ email: 'new.person@example.com', joined: false })
    expect(JSON.stringify(invited.body)).not.toContain('/welcome/')
    const again = await api().call(people, { method: 'POST', login, body })
    expect([again.status, again.body.code]).toEqual([409, 'conflict'])

    const link = await linkTo('new.person@example.com')
    const page = await api().call(link)
    expect(page.headers['content-security-policy']).toContain("default-src 'none'")
    const joined = await submit(link, { name: 'New', password: 'chosen by myself' })
    expect(joined.statusCode).toBe(200)
    const listed = await api().call(people, { login })
    expect(listed.body.items).toContainEqual(
      expect.objectContaining({ email: 'new.person@example.com', name: 'New', joined: true }),
    )
    await loginOf('new.person@example.com', 'chosen by myself')
  })

  test('a person with a password is added at once, and gets no link', async () => {
    const { email } = await person(await api().tenant('Here'))
    const login = await api().login(await api().tenant('There'))
    const body = { email, role: 'viewer' }
    const added = await api().call(people, { method: 'POST', login, body })
    expect(added.body).toMatchObject({ joined: true, role: 'viewer' })
    expect(await linkTo(email)).toBe('')
    const { rows } = await api().pool.query('select subject from sends where to_address = $1', [
      email,
    ])
    expect(rows).toEqual([{ subject: 'You were added to There' }])
  })

  test('the last owner can neither change role nor be removed', async () => {
    const tenant = await api().tenant('Last owner')
    const login = await api().login(tenant)
    const path = `${people}/${login.personId}`
    const change = { method: 'PATCH', login, body: { role: 'member' } } as const
    expect((await api().call(path, change)).status).toBe(409)
    expect((await api().call(path, { method: 'DELETE', login })).status).toBe(409)
    await api().login(tenant, 'owner')
    expect((await api().call(path, change)).body.role).toBe('member')
  })

  test('two owners who demote each other concurrently leave one owner', async () => {
    const tenant = await api().tenant('Each other')
    const [a, b] = [await api().login(tenant), await api().login(tenant)]
    const demote = (login: PersonLogin, other: PersonLogin) =>
      api().call(`${people}/${other.personId}`, {
        method: 'PATCH',
        login,
        body: { role: 'viewer' },
      })
    const answers = await Promise.all([demote(a, b), demote(b, a)])
    // The other one comes too late to be an owner, or is the last.
    expect(answers.map(({ status }) => status === 200).sort()).toEqual([false, true])
    const { rows } = await api().pool.query(
      "select count(*)::int as owners from memberships where organization_id = $1 and role = 'owner'",
      [tenant.organizationId],
    )
    expect(rows).toEqual([{ owners: 1 }])
  })

  test.each(['revoke', 'reassign'] as const)(
    'the tokens and keys that a person created go with them: %s',
    async (credentials) => {
      const tenant = await api().tenant('Credentials')
      const owner = await api().login(tenant)
      const gone = await api().login(tenant, 'member')
      const organization = '/api/v1/organization'
      const made = async (part: string, login: PersonLogin) =>
        (
          await api().call(`${organization}/${part}`, {
            ...{ method: 'POST', login, body: { label: 'x' } },
          })
        ).body
      const token = await made('tokens', gone)
      const key = await made('api-keys', gone)
      expect([token.created_by, key.created_by]).toEqual([gone.email, gone.email])
      const kept = await made('tokens', owner)
      const { organizationId } = tenant
      const cli = await addAccessToken(api().pool, { organizationId, label: 'cli' })
      const cliKey = await addApiKey(api().pool, { organizationId, label: 'cli' })
      const works = async (value: string) =>
        value.startsWith('oat_')
          ? (await api().call(`/api/v1/projects/${tenant.project.id}/issues`, { token: value }))
              .status
          : (
              await api().call('/api/v1/campaigns?newsletter=x', {
                headers: { authorization: `Bearer ${value}` },
              })
            ).status
      const path = `${people}/${gone.personId}?credentials=${credentials}`
      expect((await api().call(path, { method: 'DELETE', login: owner })).status).toBe(204)
      const left = credentials === 'reassign'
      expect(await works(token.value)).toBe(left ? 200 : 401)
      expect(await works(key.value)).toBe(left ? 404 : 401)
      expect(await works(kept.value)).toBe(200)
      expect(await works(cli.value)).toBe(200)
      expect(await works(cliKey.value)).toBe(404)
      const { body } = await api().call(`${organization}/tokens/${token.id}`, { login: owner })
      expect([body.revoked_at === null, body.created_by]).toEqual([left, left ? owner.email : null])
      const audit = await api().call(`${organization}/audit?subject_id=${key.id}`, { login: owner })
      expect(audit.body.items[0]).toMatchObject({
        action: left ? 'api_key.reassigned' : 'api_key.revoked',
        details: { created_by: gone.email },
      })
      const bad = await api().call(`${people}/${owner.personId}?credentials=keep`, {
        ...{ method: 'DELETE', login: owner },
      })
      expect(bad.status).toBe(400)
    },
  )

  test('a removed person is logged out at once, and deleted when they have no other organization', async () => {
    const [one, two] = [await api().tenant('Removes'), await api().tenant('Keeps')]
    const owner = await api().login(one)
    const gone = await api().login(one, 'member')
    const kept = await api().login(one, 'member')
    await api().pool.query("insert into memberships values ($1, $2, 'viewer')", [
      two.organizationId,
      kept.personId,
    ])
    for (const { personId } of [gone, kept]) {
      const removed = await api().call(`${people}/${personId}`, { method: 'DELETE', login: owner })
      expect(removed.status).toBe(204)
    }
    expect((await api().call('/me', { login: gone })).status).toBe(401)
    expect((await api().call('/me', { login: kept })).status).toBe(401)
    const { rows } = await api().pool.query('select id from people where id = any($1)', [
      [gone.personId, kept.personId],
    ])
    expect(rows).toEqual([{ id: kept.personId }])
  })

  test('an alert rule that names the address of a removed person reaches them no more', async () => {
    const tenant = await api().tenant('Alerts', accessScopes)
    const owner = await api().login(tenant)
    const { id: personId, email } = await person(tenant)
    const body = {
      name: 'Errors',
      when: [{ type: 'new_issue' }],
      then: [{ type: 'email', to: ['owners', email] }],
    }
    const rule = await api().of(tenant, '/alerts', { method: 'POST', body })
    expect(rule.body.then[0].to).toEqual(['owners', email])
    await api().call(`${people}/${personId}`, { method: 'DELETE', login: owner })
    const after = await api().of(tenant, `/alerts/${rule.body.id}`)
    expect(after.body.then[0].to.toSorted()).toEqual(['owners', personId].sort())
    expect(after.body.warnings).toEqual([
      { field: expect.any(String), rule: expect.stringMatching(/does not belong/) },
    ])
  })
})
