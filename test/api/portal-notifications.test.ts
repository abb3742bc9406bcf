import { v7 as uuidv7 } from 'uuid'
import { expect, test } from 'vitest'
import { contactTokenPurpose, formatIdsToken } from '#schemas/mail/contact-token.ts'
import {
  notificationLinkPurpose,
  readNotificationToken,
} from '#schemas/portal-notification-token.ts'
import { sendPortalNotifications } from '../../workers/portal-notifications/send-portal-notifications.ts'
import { apiOfThisFile, type Call, type Tenant } from '../fixtures/api-fixture.ts'

const api = apiOfThisFile()
const minuteMs = 60_000
let addresses = 0

async function portal(name: string) {
  const tenant = await api().tenant(name)
  const login = await api().login(tenant)
  const at = (path: string, call: Call = {}) => {
    addresses += 1
    const url = `/api/v1/p/${tenant.project.projectKey}${path}`
    return api().call(url, { method: 'POST', address: `10.2.0.${addresses}`, ...call })
  }
  const admin = (path: string, call: Call) =>
    api().call(`/api/v1/admin/portal/${tenant.project.id}${path}`, { login, ...call })
  const suggest = async (user: string, enduser_email?: string): Promise<string> => {
    const body = {
      title: `Idea of ${user}`,
      description: 'Please.',
      enduser_id: user,
      enduser_email,
    }
    return (await at('/ideas/suggest', { body })).body.idea_id
  }
  const vote = (ideaId: string, user: string, enduser_email?: string) =>
    at(`/ideas/${ideaId}/vote`, { body: { enduser_id: user, enduser_email } })
  const change = (ideaId: string, body: unknown) =>
    admin(`/ideas/${ideaId}`, { method: 'PATCH', body })
  return { tenant, at, admin, suggest, vote, change }
}

async function run(afterMs = 0): Promise<void> {
  api().time.nowMs += afterMs
  const { pool, ctx } = api()
  const context = {
    pg: pool,
    box: ctx.box,
    apiUrl: ctx.apiUrl,
    mailFrom: { name: 'Sluice', email: 'notices@sluice.test' },
  }
  await sendPortalNotifications(context, new Date(api().time.nowMs))
}

interface Email {
  to_address: string
  subject: string
  text: string
  kind: string
  from_address: string
  headers: Record<string, string>
}

async function emailsOf(tenant: Tenant): Promise<Email[]> {
  const { rows } = await api().pool.query<Email>(
    'select * from sends where organization_id = $1 order by created_at, lower(to_address)',
    [tenant.organizationId],
  )
  return rows
}

const pathOf = ({ headers }: Email) =>
  new URL(String(headers['List-Unsubscribe']).slice(1, -1)).pathname

test('author and voters get one email about a new status after five minutes', async () => {
  const { tenant, suggest, vote, change } = await portal('status')
  const ideaId = await suggest('ada', 'ada@example.com')
  await vote(ideaId, 'bob', 'Bob@Example.com')
  await vote(ideaId, 'ada2', 'ADA@example.com')
  await vote(ideaId, 'silent')
  expect((await change(ideaId, { status: 'Planned' })).status).toBe(200)
  await change(ideaId, { status: 'Started', response: 'We began.' })
  await run(4 * minuteMs)
  expect(await emailsOf(tenant)).toEqual([])
  await run(minuteMs)
  await run()
  const emails = await emailsOf(tenant)
  expect(emails.map(({ to_address }) => to_address.toLowerCase())).toEqual([
    'ada@example.com',
    'bob@example.com',
  ])
  expect(emails[0]).toMatchObject({
    kind: 'notice',
    from_address: 'notices@sluice.test',
    subject: '“Idea of ada” is now Started',
  })
  expect(emails[0]?.text).toContain('We began.')
})

test('a change that is undone within five minutes sends no email', async () => {
  const { tenant, suggest, change } = await portal('slip')
  const ideaId = await suggest('ada', 'ada@example.com')
  await change(ideaId, { status: 'Declined' })
  api().time.nowMs += minuteMs
  await change(ideaId, { status: 'Open' })
  await run(5 * minuteMs)
  expect(await emailsOf(tenant)).toEqual([])
  const { rows } = await api().pool.query('select dropped from portal_notices where idea_id = $1', [
    ideaId,
  ])
  expect(rows).toEqual([{ dropped: 'no_longer_true' }])
})

test('a reply notifies the author of the comment, unless it is their own reply', async () => {
  const { tenant, at, admin, suggest } = await portal('reply')
  const ideaId = await suggest('ada')
  const comment = async (user: string, parent_id?: string) =>
    (
      await at(`/ideas/${ideaId}/comments`, {
        body: { body: 'words', enduser_id: user, enduser_email: `${user}@example.com`, parent_id },
      })
    ).body.comment_id
  const root = await comment('ada')
  await comment('ada', root)
  await comment('bob', root)
  const body = { body: 'The team says yes.', parent_id: root }
  expect((await admin(`/ideas/${ideaId}/comments`, { method: 'POST', body })).status).toBe(201)
  await run()
  const emails = await emailsOf(tenant)
  expect(emails.map(({ to_address }) => to_address)).toEqual(['ada@example.com', 'ada@example.com'])
  expect(emails.map(({ text }) => text.includes('The team says yes.')).sort()).toEqual([
    false,
    true,
  ])
})

test('a mailbox gets at most five notifications a day from one portal', async () => {
  const { tenant, suggest, vote, change } = await portal('five')
  for (let index = 0; index < 7; index += 1) {
    const ideaId = await suggest(`author ${index}`)
    await vote(ideaId, 'ada', 'ada@example.com')
    await change(ideaId, { status: 'Planned' })
  }
  await run(5 * minuteMs)
  expect(await emailsOf(tenant)).toHaveLength(5)
})

test('a suppressed address gets no notification', async () => {
  const { tenant, suggest, change } = await portal('suppressed')
  await api().pool.query(
    `insert into addresses (id, organization_id, email, email_key, suppressed_at, suppression_cause)
     values (gen_random_uuid(), $1, 'ada@example.com', 'ada@example.com', now(), 'complaint')`,
    [tenant.organizationId],
  )
  await change(await suggest('ada', 'ada@example.com'), { status: 'Planned' })
  await run(5 * minuteMs)
  expect(await emailsOf(tenant)).toEqual([])
})

test('opening the unsubscribe link changes nothing; one click stops the emails of this portal only', async () => {
  const { tenant, suggest, change } = await portal('stop')
  const ideaId = await suggest('ada', 'ada@example.com')
  await change(ideaId, { status: 'Planned' })
  await run(5 * minuteMs)
  const [email] = await emailsOf(tenant)
  const path = pathOf(email!)
  const page = await api().call(path)
  expect(page.status).toBe(200)
  expect(page.body).toContain('Stop these emails')
  await change(ideaId, { status: 'Started' })
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const click = await api().app.inject({
    method: 'POST',
    url: path,
    headers,
    payload: 'List-Unsubscribe=One-Click',
  })
  expect(click.statusCode).toBe(200)
  await run(5 * minuteMs)
  await change(ideaId, { status: 'Completed' })
  await run(5 * minuteMs)
  expect(await emailsOf(tenant)).toHaveLength(1)
  expect((await api().call(`${path.slice(0, -1)}${path.endsWith('A') ? 'E' : 'A'}`)).status).toBe(
    404,
  )
})

test('“this was not me” removes the address from every end user who entered it', async () => {
  const { tenant, suggest, vote, change } = await portal('not me')
  const ideaId = await suggest('eve', 'victim@example.com')
  await vote(ideaId, 'eve', 'other@example.com')
  await change(ideaId, { status: 'Planned' })
  await run(5 * minuteMs)
  const email = (await emailsOf(tenant)).find(
    ({ to_address }) => to_address === 'victim@example.com',
  )
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const url = pathOf(email!)
  const answer = await api().app.inject({ method: 'POST', url, headers, payload: 'action=not_me' })
  expect(answer.body).toContain('No more emails')
  const { rows } = await api().pool.query('select email from endusers where project_id = $1', [
    tenant.project.id,
  ])
  expect(rows).toEqual([{ email: null }])
})

test('an unsubscribe link of a newsletter does not work for a portal', () => {
  const { box } = api().ctx
  const ids = { contactId: uuidv7(), campaignId: uuidv7() }
  const isMac = (message: Uint8Array, mac: Uint8Array) =>
    box.isMac(notificationLinkPurpose, message, mac)
  const signedFor = (purpose: string) =>
    formatIdsToken(1, ids, (message) => box.mac(purpose, message))
  expect(readNotificationToken(signedFor(contactTokenPurpose('legacy')), isMac)).toBeUndefined()
  expect(readNotificationToken(signedFor(notificationLinkPurpose), isMac)).toEqual({
    projectId: ids.campaignId,
    addressId: ids.contactId,
  })
})
