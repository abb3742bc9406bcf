/**
 * Every kind of token on every route that takes one, and on every way to send a credential. Kinds
 * and routes are listed by the code: one that is missing in the table below fails the test.
 */
import { v7 as uuidv7 } from 'uuid'
import { beforeAll, describe, expect, test } from 'vitest'
import { formatAlertStopToken } from '#schemas/alert-stop-token.ts'
import { contactTokenKinds } from '#schemas/mail/contact-token.ts'
import {
  formatNotificationToken,
  notificationLinkPurpose,
} from '#schemas/portal-notification-token.ts'
import { apiOfThisFile } from '../../test/fixtures/api-fixture.ts'
import { addContact, addDraft, openDesk, startSending } from '../../test/fixtures/campaign-desk.ts'
import { contactTokenOf } from '../../test/fixtures/email-fixture.ts'
import { addConfirmToken } from '../contacts/confirm-token-store.ts'
import { makeConfirmToken } from '../contacts/signup/confirm-token.ts'
import { addApiKey } from '../credentials/credential-store.ts'
import { addPersonLink } from '../people/person-link-store.ts'
import { addDataRequest } from '../preferences/data-request-store.ts'
import { type LinkKind, type LinkRoute, linkKinds } from './link-kinds.ts'
import { makeToken } from './secret.ts'

const api = apiOfThisFile()

/** The paths that each kind opens. GET routes answer HEAD as well. */
const opens: Readonly<Record<LinkKind, readonly string[]>> = {
  unsubscribe: ['/u/:token'],
  one_click: ['/u/:token'],
  preferences: ['/preferences/:token'],
  click: ['/c/:token/:index'],
  open: ['/o/:token'],
  // Tokens in emails that earlier versions sent.
  legacy: ['/u/:token', '/preferences/:token', '/c/:token/:index', '/o/:token'],
  confirm: ['/confirm/:token'],
  data_export: ['/data-export/:token'],
  data_erasure: ['/data-erasure/:token'],
  portal_notice: ['/n/:token'],
  alert_stop: ['/alert-stop/:token'],
  person_link: ['/welcome/:token'],
  bounce_hook: ['/hooks/bounces/:adapter/:secret'],
}

const tokens = new Map<string, string>()
/** Kinds of credentials in headers, and the path that one of them opens. */
const credentials = {
  login: { path: '/api/v1/me', header: (value: string) => ({ cookie: `sluice_login=${value}` }) },
  access_token: { path: '', header: (value: string) => ({ 'x-api-key': value }) },
  api_key: {
    path: `/api/v1/send/${uuidv7()}`,
    header: (value: string) => ({ authorization: `Bearer ${value}` }),
  },
} as const
const credentialKinds = ['login', 'access_token', 'api_key'] as const
let projectPath: string

beforeAll(async () => {
  const { ctx, pool } = api()
  const desk = await openDesk(api(), { track_opens: true, track_clicks: true })
  const { body } = await addDraft(desk, { markdown: '[a](https://a.test/)' })
  await startSending(desk, body.id)
  const { contactId, addressId } = await addContact(desk)
  for (const kind of [...contactTokenKinds, 'legacy'] as const) {
    tokens.set(kind, contactTokenOf(api(), contactId, body.id, kind))
  }
  const now = new Date(api().time.nowMs)
  const expiresAt = new Date(now.getTime() + 60_000)
  const confirm = makeConfirmToken()
  await addConfirmToken(ctx.pg, { hash: confirm.hash, contactId, expiresAt, now })
  tokens.set('confirm', confirm.value)
  for (const purpose of ['export', 'erase'] as const) {
    const { value, hash: tokenHash } = makeToken()
    const { addressId: ownerId } = await addContact(desk)
    await addDataRequest(ctx.pg, { tokenHash, addressId: ownerId, purpose, expiresAt, now })
    tokens.set(purpose === 'export' ? 'data_export' : 'data_erasure', value)
  }
  const projectId = desk.tenant.project.id
  tokens.set(
    'portal_notice',
    formatNotificationToken({ projectId, addressId }, (message) =>
      ctx.box.mac(notificationLinkPurpose, message),
    ),
  )
  const { personId, cookie } = await api().login(desk.tenant)
  tokens.set(
    'alert_stop',
    formatAlertStopToken({ kind: 'rule', personId, subjectId: uuidv7() }, (purpose, message) =>
      ctx.box.mac(purpose, message),
    ),
  )
  const link = makeToken()
  await addPersonLink(ctx.pg, { tokenHash: link.hash, personId, kind: 'reset', expiresAt, now })
  tokens.set('person_link', link.value)
  const hook = makeToken()
  await pool.query(
    `insert into bounce_adapters (id, organization_id, adapter, secret_hash, sealed_settings) values ($1, $2, 'postmark', $3, '')`,
    [uuidv7(), desk.tenant.organizationId, hook.hash],
  )
  tokens.set('bounce_hook', hook.value)
  tokens.set('login', cookie.split('=')[1]!)
  tokens.set('access_token', desk.tenant.token)
  const { organizationId } = desk.tenant
  tokens.set('api_key', (await addApiKey(pool, { organizationId, label: 'test' })).value)
  projectPath = `/api/v1/projects/${projectId}/issues`
})

/** Whether a request with this token gets another reply than one with an unknown token. */
async function isOpenTo(token: string, { method, url }: LinkRoute): Promise<boolean> {
  const path = url
    .replace(/:token|:secret/, url.startsWith('/o/') ? `${token}.gif` : token)
    .replace(':index', '0')
    .replace(':adapter', 'postmark')
  const { statusCode } = await api().app.inject({
    ...{ method: method as 'GET', url: path },
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    ...(method === 'POST' ? { payload: 'action=look' } : {}),
  })
  return statusCode !== 404
}

function linkRoutes(): LinkRoute[] {
  return api().app.getDecorator<LinkRoute[]>('linkRoutes')
}

test('the table contains every kind and every route with a token', () => {
  expect(Object.keys(opens).sort()).toEqual([...linkKinds].sort())
  const urls = linkRoutes().map(({ url }) => url)
  expect([...new Set(urls)].sort()).toEqual([...new Set(Object.values(opens).flat())].sort())
})

describe.each([...linkKinds, ...credentialKinds])('a token of the kind %s', (kind) => {
  test('opens its own paths and no other', async () => {
    const errors: string[] = []
    for (const route of linkRoutes()) {
      const wanted = (opens[kind as LinkKind] ?? []).includes(route.url)
      const isOpen = await isOpenTo(tokens.get(kind)!, route)
      if (isOpen !== wanted) {
        errors.push(`${route.method} ${route.url}: ${isOpen ? 'open' : 'refused'}`)
      }
    }
    expect(errors).toEqual([])
  })

  test('is accepted only as a credential of its kind', async () => {
    for (const slot of credentialKinds) {
      const { path, header } = credentials[slot]
      const headers = header(tokens.get(kind)!)
      const { statusCode } = await api().app.inject({ url: path || projectPath, headers })
      const isAccepted = statusCode !== 401
      expect([slot, isAccepted]).toEqual([slot, slot === kind])
    }
  })
})
