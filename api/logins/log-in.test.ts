import { describe, expect, test } from 'vitest'
import { apiOfThisFile } from '../../test/fixtures/api-fixture.ts'
import { password, peopleOf } from '../../test/fixtures/people-fixture.ts'
import type { BackgroundWork } from '../http/background-work.ts'

const api = apiOfThisFile()
const { logIn, loginOf, person } = peopleOf(api)

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

  test('a wrong password, an unknown address and a person without a password get the same reply', async () => {
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

  test('after five failures a client waits one minute, then longer each time, even with the right password', async () => {
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

  test('failures expire fifteen minutes after the longest delay', async () => {
    const { email } = await person(await api().tenant('Quiet'))
    const fail = async () => (await logIn(email, 'not it', '198.51.100.3')).statusCode
    for (let failure = 0; failure < 5; failure++) await fail()
    api().time.nowMs += 30 * 60_000
    for (let failure = 0; failure < 5; failure++) expect(await fail()).toBe(401)
    expect(await fail()).toBe(429)
  })

  test('failures on five accounts delay a network, and a correct password undoes only its own attempt', async () => {
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
    // A person who has logged in from this network before is not delayed by the guesses of others
    // there.
    expect((await logIn(known.email, password, network)).statusCode).toBe(200)
  })

  test('wrong passwords of one person do not block the network of an office', async () => {
    const tenant = await api().tenant('Office')
    const [clumsy, colleague] = [await person(tenant), await person(tenant)]
    for (let failure = 0; failure < 6; failure++) await logIn(clumsy.email, 'no', '203.0.113.40')
    expect((await logIn(colleague.email, password, '203.0.113.40')).statusCode).toBe(200)
  })

  test('guesses from many networks delay an account, except on networks where its owner has logged in', async () => {
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

  test('of twenty concurrent guesses of one client, five are checked', async () => {
    const { email } = await person(await api().tenant('One client'))
    const tries = Array.from({ length: 20 }, (_, index) => logIn(email, `guess ${index}`))
    const statuses = (await Promise.all(tries)).map(({ statusCode }) => statusCode)
    expect(statuses.filter((status) => status === 401)).toHaveLength(5)
    expect(statuses.filter((status) => status === 429)).toHaveLength(15)
  })

  test('behind an undeclared proxy no network is limited, and clients are distinguished', async () => {
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

  test('a failed log-in is written to the audit log of the person’s organizations', async () => {
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
