/**
 * One cause, reported by our own session, a bounce message and every provider in its own format,
 * has one meaning.
 */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { kindOfSmtpReply } from '#platform/smtp/smtp-reply.ts'
import { type BounceKind, effectOf } from '#schemas/mail/bounce.ts'
import { parseMailReport } from './dsn-report.ts'
import { readMailgun } from './mailgun-adapter.ts'
import { readPostmark } from './postmark-adapter.ts'
import { readSes } from './read-ses.ts'
import { readResend } from './resend-adapter.ts'
import { readSendgrid } from './sendgrid-adapter.ts'
import type { WebhookEvent } from './webhook-event.ts'

const nowMs = Date.parse('2026-11-21T01:30:00.000Z')
const email = 'ada@example.test'

interface Cause {
  readonly want: BounceKind
  readonly code: number
  readonly status: string
  readonly text: string
}

// biome-ignore format: the columns are the point
const causes: readonly Cause[] = [
  { want: 'mailbox',    code: 550, status: '5.1.1',  text: 'user unknown' },
  { want: 'mailbox',    code: 550, status: '5.1.10', text: 'RESOLVER.ADR.RecipientNotFound' },
  { want: 'mailbox',    code: 550, status: '5.1.2',  text: 'bad destination system' },
  { want: 'mailbox',    code: 550, status: '5.2.1',  text: 'mailbox disabled' },
  { want: 'transient',  code: 552, status: '5.2.2',  text: 'mailbox full' },
  { want: 'transient',  code: 452, status: '4.2.2',  text: 'over quota' },
  { want: 'transient',  code: 421, status: '4.4.2',  text: 'connection timed out' },
  { want: 'size',       code: 552, status: '5.2.3',  text: 'message too large' },
  { want: 'size',       code: 552, status: '5.3.4',  text: 'message too big for system' },
  { want: 'routing',    code: 554, status: '5.4.14', text: 'hop count exceeded' },
  { want: 'routing',    code: 554, status: '5.4.6',  text: 'routing loop detected' },
  { want: 'routing',    code: 550, status: '5.4.1',  text: 'recipient address rejected' },
  { want: 'content',    code: 554, status: '5.6.0',  text: 'message content rejected' },
  { want: 'policy',     code: 550, status: '5.7.1',  text: 'refused by policy' },
  { want: 'policy',     code: 550, status: '5.7.26', text: 'unauthenticated' },
  { want: 'policy',     code: 550, status: '5.1.8',  text: 'bad outbound sender' },
  { want: 'reputation', code: 554, status: '5.7.1',  text: 'blocked using zen.spamhaus.org' },
  { want: 'policy',     code: 451, status: '4.7.0',  text: 'unusual rate' },
  { want: 'none',       code: 451, status: '4.7.1',  text: 'greylisted, come back later' },
  { want: 'none',       code: 450, status: '4.2.0',  text: 'Recipient address rejected: Greylisted' },
]

const kindOf = (event: WebhookEvent | undefined): BounceKind | 'delivered' => {
  if (event === undefined) return 'none'
  if (event.kind === 'bounce') return event.cause
  return event.kind === 'unsubscribed' ? 'unsubscribe' : 'delivered'
}

/** Each with the label that the provider would give to a reply of that class. */
const sources: Record<string, (cause: Cause) => BounceKind | 'delivered'> = {
  smtp: ({ code, status, text }) =>
    kindOfSmtpReply({ code, enhanced: status, text: `${status} ${text}`, phase: 'rcpt' }),
  'smtp, as text': ({ code, status, text }) =>
    kindOfSmtpReply({ code, text: `${status} ${text}`, phase: 'rcpt' }),
  dsn: ({ code, status, text }) => {
    const report = parseMailReport(
      `Message-ID: <r@relay.test>\nContent-Type: multipart/report; boundary=b\n\n--b\nContent-Type: message/delivery-status\n\nReporting-MTA: dns; relay.test\n\nFinal-Recipient: rfc822; ${email}\nAction: failed\nStatus: ${status}\nDiagnostic-Code: smtp; ${code} ${status} ${text}\n--b--\n`,
    )
    return report.kind === 'none' ? 'none' : (report.recipients[0]?.kind ?? 'none')
  },
  ses: ({ code, status, text }) => {
    const bounceType = code < 500 ? 'Transient' : 'Permanent'
    const [event] = readSes(
      {
        notificationType: 'Bounce',
        bounce: {
          bounceType,
          bounceSubType: 'General',
          bouncedRecipients: [
            { emailAddress: email, status, diagnosticCode: `smtp; ${code} ${status} ${text}` },
          ],
        },
      },
      nowMs,
    )
    return kindOf(event)
  },
  postmark: ({ code, status, text }) =>
    kindOf(
      readPostmark(
        {
          RecordType: 'Bounce',
          Type: code < 500 ? 'Transient' : 'HardBounce',
          Email: email,
          Details: `smtp;${code} ${status} ${text}`,
        },
        nowMs,
      ),
    ),
  mailgun: ({ code, status, text }) =>
    kindOf(
      readMailgun(
        {
          event: 'failed',
          severity: code < 500 ? 'temporary' : 'permanent',
          reason: 'generic',
          recipient: email,
          'delivery-status': { code, 'enhanced-code': status, message: text },
        },
        nowMs,
      ),
    ),
  sendgrid: ({ code, status, text }) =>
    kindOf(
      readSendgrid(
        { event: 'bounce', type: 'bounce', email, status, reason: `${code} ${status} ${text}` },
        nowMs,
      ),
    ),
  resend: ({ code, status, text }) => {
    const bounce = {
      type: code < 500 ? 'Transient' : 'Permanent',
      subType: 'General',
      message: `${code} ${status} ${text}`,
    }
    const body = { type: 'email.bounced', data: { to: [email], bounce } }
    return kindOf(readResend(body, { deliveryId: 'd', nowMs })[0])
  },
}

test.each(causes)('$code $status $text is $want, in every kind of report', (cause) => {
  const told = Object.fromEntries(
    Object.entries(sources).map(([name, report]) => [name, report(cause)]),
  )
  const wanted = Object.fromEntries(Object.keys(sources).map((name) => [name, cause.want]))
  expect(told).toEqual(wanted)
})

test('any enhanced status has the same meaning in every report', () => {
  const cause = fc.record({
    want: fc.constant<BounceKind>('none'),
    isTemporary: fc.boolean(),
    code: fc.integer({ min: 0, max: 59 }),
    subject: fc.integer({ min: 1, max: 7 }),
    // Detail 0 of some subjects says nothing, and then a provider's own word stands.
    detail: fc.integer({ min: 1, max: 40 }),
    text: fc.constantFrom('refused', 'no', 'see https://example.test/errors', 'see postmaster'),
  })
  fc.assert(
    fc.property(cause, ({ isTemporary, code, subject, detail, ...rest }) => {
      const [tens, base] = [isTemporary ? 4 : 5, isTemporary ? 400 : 500]
      const reply = { ...rest, code: base + code, status: `${tens}.${subject}.${detail}` }
      const kinds = new Set(Object.values(sources).map((report) => report(reply)))
      expect([...kinds], JSON.stringify(reply)).toHaveLength(1)
    }),
    { seed: 20_261_122, numRuns: 1_000 },
  )
})

const hostile = fc.oneof(
  fc.anything({ withNullPrototype: true }),
  fc.constantFrom<unknown>(
    '\0',
    '\ud800',
    '__proto__',
    2 ** 60,
    Number.NaN,
    [],
    {},
    'x'.repeat(1_000_000),
  ),
)

test('hostile payloads never throw and never suppress', () => {
  const payload = fc.record({
    event: fc.constantFrom<unknown>('bounce', 'failed', 'dropped', 'rejected', 7, null),
    type: fc.oneof(fc.constantFrom('email.bounced', 'blocked'), hostile),
    Type: hostile,
    RecordType: fc.constantFrom<unknown>('Bounce', 'SubscriptionChange', 3),
    Email: fc.constant(email),
    Recipient: fc.constant(email),
    email: fc.constant(email),
    recipient: fc.constant(email),
    severity: hostile,
    reason: hostile,
    status: hostile,
    bounce_classification: fc.constantFrom<unknown>('Reputation', 'x', 5, {}),
    notificationType: fc.constant('Bounce'),
    bounce: fc.record({
      bounceType: hostile,
      bounceSubType: hostile,
      feedbackId: hostile,
      timestamp: hostile,
      bouncedRecipients: fc.constantFrom<unknown>([{ emailAddress: email, status: {} }], {}, 'x'),
    }),
    data: fc.record({ to: fc.constantFrom<unknown>([email], [7], 'x'), bounce: hostile }),
    'delivery-status': hostile,
    Details: hostile,
    timestamp: hostile,
  })
  fc.assert(
    fc.property(payload, (body) => {
      const events = [
        readSendgrid({ ...body, type: 'blocked' }, nowMs),
        readMailgun(body, nowMs),
        readPostmark(body, nowMs),
        ...readSes(body, nowMs),
        ...readResend(body, { deliveryId: 'd', nowMs }),
      ]
      for (const event of events) {
        if (event?.kind === 'bounce') expect(effectOf(event.cause).type).toBe('soft')
      }
    }),
    { seed: 20_261_122, numRuns: 300 },
  )
})
