import { createTransport } from 'nodemailer'
import { expect, test } from 'vitest'
import type { EmailDetail } from '#schemas/rest/email/email.ts'
import { organizationOfThisFile } from '../fixtures/processes/running-product.ts'
import { waitUntil } from '../fixtures/processes/wait-until.ts'

const product = organizationOfThisFile()

test.each(['ingest', 'workers', 'mailer', 'api'] as const)(
  '%s serves its health checks',
  async (service) => {
    const url = product().stack.urls[service]
    for (const path of ['/health', '/health/ready']) {
      expect((await fetch(`${url}${path}`)).status).toBe(200)
    }
    const metricsUrl = product().stack.demo.metricsUrls[service]
    const metrics = await fetch(metricsUrl)
    expect(metrics.headers.get('content-type')).toMatch(/^text\/plain/)
    const text = await metrics.text()
    expect(text).toMatch(/^process_resident_memory_bytes \d+/m)
    expect(text).toMatch(/^# HELP /m)
    const ops = new URL('/health/ready', metricsUrl)
    expect((await fetch(ops)).status).toBe(200)
    if (service === 'ingest' || service === 'api') {
      expect((await fetch(`${url}/metrics`)).status).toBe(404)
    }
  },
)

test('the documentation page is served and lists the routes', async () => {
  const { api } = product().stack.urls
  const page = await fetch(`${api}/docs`)
  expect(page.status).toBe(200)
  expect(await page.text()).toContain('swagger-ui')
  const routes = (await (await fetch(`${api}/docs/json`)).json()) as { paths: object }
  const below = '/api/v1/projects/{project_id}'
  expect(Object.keys(routes.paths)).toEqual(
    expect.arrayContaining([
      `${below}/issues`,
      `${below}/issues/{issue_id}`,
      `${below}/issues/{issue_id}/events`,
      `${below}/events`,
      `${below}/events/{event_id}`,
      `${below}/releases`,
      `${below}/outcomes`,
    ]),
  )
})

test('the demo token can read the demo project', async () => {
  const { urls, demo } = product().stack
  const response = await fetch(`${urls.api}/api/v1/projects/${demo.projectId}/issues`, {
    headers: { 'x-api-key': demo.accessToken },
  })
  expect({ status: response.status, body: await response.json() }).toEqual({
    status: 200,
    body: { items: [], next_cursor: null },
  })
})

test('a token of another organization can neither read nor change anything', async () => {
  const { stack } = product()
  const project = await product().project('private')
  const eventId = 'ab'.repeat(16)
  const body = `{"event_id":"${eventId}"}\n{"type":"event"}\n{"message":"secret"}`
  expect(await project.send({ body })).toMatchObject({ status: 200 })
  await project.hasEvents(1)
  const { id: issueId } = await project.issue()

  const { id } = await product().adminJson<{ id: string }>(
    'organization',
    'create',
    '--name',
    'Strangers',
  )
  const { value } = await product().adminJson<{ value: string }>(
    ...['token', 'create', '--label', 'spy', '--organization', id],
  )
  const below = `${stack.urls.api}/api/v1/projects/${project.id}`
  const paths = [
    'issues',
    `issues/${issueId}`,
    `issues/${issueId}/events`,
    'events',
    `events/${eventId}`,
    'releases',
    'outcomes',
  ]
  for (const path of paths) {
    const response = await fetch(`${below}/${path}`, { headers: { 'x-api-key': value } })
    expect({ path, status: response.status, text: await response.text() }).toMatchObject({
      path,
      status: 404,
      text: expect.not.stringContaining('secret'),
    })
  }
  const change = await fetch(`${below}/issues/${issueId}`, {
    method: 'PATCH',
    headers: { 'x-api-key': value, 'content-type': 'application/json' },
    body: '{"status":"resolved"}',
  })
  expect(change.status).toBe(404)
  expect((await project.issue()).status).toBe('unresolved')
  for (const headers of [{}, { 'x-api-key': 'oat_nothing' }] as Record<string, string>[]) {
    expect((await fetch(`${below}/issues`, { headers })).status).toBe(401)
  }
})

test('releases are listed with their events and new issues', async () => {
  const project = await product().project('releases')
  const nowSeconds = Date.now() / 1000
  // Latest release first: events of several partitions are counted in any order.
  for (const [release, message, secondsAgo] of [
    ['r@2', 'b', 10],
    ['r@2', 'a', 20],
    ['r@1', 'a', 30],
    ['r@1', 'a', 40],
  ] as const) {
    const event = { release, message, timestamp: nowSeconds - secondsAgo }
    await project.send({ body: `{}\n{"type":"event"}\n${JSON.stringify(event)}` })
  }
  await project.hasEvents(4)
  const { body } = await project.api<{ items: { version: string }[] }>('/releases')
  expect(body.items.toSorted((a, b) => a.version.localeCompare(b.version))).toMatchObject([
    { version: 'r@1', event_count: 2, new_issues: 1 },
    { version: 'r@2', event_count: 2, new_issues: 1 },
  ])
})

test('an email sent by SMTP can be read in the mailbox', async () => {
  const { demo } = product().stack
  const mail = createTransport({ url: demo.smtpUrl })
  const to = 'contact@mailbox.test'
  await mail.sendMail({
    from: 'News <news@demo.test>',
    to,
    subject: 'Zażółć 😀',
    text: 'plain words',
    html: '<p>rich words</p>',
    headers: { 'X-Campaign': '7' },
  })
  mail.close()

  const email = await waitUntil('the email', async () => {
    const response = await fetch(`${demo.mailbox}?to=${to}`)
    return ((await response.json()) as { items: { id: string }[] }).items[0]
  })
  expect(email).toMatchObject({ to: [to], subject: 'Zażółć 😀' })
  const detail = (await (await fetch(`${demo.mailbox}/${email.id}`)).json()) as EmailDetail
  expect(detail.text).toContain('plain words')
  expect(detail.html).toContain('<p>rich words</p>')
  expect(detail.headers['x-campaign']).toBe('7')
  expect(detail.raw).toContain('X-Campaign: 7')
  const others = await fetch(`${demo.mailbox}?to=nobody@mailbox.test`)
  expect(await others.json()).toEqual({ items: [] })
})

test('a password reset and a quota warning are sent by email, and their text is then erased', async () => {
  const { demo, urls } = product().stack
  const mailTo = async (to: string, subject: string) => {
    const items = await waitUntil(`the email ${subject}`, async () => {
      const response = await fetch(`${demo.mailbox}?to=${to}`)
      const list = (await response.json()) as { items: { id: string; subject: string }[] }
      return list.items.filter((item) => item.subject.startsWith(subject))[0]
    })
    return (await (await fetch(`${demo.mailbox}/${items.id}`)).json()) as EmailDetail
  }
  const { email } = demo.owner
  const asked = await fetch(`${urls.api}/api/v1/forgotten-password`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email }),
  })
  expect(asked.status).toBe(202)
  const { text } = await mailTo(email, 'Reset your password')
  const path = /\/welcome\/\S+/.exec(text ?? '')![0]
  expect((await fetch(`${urls.api}${path}`)).status).toBe(200)
  await waitUntil('the erased text', async () => {
    const { rows } = await product().postgres.query(
      `select text, html, sealed_body from sends where to_address = $1 and subject = 'Reset your password'`,
      [email],
    )
    return rows.every((row) => row.text === '' && row.html === null && row.sealed_body === null)
  })

  await product().postgres.query(`update projects set monthly_events = 100 where dsn_id = $1`, [
    demo.dsnId,
  ])
  await product().postgres.query(
    `select graphile_worker.add_job('quota_warning', json_build_object('project_id', $1::text::int, 'period', '2026-11-01', 'percent', 80))`,
    [demo.dsnId],
  )
  const warning = await mailTo(email, 'Demo')
  expect(warning.subject).toContain('has used 80 % of its events of 2026-11')
})
