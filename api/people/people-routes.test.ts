import { describe, expect, test } from 'vitest'
import { apiOfThisFile, type PersonLogin, type Tenant } from '../../test/api-fixture.ts'
import { createPerson } from '../io/account-store.ts'

const api = apiOfThisFile()
const password = 'a password of the tests'
let count = 0

async function person(tenant: Tenant, role: 'owner' | 'member' | 'viewer' = 'owner') {
  count += 1
  const email = `person-${count}@example.com`
  const { organizationId } = tenant
  const { id } = await createPerson(api().pool, {
    organizationId,
    email,
    name: 'Ada',
    password,
    role,
  })
  return { id, email }
}

function logIn(email: string, given = password, network = '192.0.2.1') {
  return api().app.inject({
    method: 'POST',
    url: '/api/v1/login',
    payload: { email, password: given },
    remoteAddress: network,
  })
}

async function loginOf(email: string, given = password): Promise<PersonLogin> {
  const response = await logIn(email, given)
  expect(response.statusCode).toBe(200)
  const { csrf_token: csrf, id } = response.json()
  const cookie = String(response.headers['set-cookie']).split(';', 1)[0]!
  return { personId: id, email, cookie, csrf }
}

/** Of the newest letter to this address. */
async function linkTo(email: string): Promise<string> {
  const { rows } = await api().pool.query<{ text: string }>(
    'select text from sends where to_address = $1 order by id desc limit 1',
    [email],
  )
  return /\/welcome\/\S+/.exec(rows[0]?.text ?? '')?.[0] ?? ''
}

function submit(path: string, fields: Record<string, string>) {
  return api().app.inject({
    method: 'POST',
    url: path,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams(fields).toString(),
  })
}

describe('logging in', () => {
  test('the address and password of a person open a login', async () => {
    const tenant = await api().tenant('Login')
    const { email, id } = await person(tenant, 'member')
    const response = await logIn(` ${email.toUpperCase()} `)
    expect(response.headers['set-cookie']).toMatch(
      /^sluice_login=[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax$/,
    )
    expect(response.json()).toMatchObject({
      id,
      email,
      name: 'Ada',
      role: 'member',
      organization: { id: tenant.organizationId, name: 'Login' },
    })
    const login = await loginOf(email)
    for (const path of ['/api/v1/me', '/me']) {
      const me = await api().call(path, { login })
      expect(me.body).toMatchObject({ id, csrf_token: login.csrf })
    }
  })

  test('wrong password, unknown address and a person without password get one answer', async () => {
    const tenant = await api().tenant('One answer')
    const { email } = await person(tenant)
    const invited = (await api().login(tenant)).email
    const answers = []
    for (const [to, given] of [
      [email, 'not it'],
      ['nobody@example.com', password],
      [invited, password],
    ] as const) {
      const response = await logIn(to, given, `192.0.2.${answers.length + 10}`)
      answers.push([response.statusCode, response.body])
    }
    expect(answers[0]).toEqual([401, expect.stringContaining('wrong_password')])
    expect(answers[1]).toEqual(answers[0])
    expect(answers[2]).toEqual(answers[0])
  })

  test('five failures of an address close it for fifteen minutes, even for the right password', async () => {
    const { email } = await person(await api().tenant('Address'))
    for (let failure = 0; failure < 5; failure++) {
      expect((await logIn(email, 'not it', `198.51.100.${failure}`)).statusCode).toBe(401)
    }
    const refused = await logIn(email, password, '198.51.100.5')
    expect(refused.statusCode).toBe(429)
    expect(refused.headers['retry-after']).toBe('900')
    api().time.nowMs += 15 * 60_000
    expect((await logIn(email, password, '198.51.100.5')).statusCode).toBe(200)
  })

  test('five failures from a network close it, and a right password gives only itself back', async () => {
    const { email } = await person(await api().tenant('Network'))
    const network = '203.0.113.9'
    for (let failure = 0; failure < 5; failure++) {
      expect((await logIn(email, password, network)).statusCode).toBe(200)
      const guessed = await logIn(`guess-${failure}@example.com`, password, network)
      expect(guessed.statusCode).toBe(401)
    }
    expect((await logIn(email, password, network)).statusCode).toBe(429)
    expect((await logIn(email, password, '203.0.113.10')).statusCode).toBe(200)
  })

  test('of twenty guesses at once five are looked at', async () => {
    const { email } = await person(await api().tenant('At once'))
    const tries = Array.from({ length: 20 }, (_, index) =>
      logIn(email, `guess ${index}`, `2001:db8:${index}::1`),
    )
    const statuses = (await Promise.all(tries)).map(({ statusCode }) => statusCode)
    expect(statuses.filter((status) => status === 401)).toHaveLength(5)
    expect(statuses.filter((status) => status === 429)).toHaveLength(15)
  })
})

describe('a login', () => {
  test('ends with logging out, and other logins of the person stay', async () => {
    const { email } = await person(await api().tenant('Log out'))
    const [first, second] = [await loginOf(email), await loginOf(email)]
    const left = await api().call('/logout', { method: 'POST', login: first })
    expect(left.status).toBe(204)
    expect(left.headers['set-cookie']).toMatch(/^sluice_login=; Max-Age=0/)
    expect((await api().call('/me', { login: first })).body.code).toBe('invalid_credentials')
    expect((await api().call('/me', { login: second })).status).toBe(200)
  })

  test('ends after a week without use, and after thirty days however busy', async () => {
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

  test('writes only with its own CSRF token', async () => {
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

  test('has 300 requests a minute, over all routes for people together', async () => {
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

describe('another password', () => {
  test('needs the old one, and ends all other logins', async () => {
    const { email } = await person(await api().tenant('Change'))
    const [here, there] = [await loginOf(email), await loginOf(email)]
    const change = (current_password: string) => ({
      method: 'PATCH' as const,
      login: here,
      body: { current_password, new_password: 'another password' },
    })
    expect((await api().call('/me', change('not it'))).body.code).toBe('wrong_password')
    expect((await api().call('/me', change(password))).status).toBe(200)
    expect((await api().call('/me', { login: there })).status).toBe(401)
    expect((await api().call('/me', { login: here })).status).toBe(200)
    expect((await loginOf(email, 'another password')).personId).toBe(here.personId)
  })

  test('comes by a letter when it was forgotten; the link works once and only the newest', async () => {
    const { email } = await person(await api().tenant('Forgotten'))
    const before = await loginOf(email)
    const ask = (to: string) =>
      api().call('/forgotten-password', { method: 'POST', body: { email: to } })
    expect((await ask(email)).status).toBe(202)
    const older = await linkTo(email)
    expect((await ask(email)).status).toBe(202)
    const link = await linkTo(email)
    expect((await ask('nobody-here@example.com')).status).toBe(202)

    expect((await api().call(older)).status).toBe(404)
    expect((await api().call(link)).body).toContain(email)
    expect((await submit(link, { password: 'short' })).statusCode).toBe(400)
    const changed = await submit(link, { password: 'a new password' })
    expect(changed.statusCode).toBe(200)
    expect(changed.headers['set-cookie']).toMatch(/^sluice_login=/)
    expect((await submit(link, { password: 'once more, please' })).statusCode).toBe(404)
    expect((await api().call('/me', { login: before })).status).toBe(401)
    await loginOf(email, 'a new password')
  })

  test('the letter is sent three times an hour, and its link ends after one', async () => {
    const { email } = await person(await api().tenant('Hour'))
    const ask = () => api().call('/forgotten-password', { method: 'POST', body: { email } })
    for (let letter = 0; letter < 3; letter++) expect((await ask()).status).toBe(202)
    expect((await ask()).status).toBe(429)
    const link = await linkTo(email)
    api().time.nowMs += 60 * 60_000
    expect((await api().call(link)).status).toBe(404)
    expect((await ask()).status).toBe(202)
  })
})

describe('people of an organization', () => {
  const people = '/api/v1/organization/people'

  test('an invited person chooses a password and is in', async () => {
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

  test('who has a password is added at once, and gets no link', async () => {
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

  test('the last owner keeps the role, and stays', async () => {
    const tenant = await api().tenant('Last owner')
    const login = await api().login(tenant)
    const path = `${people}/${login.personId}`
    const change = { method: 'PATCH', login, body: { role: 'member' } } as const
    expect((await api().call(path, change)).status).toBe(409)
    expect((await api().call(path, { method: 'DELETE', login })).status).toBe(409)
    await api().login(tenant, 'owner')
    expect((await api().call(path, change)).body.role).toBe('member')
  })

  test('two owners who demote each other at once leave one', async () => {
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

  test('whoever is removed is out at once, and forgotten when nobody else knows them', async () => {
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
})
