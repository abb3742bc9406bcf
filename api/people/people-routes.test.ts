import { describe, expect, test } from 'vitest'
import { apiOfThisFile, type PersonLogin, type Tenant } from '../../test/fixtures/api-fixture.ts'
import { emailsTo } from '../../test/fixtures/email-fixture.ts'
import { buildApp } from '../app.ts'
import type { BackgroundWork } from '../http/background-work.ts'
import { createAccessToken, createApiKey, createPerson } from '../organization/account-store.ts'

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

/** Of the newest email to this address. */
async function linkTo(email: string): Promise<string> {
  // What is done after a reply may still be under way.
  await api().app.getDecorator<BackgroundWork>('backgroundWork').settled()
  const text = (await emailsTo(api(), email)).at(-1)?.text ?? ''
  return /\/welcome\/\S+/.exec(text)?.[0] ?? ''
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

  test('after five failures a client waits, first a minute and each time longer, even with the right password', async () => {
    const { email } = await person(await api().tenant('Client'))
    const fail = async () => (await logIn(email, 'not it', '198.51.100.1')).statusCode
    for (let failure = 0; failure < 5; failure++) expect(await fail()).toBe(401)
    for (const seconds of [60, 120, 240, 480, 900, 900]) {
      const refused = await logIn(email, password, '198.51.100.1')
      expect([refused.statusCode, refused.headers['retry-after']]).toEqual([429, String(seconds)])
      api().time.nowMs += seconds * 1000 - 1
      expect(await fail()).toBe(429)
      api().time.nowMs += 1
      expect(await fail()).toBe(401)
    }
    // The owner elsewhere waits for nothing.
    expect((await logIn(email, password, '198.51.100.77')).statusCode).toBe(200)
    api().time.nowMs += 900_000
    expect((await logIn(email, password, '198.51.100.1')).statusCode).toBe(200)
    for (let failure = 0; failure < 5; failure++) expect(await fail()).toBe(401)
    expect(await fail()).toBe(429)
  })

  test('failures are forgotten after fifteen minutes of quiet beyond the longest delay', async () => {
    const { email } = await person(await api().tenant('Quiet'))
    const fail = async () => (await logIn(email, 'not it', '198.51.100.3')).statusCode
    for (let failure = 0; failure < 5; failure++) await fail()
    api().time.nowMs += 30 * 60_000
    for (let failure = 0; failure < 5; failure++) expect(await fail()).toBe(401)
    expect(await fail()).toBe(429)
  })

  test('five accounts that were tried from a network delay it, and a right password gives only itself back', async () => {
    const tenant = await api().tenant('Network')
    const [known, other] = [await person(tenant), await person(tenant)]
    const network = '203.0.113.9'
    expect((await logIn(known.email, password, network)).statusCode).toBe(200)
    for (let failure = 0; failure < 5; failure++) {
      const guessed = await logIn(`guess-${failure}@example.com`, password, network)
      expect(guessed.statusCode).toBe(401)
    }
    expect((await logIn(other.email, password, network)).statusCode).toBe(429)
    expect((await logIn(other.email, password, '203.0.113.10')).statusCode).toBe(200)
    // Whoever has logged in from this network before is not held up by the guesses of others there.
    expect((await logIn(known.email, password, network)).statusCode).toBe(200)
  })

  test('the typing mistakes of one person do not close the network of an office', async () => {
    const tenant = await api().tenant('Office')
    const [clumsy, colleague] = [await person(tenant), await person(tenant)]
    for (let failure = 0; failure < 6; failure++) await logIn(clumsy.email, 'no', '203.0.113.40')
    expect((await logIn(colleague.email, password, '203.0.113.40')).statusCode).toBe(200)
  })

  test('guesses from everywhere slow an account down, but not where its owner has logged in before', async () => {
    const { email } = await person(await api().tenant('At once'))
    expect((await logIn(email, password, '192.0.2.200')).statusCode).toBe(200)
    const tries = Array.from({ length: 40 }, (_, index) =>
      logIn(email, `guess ${index}`, `2001:db8:${index}::1`),
    )
    const statuses = (await Promise.all(tries)).map(({ statusCode }) => statusCode)
    expect(statuses.filter((status) => status === 401)).toHaveLength(20)
    expect(statuses.filter((status) => status === 429)).toHaveLength(20)
    const elsewhere = await logIn(email, password, '2001:db8:ffff::1')
    expect([elsewhere.statusCode, elsewhere.headers['retry-after']]).toEqual([429, '2'])
    expect((await logIn(email, password, '192.0.2.200')).statusCode).toBe(200)
    api().time.nowMs += 2_000
    expect((await logIn(email, password, '2001:db8:ffff::1')).statusCode).toBe(200)
  })

  test('of twenty guesses of one client at once five are looked at', async () => {
    const { email } = await person(await api().tenant('One client'))
    const tries = Array.from({ length: 20 }, (_, index) => logIn(email, `guess ${index}`))
    const statuses = (await Promise.all(tries)).map(({ statusCode }) => statusCode)
    expect(statuses.filter((status) => status === 401)).toHaveLength(5)
    expect(statuses.filter((status) => status === 429)).toHaveLength(15)
  })

  test('behind a proxy that is not declared no network is limited, and clients are told apart', async () => {
    const { email } = await person(await api().tenant('Proxy'))
    const through = (to: string, given: string, forwarded: string) =>
      api().app.inject({
        ...{ method: 'POST', url: '/api/v1/login', remoteAddress: '10.0.0.1' },
        headers: { 'x-forwarded-for': forwarded },
        payload: { email: to, password: given },
      })
    for (let guess = 0; guess < 12; guess++) {
      const answer = await through(`proxied-${guess}@example.com`, 'no', '192.0.2.66')
      expect(answer.statusCode).toBe(401)
    }
    for (let guess = 0; guess < 5; guess++) await through(email, 'no', '192.0.2.66')
    expect((await through(email, password, '192.0.2.66')).statusCode).toBe(429)
    expect((await through(email, password, '192.0.2.67')).statusCode).toBe(200)
  })

  test('a log-in that failed stands in the audit log of the person’s organizations', async () => {
    const tenant = await api().tenant('Failed')
    const { email, id } = await person(tenant)
    await logIn(email, 'not it', '198.51.100.9')
    await logIn('nobody-at-all@example.com', 'not it', '198.51.100.9')
    await api().app.getDecorator<BackgroundWork>('backgroundWork').settled()
    const login = await loginOf(email)
    const query = 'action=person.login_failed'
    const { body } = await api().call(`/api/v1/organization/audit?${query}`, { login })
    expect(body.items).toMatchObject([
      { actor: email, person_id: null, subject_id: id, ip: '198.51.100.9', via: 'login' },
    ])
    expect(body.items).toHaveLength(1)
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

  test('is listed with where it came from, and ended one by one or all others at once', async () => {
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

  test('has a counter of its own: wrong passwords there delay no login, and the other way round', async () => {
    const tenant = await api().tenant('Counters')
    const { email, id } = await person(tenant)
    const here = await loginOf(email)
    const change = (current_password: string) =>
      api().call('/me', {
        ...{ method: 'PATCH', login: here },
        body: { current_password, new_password: 'another password' },
      })
    for (let failure = 0; failure < 5; failure++) expect((await change('no')).status).toBe(401)
    const refused = await change(password)
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '60'])
    expect((await logIn(email, password, '198.51.100.20')).statusCode).toBe(200)
    const failed = 'action=person.password_change_failed'
    const audit = await api().call(`/api/v1/organization/audit?${failed}`, { login: here })
    expect(audit.body.items).toHaveLength(5)
    expect(audit.body.items[0]).toMatchObject({ person_id: id, subject_id: id })
    api().time.nowMs += 60_000
    for (let failure = 0; failure < 5; failure++) await logIn(email, 'no', '198.51.100.21')
    expect((await logIn(email, password, '198.51.100.21')).statusCode).toBe(429)
    expect((await change(password)).status).toBe(200)
  })

  test('the link stands in no column of the database', async () => {
    const { email } = await person(await api().tenant('Sealed'))
    await api().call('/forgotten-password', { method: 'POST', body: { email } })
    const token = (await linkTo(email)).split('/').at(-1)!
    expect(token).toMatch(/^[\w-]{43}$/)
    const { rows } = await api().pool.query<{ text: string }>(
      `select row_to_json(s)::text as text from sends s where to_address = $1
       union all select row_to_json(l)::text from person_links l join people p on p.id = l.person_id where p.email = $1`,
      [email],
    )
    expect(rows).toHaveLength(2)
    for (const { text } of rows) {
      expect(text).not.toContain(token)
      expect(text).not.toContain(Buffer.from(token).toString('hex'))
    }
  })

  test('until the reply known and unknown addresses cost the same queries', async () => {
    const { email } = await person(await api().tenant('Same time'))
    const queries: string[] = []
    let isReplied = false
    const { pg } = api().ctx
    const note = (text: string) => {
      if (!isReplied) queries.push(text)
    }
    const app = await buildApp({
      ...api().ctx,
      pg: {
        query: (text: string, values?: unknown[]) => {
          note(text)
          return pg.query(text, values)
        },
        transaction: (work: Parameters<typeof pg.transaction>[0]) =>
          pg.transaction((client) =>
            work({
              query: (text: string, values?: unknown[]) => {
                note(text)
                return client.query(text, values)
              },
            } as typeof client),
          ),
      } as typeof pg,
    })
    const background = app.getDecorator<BackgroundWork>('backgroundWork')
    const after = background.after.bind(background)
    background.after = (reply, name, work) =>
      after(reply, name, () => {
        isReplied = true
        return work()
      })
    const costOf = async (url: string, body: object) => {
      queries.length = 0
      isReplied = false
      const answer = await app.inject({
        method: 'POST',
        url,
        payload: body,
        remoteAddress: '198.51.100.60',
      })
      await background.settled()
      return [answer.statusCode, answer.body, [...queries]]
    }
    const unknown = 'nobody-of-this-name@example.com'
    const work = 'delete from person_links where person_id = $1'
    const asked = await costOf('/forgotten-password', { email })
    expect(asked).toEqual(await costOf('/forgotten-password', { email: unknown }))
    expect(asked[2]).not.toContain(work)
    expect(await linkTo(email)).not.toBe('')
    const failed = await costOf('/login', { email, password: 'not it' })
    expect(failed[0]).toBe(401)
    expect(failed).toEqual(await costOf('/login', { email: unknown, password: 'not it' }))
    await app.close()
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
    for (let email = 0; email < 3; email++) expect((await ask()).status).toBe(202)
    expect((await ask()).status).toBe(429)
    const link = await linkTo(email)
    api().time.nowMs += 60 * 60_000
    expect((await api().call(link)).status).toBe(404)
    expect((await ask()).status).toBe(202)
  })
})

describe('a mailbox that campaigns no longer write to', () => {
  const people = '/api/v1/organization/people'
  async function suppress(tenant: Tenant, email: string, cause: string) {
    await api().pool.query(
      `insert into addresses (id, organization_id, email, email_key, suppressed_at, suppression_cause)
       values (uuidv7(), $1, $2, $2, now(), $3)
       on conflict (organization_id, email_key) do update set suppressed_at = now(), suppression_cause = $3`,
      [tenant.organizationId, email, cause],
    )
  }

  test('gets a password link all the same, unless it does not exist: that is said', async () => {
    const tenant = await api().tenant('Suppressed')
    const owner = await api().login(tenant)
    for (const [cause, status] of [
      ['complaint', 202],
      ['manual', 202],
      ['soft_run', 202],
      ['hard', 409],
    ] as const) {
      const { email, id } = await person(tenant, 'member')
      await suppress(tenant, email, cause)
      const path = `${people}/${id}/link`
      const asked = await api().call(path, { method: 'POST', login: owner })
      expect([cause, asked.status]).toEqual([cause, status])
      if (status === 409) expect(asked.body).toMatchObject({ code: 'suppressed' })
      const { body } = await api().call(`${people}/${id}`, { login: owner })
      expect(body.undeliverable).toBe(cause === 'hard')
    }
  })
})

test('a bounce that one organization reported does not stop the password link of a member of two', async () => {
  const [one, two] = [await api().tenant('Bounced'), await api().tenant('Fine')]
  const { email, id } = await person(one)
  await api().pool.query("insert into memberships values ($1, $2, 'viewer')", [
    two.organizationId,
    id,
  ])
  await api().pool.query(
    `insert into addresses (id, organization_id, email, email_key, suppressed_at, suppression_cause)
     values (uuidv7(), $1, $2, $2, now(), 'hard')`,
    [one.organizationId, email],
  )
  await api().call('/forgotten-password', { method: 'POST', body: { email } })
  expect(await linkTo(email)).not.toBe('')
  const { rows } = await api().pool.query(
    'select organization_id as id from sends where to_address = $1',
    [email],
  )
  expect(rows).toEqual([{ id: two.organizationId }])
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
      const cli = await createAccessToken(api().pool, { organizationId, label: 'cli' })
      const cliKey = await createApiKey(api().pool, { organizationId, label: 'cli' })
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
