/** One email of the send log: its attempts, the reports about it, and who may read its content. */
import { expect, test } from 'vitest'
import { formatEmailRef } from '#schemas/mail/bounce-ref.ts'
import type { SendDetail } from '#schemas/rest/email/send.ts'
import { apiOfThisFile, fixtureNowMs, type PersonLogin } from '../../test/fixtures/api-fixture.ts'
import { type MailTenant, mailTenant } from '../../test/fixtures/email-fixture.ts'
import { recordBounce } from '../bounces/bounce-store.ts'
import { ensureAddress } from '../contacts/address-store.ts'
import { addSealedSend, addSend, type NewSend, sendKinds } from './send-store.ts'

const api = apiOfThisFile()
const sends = '/api/v1/admin/email/sends'
const secret = 'https://example.com/reset?token=only-for-its-recipient'

async function newSend(tenant: MailTenant, kind: NewSend['kind'], more: Partial<NewSend> = {}) {
  const { organizationId } = tenant
  const to = `${kind}@contacts.test`
  const address = await ensureAddress(api().ctx.pg, { organizationId, email: to, key: to })
  const send: NewSend = {
    organizationId,
    addressId: address.id,
    kind,
    from: { address: 'News@Sender.test', name: 'The News' },
    to: { address: to },
    subject: 'Hello',
    html: `<!doctype html><html><head><title>x</title></head><body><script>alert(1)</script><img src="https://track.test/p.gif"><a href="${secret}">in</a></body></html>`,
    text: secret,
    ...more,
  }
  return { send, addressId: address.id }
}

async function added(tenant: MailTenant, kind: NewSend['kind'], more: Partial<NewSend> = {}) {
  const { send } = await newSend(tenant, kind, more)
  return (await addSend(api().ctx.pg, send)).id
}

const get = async (login: PersonLogin, path: string) => {
  const answer = await api().call(`${sends}/${path}`, { login })
  const { body } = answer
  return { ...answer, text: typeof body === 'string' ? body : JSON.stringify(body) }
}

async function logOf(id: string, log: unknown): Promise<void> {
  await api().pool.query('update sends set attempt_log = $2 where id = $1', [
    id,
    JSON.stringify(log),
  ])
}

test('an email has its attempts, the next one, and reports about it alone', async () => {
  const tenant = await mailTenant(api())
  const login = await api().login(tenant, 'viewer')
  const id = await added(tenant, 'transactional')
  const other = await added(tenant, 'transactional')
  const attempt = {
    no: 1,
    at: '2026-11-21T01:02:03.456Z',
    result: 'deferred',
    code: 450,
    text: 'x',
  }
  await logOf(id, [{ from: 'a later version' }, attempt, 7, null])
  const { addressId } = await newSend(tenant, 'transactional')
  const bounce = { addressId, type: 'soft', cause: 'transient', counts: true } as const
  const at = new Date(fixtureNowMs)
  for (const [sendId, excerpt] of [
    [id, 'about this'],
    [other, 'about another'],
  ] as const) {
    const emailRef = formatEmailRef({ kind: 'send', sendId })
    await recordBounce(api().ctx.pg, { ...bounce, emailRef, excerpt, at }, at)
  }
  const { status, body } = await get(login, id)
  expect(status).toBe(200)
  const detail = body as SendDetail
  expect(detail.attemptLog).toEqual([
    { ...attempt, server: null, tls: null, phase: null, enhanced: null },
  ])
  expect(detail.bounces.map(({ excerpt }) => excerpt)).toEqual(['about this'])
  expect(detail.messageId).toBe(`<${formatEmailRef({ kind: 'send', sendId: id })}@sender.test>`)
  expect(Date.parse(detail.nextAttemptAt ?? '')).not.toBeNaN()
  expect([detail.content, detail.deletedAt]).toEqual(['stored', null])
})

test.each([
  ['an object', { no: 1 }],
  ['a text', 'log'],
  ['entries of the wrong shape', [{ no: 'one', at: 1, text: null }]],
])('a log that is %s is shown as empty', async (_name, log) => {
  const tenant = await mailTenant(api())
  const id = await added(tenant, 'test')
  await logOf(id, log)
  expect((await get(await api().login(tenant, 'viewer'), id)).body.attemptLog).toEqual([])
})

test('an email that ended is deleted 90 days later', async () => {
  const tenant = await mailTenant(api())
  const id = await added(tenant, 'transactional')
  await api().pool.query(
    `update sends set state = 'sent', finished_at = '2026-11-21T01:02:03Z' where id = $1`,
    [id],
  )
  const { body } = await get(await api().login(tenant, 'viewer'), id)
  expect([body.deletedAt, body.nextAttemptAt]).toEqual(['2027-02-19T01:02:03.000Z', null])
})

test('members read the content of emails that people wrote, once in the audit log', async () => {
  const tenant = await mailTenant(api())
  const login = await api().login(tenant, 'member')
  const id = await added(tenant, 'transactional', {
    to: { address: 'ada@contacts.test', name: 'Ada' },
    replyTo: 'help@sender.test',
    headers: { 'Auto-Submitted': 'auto-generated' },
  })
  const { body } = await get(login, `${id}/content`)
  expect(body).toMatchObject({ text: secret, hasHtml: true })
  expect(
    body.headers.map(({ name, value }: { name: string; value: string }) => `${name}: ${value}`),
  ).toEqual([
    'From: The News <News@Sender.test>',
    'To: Ada <ada@contacts.test>',
    'Reply-To: help@sender.test',
    'Subject: Hello',
    `Message-ID: <${formatEmailRef({ kind: 'send', sendId: id })}@sender.test>`,
    'Auto-Submitted: auto-generated',
  ])
  const shown = await get(login, `${id}/content.html?scheme=dark`)
  expect(shown.text).toContain('>in</a>')
  expect(shown.text).not.toContain('track.test')
  expect((await get(login, `${id}/content.html?images=load`)).text).toContain('track.test')
  const policy = String(shown.headers['content-security-policy'])
  expect(policy).toContain("default-src 'none'")
  expect(policy).toContain('sandbox')
  expect(policy).not.toMatch(/script-src|allow-scripts|https:/)
  const { rows } = await api().pool.query(
    `select action, subject_id from audit_log where organization_id = $1 and action like 'email.%'`,
    [tenant.organizationId],
  )
  expect(rows).toEqual([{ action: 'email.content_read', subject_id: id }])
})

const readable: readonly string[] = ['transactional', 'test']

test.each(sendKinds)(
  'the content of an email of the kind %s is shown only if people wrote it',
  async (kind) => {
    const tenant = await mailTenant(api())
    const owner = await api().login(tenant, 'owner')
    const viewer = await api().login(tenant, 'viewer')
    const id = await added(tenant, kind)
    const isReadable = readable.includes(kind)
    expect((await get(viewer, id)).body.content).toBe(isReadable ? 'stored' : 'withheld')
    for (const path of [`${id}/content`, `${id}/content.html`]) {
      const asViewer = await get(viewer, path)
      expect([path, asViewer.status]).toEqual([path, 403])
      const asOwner = await get(owner, path)
      expect([path, asOwner.status]).toEqual([path, isReadable ? 200 : 404])
      for (const { text } of isReadable ? [asViewer] : [asViewer, asOwner]) {
        expect(text).not.toContain('only-for-its-recipient')
      }
    }
    // Neither has any other route of the log.
    for (const path of [id, '?limit=100']) {
      expect((await get(owner, path)).text).not.toContain('only-for-its-recipient')
    }
  },
)

test('a sealed email is never opened, and removed content is said to be removed', async () => {
  const tenant = await mailTenant(api())
  const owner = await api().login(tenant, 'owner')
  const { send } = await newSend(tenant, 'transactional')
  const { id } = await addSealedSend(api().ctx.pg, api().ctx.box, send)
  expect((await get(owner, id)).body.content).toBe('sealed')
  const sealed = await get(owner, `${id}/content`)
  expect([sealed.status, sealed.text.includes('only-for')]).toEqual([404, false])
  await api().pool.query('update sends set sealed_body = null where id = $1', [id])
  expect((await get(owner, id)).body.content).toBe('removed')
  const removed = await get(owner, `${id}/content`)
  expect([removed.status, removed.body.error]).toEqual([
    404,
    'No content of this email is stored any more.',
  ])
})
