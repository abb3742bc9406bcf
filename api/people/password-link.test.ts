import { describe, expect, test } from 'vitest'
import { apiOfThisFile, type Tenant } from '../../test/fixtures/api-fixture.ts'
import { password, peopleOf } from '../../test/fixtures/people-fixture.ts'
import { buildApp } from '../app.ts'
import type { BackgroundWork } from '../http/background-work.ts'

const api = apiOfThisFile()
const { linkTo, logIn, loginOf, person, submit } = peopleOf(api)

describe('changing the password', () => {
  test('needs the current password, and ends all other logins', async () => {
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

  test('has its own counter of wrong passwords, separate from that of log-ins', async () => {
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

  test('no column of the database contains the link', async () => {
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

  test('known and unknown addresses cost the same queries until the reply', async () => {
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

  test('a forgotten password is replaced by an emailed link; only the newest link works, and only once', async () => {
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

  test('the email is sent three times per hour, and its link expires after one hour', async () => {
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

describe('a suppressed mailbox', () => {
  const people = '/api/v1/organization/people'
  async function suppress(tenant: Tenant, email: string, cause: string) {
    await api().pool.query(
      `insert into addresses (id, organization_id, email, email_key, suppressed_at, suppression_cause)
       values (uuidv7(), $1, $2, $2, now(), $3)
       on conflict (organization_id, email_key) do update set suppressed_at = now(), suppression_cause = $3`,
      [tenant.organizationId, email, cause],
    )
  }

  test('still gets password links, except when it does not exist, which is reported', async () => {
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

test('a bounce in one organization does not stop the password link of a member of two', async () => {
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
