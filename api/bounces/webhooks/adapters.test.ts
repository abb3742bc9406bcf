import { createHmac, generateKeyPairSync, sign } from 'node:crypto'
import { expect, test } from 'vitest'
import { readMailgun, receiveMailgun } from './mailgun-adapter.ts'
import { readPostmark, receivePostmark } from './postmark-adapter.ts'
import { readResend, receiveResend } from './resend-adapter.ts'
import { parseSendgridKey, readSendgrid, receiveSendgrid } from './sendgrid-adapter.ts'
import {
  type WebhookEvent,
  type WebhookReading,
  type WebhookRequest,
  webhookBytesMax,
} from './webhook-event.ts'

const nowMs = Date.parse('2026-11-21T01:30:00.000Z')
const seconds = String(nowMs / 1000)

function webhook(body: unknown, headers: Record<string, string> = {}): WebhookRequest {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return { headers, body: Buffer.from(text), nowMs }
}

/** Short for tables: type, whether it counts, and the name of the event. */
function short(event: WebhookEvent | undefined): string {
  if (event === undefined) return 'nothing'
  if (event.kind !== 'bounce') return `${event.kind} ${event.email}`
  const counts = event.counts ? 'counts' : 'noted'
  return `${event.type} ${counts} ${event.email} ${event.eventId}`
}

function shortAll(reading: WebhookReading): string[] | string {
  return reading.kind === 'events' ? reading.events.map(short) : reading.kind
}

const postmark = {
  ID: 42,
  Email: 'ada@example.test',
  BouncedAt: '2026-11-21T01:00:00Z',
  Details: 'smtp;550',
}

// biome-ignore format: the columns are the point
test.each([
  [{ RecordType: 'Bounce', Type: 'HardBounce' },          'hard counts ada@example.test 42'],
  [{ RecordType: 'Bounce', Type: 'BadEmailAddress' },     'hard counts ada@example.test 42'],
  [{ RecordType: 'Bounce', Type: 'ManuallyDeactivated' }, 'soft noted ada@example.test 42'],
  [{ RecordType: 'Bounce', Type: 'SoftBounce' },          'soft counts ada@example.test 42'],
  [{ RecordType: 'Bounce', Type: 'Transient' },           'soft counts ada@example.test 42'],
  [{ RecordType: 'Bounce', Type: 'DnsError' },            'soft counts ada@example.test 42'],
  [{ RecordType: 'Bounce', Type: 'Blocked' },             'soft noted ada@example.test 42'],
  [{ RecordType: 'Bounce', Type: 'SpamNotification' },    'soft noted ada@example.test 42'],
  [{ RecordType: 'Bounce', Type: 'AutoResponder' },       'nothing'],
  [{ RecordType: 'SpamComplaint', Type: 'SpamComplaint' }, 'complaint counts ada@example.test 42'],
  [{ RecordType: 'Bounce', Type: 'Unsubscribe' },         'unsubscribed ada@example.test'],
  [{ RecordType: 'SubscriptionChange', SuppressSending: true }, 'nothing'],
  [{ RecordType: 'SubscriptionChange', SuppressSending: true, Recipient: 'ada@example.test', SuppressionReason: 'HardBounce', Origin: 'Recipient' }, 'nothing'],
  [{ RecordType: 'SubscriptionChange', SuppressSending: false, Recipient: 'ada@example.test', SuppressionReason: 'ManualSuppression', Origin: 'Recipient' }, 'nothing'],
  [{ RecordType: 'SubscriptionChange', SuppressSending: true, Recipient: 'ada@example.test', SuppressionReason: 'ManualSuppression', Origin: 'Recipient' }, 'unsubscribed ada@example.test'],
  [{ RecordType: 'SubscriptionChange', SuppressSending: true, Recipient: 'ada@example.test', SuppressionReason: 'ManualSuppression', Origin: 'Customer', ChangedAt: '2026-11-21T01:00:00Z' }, 'soft noted ada@example.test ManualSuppression ada@example.test 2026-11-21T01:00:00.000Z'],
  [{ RecordType: 'Open' },                                'nothing'],
  [{ RecordType: 'Delivery', Recipient: 'ada@example.test' }, 'delivered ada@example.test'],
])('Postmark: %j', (parts, want) => {
  expect(short(readPostmark({ ...postmark, ...parts }, nowMs))).toBe(want)
})

test('Postmark: requires the password of the URL', () => {
  const settings = { username: 'webhook', password: 'long enough' }
  const basic = (text: string) => ({
    authorization: `Basic ${Buffer.from(text).toString('base64')}`,
  })
  const body = { ...postmark, RecordType: 'Bounce', Type: 'HardBounce' }
  const right = receivePostmark(webhook(body, basic('webhook:long enough')), settings)
  expect(right).toMatchObject({
    kind: 'events',
    events: [{ type: 'hard', at: new Date('2026-11-21T01:00:00Z') }],
  })
  for (const headers of [
    {},
    basic('webhook:wrong'),
    basic('webhook'),
    { authorization: 'Basic' },
  ]) {
    expect(receivePostmark(webhook(body, headers), settings)).toEqual({ kind: 'forged' })
  }
  expect(receivePostmark(webhook('no json', basic('webhook:long enough')), settings).kind).toBe(
    'unreadable',
  )
})

const mailgun = {
  recipient: 'ada@example.test',
  id: 'ev1',
  timestamp: nowMs / 1000 - 60,
  message: { headers: { 'message-id': 'sabc@sender.test' } },
}

// biome-ignore format: the columns are the point
test.each([
  [{ event: 'failed', severity: 'permanent', 'delivery-status': { code: 550, message: '5.1.1 no such user' } }, 'hard counts ada@example.test ev1'],
  [{ event: 'failed', severity: 'permanent', 'delivery-status': { code: 550, message: '550 5.7.1 blocked' } },  'soft noted ada@example.test ev1'],
  [{ event: 'failed', severity: 'permanent', 'delivery-status': { code: 550, 'enhanced-code': '5.7.26' } },     'soft noted ada@example.test ev1'],
  [{ event: 'failed', severity: 'temporary', reason: 'generic' },         'soft counts ada@example.test try of sabc@sender.test ada@example.test'],
  [{ event: 'failed', severity: 'temporary', reason: 'suppress-bounce' }, 'soft noted ada@example.test provider_list sabc@sender.test ada@example.test'],
  [{ event: 'failed', severity: 'temporary', reason: 'greylisted', 'delivery-status': { code: 451, message: '4.7.1 Greylisted' } }, 'nothing'],
  [{ event: 'unsubscribed' },                                             'unsubscribed ada@example.test'],
  [{ event: 'rejected', reject: { reason: 'Sandbox' } },                  'soft noted ada@example.test ev1'],
  [{ event: 'complained' },                                               'complaint counts ada@example.test ev1'],
  [{ event: 'delivered' },                                                'delivered ada@example.test'],
  [{ event: 'opened' },                                                   'nothing'],
  [{ event: 'delivered', recipient: 7 },                                  'nothing'],
])('Mailgun: %j', (parts, want) => {
  expect(short(readMailgun({ ...mailgun, ...parts }, nowMs))).toBe(want)
})

test('Mailgun: must be signed, recent and new', async () => {
  const settings = { signingKey: 'key-of-mailgun' }
  const seen = new Set(['used'])
  const isNew = async (token: string) => !seen.has(token)
  const signed = (token: string, timestamp: string, key = settings.signingKey) => {
    const signature = createHmac('sha256', key).update(`${timestamp}${token}`).digest('hex')
    return webhook({
      signature: { token, timestamp, signature },
      'event-data': { ...mailgun, event: 'complained' },
    })
  }
  const at = (ms: number) => String((nowMs + ms) / 1000)
  const kindOf = async (request: WebhookRequest) =>
    (await receiveMailgun(request, settings, isNew)).kind
  expect(await receiveMailgun(signed('t', seconds), settings, isNew)).toMatchObject({
    kind: 'events',
    token: 't',
  })
  expect(await kindOf(signed('t', at(-300_000)))).toBe('events')
  expect(await kindOf(signed('t', at(-301_000)))).toBe('forged')
  expect(await kindOf(signed('t', at(301_000)))).toBe('forged')
  expect(await kindOf(signed('t', 'soon'))).toBe('forged')
  expect(await kindOf(signed('used', seconds))).toBe('forged')
  expect(await kindOf(signed('t', seconds, 'other'))).toBe('forged')
  expect(await kindOf(webhook({ signature: {} }))).toBe('unreadable')
})

const sendgrid = {
  email: 'ada@example.test',
  timestamp: nowMs / 1000 - 60,
  'smtp-id': '<sabc@sender.test>',
  sg_event_id: 'sg1',
}

// biome-ignore format: the columns are the point
test.each([
  [{ event: 'bounce', type: 'bounce', status: '5.0.0' },  'hard counts ada@example.test sg1'],
  [{ event: 'bounce', type: 'blocked', status: '4.3.0' }, 'soft counts ada@example.test sg1'],
  [{ event: 'bounce', type: 'blocked', status: '5.2.2' }, 'soft counts ada@example.test sg1'],
  [{ event: 'bounce', type: 'blocked', status: '5.7.1' }, 'soft noted ada@example.test sg1'],
  [{ event: 'bounce', type: 'blocked' },                  'soft noted ada@example.test sg1'],
  [{ event: 'spamreport' },                               'complaint counts ada@example.test sg1'],
  [{ event: 'deferred', response: '421' },                'nothing'],
  [{ event: 'dropped', reason: 'Bounced Address' },       'soft noted ada@example.test sg1'],
  [{ event: 'unsubscribe' },                              'unsubscribed ada@example.test'],
  [{ event: 'group_unsubscribe', asm_group_id: 7 },       'unsubscribed ada@example.test'],
  [{ event: 'delivered' },                                'delivered ada@example.test'],
  [{ event: 'bounce', email: null },                      'nothing'],
])('SendGrid: %j', (parts, want) => {
  expect(short(readSendgrid({ ...sendgrid, ...parts }, nowMs))).toBe(want)
})

test('SendGrid: the signature covers the raw bytes', () => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const settings = {
    publicKey: publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
  }
  const text = `[ ${JSON.stringify({ ...sendgrid, event: 'spamreport' })},\r\n{"event":"open"} ]`
  const signature = sign('sha256', Buffer.from(`${seconds}${text}`), privateKey).toString('base64')
  const headers = {
    'x-twilio-email-event-webhook-signature': signature,
    'x-twilio-email-event-webhook-timestamp': seconds,
  }
  expect(shortAll(receiveSendgrid(webhook(text, headers), settings))).toEqual([
    'complaint counts ada@example.test sg1',
  ])
  const kindOf = (body: string, given: Record<string, string>) =>
    receiveSendgrid(webhook(body, given), settings).kind
  expect(kindOf(text.replace('\r\n', ''), headers)).toBe('forged')
  expect(kindOf(text, {})).toBe('forged')
  expect(kindOf(text, { ...headers, 'x-twilio-email-event-webhook-signature': 'AAAA' })).toBe(
    'forged',
  )
  expect(kindOf(text, { ...headers, 'x-twilio-email-event-webhook-timestamp': '1' })).toBe('forged')
})

test('SendGrid: accepts keys on the curve P-256 only', () => {
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-384' })
  const other = publicKey.export({ format: 'der', type: 'spki' }).toString('base64')
  expect(parseSendgridKey(other)).toBeUndefined()
  expect(parseSendgridKey('AAAA')).toBeUndefined()
})

const bounceOf = (type: string) => ({
  data: { to: ['Ada <ada@example.test>'], bounce: { type, message: 'no' } },
})

// biome-ignore format: the columns are the point
test.each([
  [{ type: 'email.bounced', ...bounceOf('Permanent') },    ['hard counts ada@example.test d1 ada@example.test']],
  [{ type: 'email.bounced', ...bounceOf('Transient') },    ['soft counts ada@example.test d1 ada@example.test']],
  [{ type: 'email.bounced', ...bounceOf('Undetermined') }, ['soft counts ada@example.test d1 ada@example.test']],
  [{ type: 'email.complained', ...bounceOf('') },          ['complaint counts ada@example.test d1 ada@example.test']],
  [{ type: 'email.delivered', ...bounceOf('') },           ['delivered ada@example.test']],
  [{ type: 'email.suppressed', ...bounceOf('') },          ['soft noted ada@example.test d1 ada@example.test']],
  [{ type: 'contact.updated', data: { email: 'ada@example.test', unsubscribed: true } }, ['unsubscribed ada@example.test']],
  [{ type: 'contact.updated', data: { email: 'ada@example.test', unsubscribed: false } }, []],
  [{ type: 'email.opened', ...bounceOf('') },              []],
  [{ type: 'email.bounced', data: { to: 'x' } },           []],
])('Resend: %j', (body, want) => {
  expect(readResend(body, { deliveryId: 'd1', nowMs }).map(short)).toEqual(want)
})

test('Resend: accepts one of several signatures, within five minutes', () => {
  const key = Buffer.from('a key of thirty two bytes, so so')
  const settings = { signingSecret: `whsec_${key.toString('base64')}` }
  const text = JSON.stringify({ type: 'email.complained', data: { to: ['ada@example.test'] } })
  const headers = (timestamp = seconds, id = 'msg_1') => ({
    'svix-id': id,
    'svix-timestamp': timestamp,
    'svix-signature': `v1,b2xk v1,${createHmac('sha256', key).update(`msg_1.${timestamp}.${text}`).digest('base64')}`,
  })
  const kindOf = (given: Record<string, string>, body = text) =>
    receiveResend(webhook(body, given), settings).kind
  expect(kindOf(headers())).toBe('events')
  expect(kindOf(headers(String(nowMs / 1000 - 300)))).toBe('events')
  expect(kindOf(headers(String(nowMs / 1000 - 301)))).toBe('forged')
  expect(kindOf(headers(seconds, 'msg_2'))).toBe('forged')
  expect(kindOf(headers(), `${text} `)).toBe('forged')
  expect(kindOf({})).toBe('forged')
})

test('the reply of a server becomes one line that can be stored', () => {
  const details = `550 5.1.1\r\n\0 ${'x'.repeat(webhookBytesMax)}\ud800`
  const event = readPostmark(
    { ...postmark, RecordType: 'Bounce', Type: 'HardBounce', Details: details },
    nowMs,
  )
  expect(event).toMatchObject({
    excerpt: expect.stringMatching(/^HardBounce 550 5\.1\.1 x{470,}$/),
  })
})

test('the time of an event is at most now', () => {
  const late = { ...sendgrid, event: 'delivered', timestamp: nowMs }
  expect(readSendgrid(late, nowMs)).toMatchObject({ at: new Date(nowMs) })
})
