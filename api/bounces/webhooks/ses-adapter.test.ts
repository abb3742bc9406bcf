import { sign } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { readSes } from './read-ses.ts'
import { receiveSes } from './ses-adapter.ts'
import { isSnsUrl, type SnsMessage, signedText } from './sns-message.ts'
import type { WebhookEvent, WebhookReading } from './webhook-event.ts'

const fixture = (name: string) => readFileSync(new URL(`fixtures/${name}`, import.meta.url), 'utf8')
const certificate = fixture('sns-test-certificate.pem')
const privateKey = fixture('sns-test-key.pem')

const nowMs = Date.parse('2030-01-01T00:00:00.000Z')
const topicArn = 'arn:aws:sns:eu-west-1:123456789012:bounces'
const certUrl = 'https://sns.eu-west-1.amazonaws.com/SimpleNotificationService-1.pem'

function message(parts: Partial<SnsMessage> = {}, version: '1' | '2' = '2'): SnsMessage {
  const unsigned: SnsMessage = {
    Type: 'Notification',
    MessageId: 'm1',
    TopicArn: topicArn,
    Message: JSON.stringify({ notificationType: 'Complaint', complaint: complained('abuse') }),
    Timestamp: '2030-01-01T00:00:00.000Z',
    SignatureVersion: version,
    Signature: '',
    SigningCertURL: certUrl,
    ...parts,
  }
  const algorithm = version === '1' ? 'sha1' : 'sha256'
  const signature = sign(algorithm, Buffer.from(signedText(unsigned)), privateKey)
  return { ...unsigned, Signature: signature.toString('base64') }
}

function complained(complaintFeedbackType: string) {
  const complainedRecipients = [{ emailAddress: 'ada@example.test' }]
  return {
    feedbackId: 'f1',
    complaintFeedbackType,
    complainedRecipients,
    timestamp: '2029-12-31T00:00:00Z',
  }
}

class Outside {
  readonly fetched: string[] = []
  readonly confirmed: string[] = []
  certificateAt = async (url: string) => {
    this.fetched.push(url)
    return certificate
  }
  confirmAt = async (url: string) => {
    this.confirmed.push(url)
  }
}

async function receive(
  sent: unknown,
  outside = new Outside(),
  atMs = nowMs,
): Promise<WebhookReading> {
  const body = Buffer.from(typeof sent === 'string' ? sent : JSON.stringify(sent))
  return receiveSes({ headers: {}, body, nowMs: atMs }, { topicArn }, outside)
}

describe('a message of SNS', () => {
  test.each(['1', '2'] as const)('is taken with a signature of version %s', async (version) => {
    const reading = await receive(message({ Subject: 'Amazon SES' }, version))
    expect(reading).toMatchObject({ kind: 'events', events: [{ type: 'complaint' }] })
  })

  test('is refused if one word of it was changed', async () => {
    const sent = message()
    expect((await receive({ ...sent, Message: `${sent.Message} ` })).kind).toBe('forged')
    expect((await receive({ ...sent, Subject: 'added' })).kind).toBe('forged')
    expect((await receive({ ...sent, Signature: 'AAAA' })).kind).toBe('forged')
    expect((await receive({ ...sent, SignatureVersion: '1' })).kind).toBe('forged')
  })

  test('of another topic is refused even with a valid signature, and nothing is fetched for it', async () => {
    const outside = new Outside()
    const TopicArn = 'arn:aws:sns:eu-west-1:999999999999:bounces'
    expect((await receive(message({ TopicArn }), outside)).kind).toBe('forged')
    const SubscribeURL = 'https://sns.eu-west-1.amazonaws.com/?Action=ConfirmSubscription'
    const confirmation = {
      Type: 'SubscriptionConfirmation',
      TopicArn,
      Token: 't',
      SubscribeURL,
    } as const
    expect((await receive(message(confirmation), outside)).kind).toBe('forged')
    expect([...outside.fetched, ...outside.confirmed]).toEqual([])
  })

  test('is refused if its certificate is not hosted by Amazon', async () => {
    const outside = new Outside()
    const SigningCertURL = 'https://sns.eu-west-1.amazonaws.com.evil.test/x.pem'
    expect((await receive(message({ SigningCertURL }), outside)).kind).toBe('forged')
    expect(outside.fetched).toEqual([])
  })

  test('is refused if its certificate has expired', async () => {
    const afterwards = Date.parse('2200-01-01T00:00:00.000Z')
    expect((await receive(message(), new Outside(), afterwards)).kind).toBe('forged')
  })

  test('that asks for a subscription is confirmed, with Amazon only', async () => {
    const outside = new Outside()
    const SubscribeURL = 'https://sns.eu-west-1.amazonaws.com/?Action=ConfirmSubscription&Token=t'
    const ask = {
      Type: 'SubscriptionConfirmation',
      Token: 't',
      SubscribeURL,
      Message: 'hi',
    } as const
    expect(await receive(message(ask), outside)).toEqual({ kind: 'events', events: [] })
    expect(outside.confirmed).toEqual([SubscribeURL])
    const elsewhere = { ...ask, SubscribeURL: 'https://evil.test/' }
    expect((await receive(message(elsewhere), outside)).kind).toBe('forged')
    expect(outside.confirmed).toHaveLength(1)
  })

  test.each(['', 'no json', '[]', '{}'])('%j is none', async (text) => {
    expect((await receive(text)).kind).toBe('unreadable')
  })
})

// biome-ignore format: the columns are the point
test.each([
  ['https://sns.eu-west-1.amazonaws.com/x.pem', true],
  ['http://sns.eu-west-1.amazonaws.com/x.pem', false],
  ['https://sns.eu-west-1.amazonaws.com:8443/x.pem', false],
  ['https://sns.eu-west-1.amazonaws.com@evil.test/x.pem', false],
  ['https://user@sns.eu-west-1.amazonaws.com/x.pem', false],
  ['https://evil.test/sns.eu-west-1.amazonaws.com', false],
  ['https://sns.evil.test?.amazonaws.com', false],
  ['https://s3.amazonaws.com/sns.pem', false],
  ['https://sns.a.b.amazonaws.com/x.pem', false],
  ['https://xsns.eu-west-1.amazonaws.com/x.pem', false],
  ['sns.eu-west-1.amazonaws.com', false],
])('%s is Amazon’s: %s', (url, want) => {
  expect(isSnsUrl(url)).toBe(want)
})

const mail = {
  messageId: 'amazon',
  destination: ['ada@example.test', 'bob@example.test'],
  headers: [{ name: 'Message-ID', value: '<sabc@sender.test>' }],
}

function bounced(bounceType: string, recipients: object[], parts: object = {}) {
  const bounce = {
    bounceType,
    bounceSubType: 'General',
    feedbackId: 'f1',
    bouncedRecipients: recipients,
  }
  return {
    notificationType: 'Bounce',
    mail,
    bounce: { ...bounce, timestamp: '2029-12-31T00:00:00Z', ...parts },
  }
}

function short(event: WebhookEvent): string {
  return event.kind === 'bounce'
    ? `${event.type} ${event.email} ${event.eventId}`
    : `${event.kind} ${event.email}`
}

const ada = { emailAddress: 'ada@example.test' }

// biome-ignore format: the columns are the point
test.each([
  ['permanent', bounced('Permanent', [ada]),                                          ['hard ada@example.test f1 ada@example.test']],
  ['on the list of the account', bounced('Permanent', [ada], { bounceSubType: 'OnAccountSuppressionList' }), ['soft ada@example.test f1 ada@example.test']],
  ['passing', bounced('Transient', [ada]),                                            ['soft ada@example.test f1 ada@example.test']],
  ['undetermined', bounced('Undetermined', [ada]),                                    ['soft ada@example.test f1 ada@example.test']],
  ['a domain without mail', bounced('Transient', [{ ...ada, status: '5.4.4' }]),      ['soft ada@example.test f1 ada@example.test']],
  ['with a name', bounced('Permanent', [{ emailAddress: 'Ada <ada@example.test>' }]), ['hard ada@example.test f1 ada@example.test']],
  ['as an event', { ...bounced('Permanent', [ada]), notificationType: undefined, eventType: 'Bounce' }, ['hard ada@example.test f1 ada@example.test']],
  ['no recipient', bounced('Permanent', [{}]),                                              []],
  ['a complaint', { notificationType: 'Complaint', mail, complaint: complained('abuse') }, ['complaint ada@example.test f1 ada@example.test']],
  ['no complaint', { notificationType: 'Complaint', mail, complaint: complained('not-spam') }, []],
  ['delivered', { eventType: 'Delivery', mail, delivery: { recipients: ['ada@example.test'], timestamp: '2029-12-31T00:00:00Z' } }, ['delivered ada@example.test']],
  ['opened', { eventType: 'Open', mail },                                             []],
  ['no object', 'hello',                                                              []],
])('SES: %s', (_why, body, want) => {
  expect(readSes(body, nowMs).map(short)).toEqual(want)
})

test('SES: the Message-ID is from Sluice, the time from Amazon', () => {
  const [event] = readSes(bounced('Permanent', [{ ...ada, diagnosticCode: 'smtp; 550' }]), nowMs)
  expect(event).toMatchObject({
    messageId: '<sabc@sender.test>',
    at: new Date('2029-12-31T00:00:00Z'),
    excerpt: 'General smtp; 550',
  })
})
