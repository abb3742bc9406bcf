import { expect, test } from 'vitest'
import { ReplyReader } from '#platform/smtp/reply-reader.ts'
import { attemptTextCharactersMax, StoredAttempt } from '#schemas/mail/delivery-attempt.ts'
import { storedText } from '#schemas/stored-text.ts'
import { planResult } from '../plan-result.ts'
import type { WireOutcome } from '../smtp/smtp-pool.ts'
import { describeAttempt } from './describe-attempt.ts'

const nowMs = Date.parse('2026-11-21T01:02:03.456Z')
const session = { server: 'smtp.example.com:587', tls: 'TLSv1.3' }
const schedule = { attempt: 1, retrySeconds: [60] }

function refused(bytes: string): WireOutcome {
  const [reply] = new ReplyReader().push(bytes)
  return { kind: 'refused', phase: 'rcpt', reply: reply! }
}

function describeOutcome(outcome: WireOutcome) {
  const { state } = planResult(outcome, schedule)
  return describeAttempt(outcome, { state, no: 1, nowMs, session })
}

test('an attempt has the reply, the server, its encryption and what follows', () => {
  expect(describeOutcome(refused('450-4.2.0 Greylisted\r\n450 4.2.0 try later\r\n'))).toEqual({
    no: 1,
    at: '2026-11-21T01:02:03.456Z',
    result: 'deferred',
    server: 'smtp.example.com:587',
    tls: 'TLSv1.3',
    phase: 'rcpt',
    code: 450,
    enhanced: '4.2.0',
    text: 'Greylisted\ntry later',
  })
})

// biome-ignore format: the columns are the point
test.each([
  ['NUL',                '550 no\0 such user\r\n',                    'no such user'],
  ['terminal escapes',   '550 \u001b[31mred\u001b[0m \u009b2J\r\n',   '[31mred[0m 2J'],
  ['a bell',             '550 ding\u0007 dong\r\n',                   'ding dong'],
  ['text turned around', '550 full\u202e box\u2069\r\n',               'full box'],
  ['8-bit text',         '550 Größe 10 MB\r\n',               'Größe 10 MB'],
  ['a replaced byte',    '550 Gr\ufffd\ufffde\r\n',                   'Gr\ufffd\ufffde'],
  ['a lone surrogate',   '550 x\ud800y\r\n',                          'x\ufffdy'],
  ['a line separator',   '550 one\u2028two\r\n',                      'one\u2028two'],
  ['a bare CR',          '550 one\rtwo\r\n',                          'one\ntwo'],
  ['markup',             '550 <script>alert(1)</script>\r\n',         '<script>alert(1)</script>'],
  ['no text',            '550\r\n',                                   ''],
  ['only a code',        '550 5.1.1\r\n',                             ''],
  ['several lines',      '550-5.7.1 Blocked\r\n550 5.7.1 see http://x.test\r\n', 'Blocked\nsee http://x.test'],
  ['other codes',        '550-5.7.1 Blocked\r\n550 5.7.26 DMARC\r\n', 'Blocked\n5.7.26 DMARC'],
])('a reply with %s is stored without harm', (_name, bytes, text) => {
  const attempt = describeOutcome(refused(bytes))
  expect(attempt).toMatchObject({ code: 550, text })
  expect(StoredAttempt.parse(attempt)).toEqual(attempt)
  const { reason } = planResult(refused(bytes), schedule)
  expect(reason).toBe(storedText(reason ?? ''))
})

test.each([
  ['one long line', `550 ${'x'.repeat(60_000)}\r\n`],
  ['many lines', `${'550-5.1.1 no\r\n'.repeat(5_000)}550 5.1.1 no\r\n`],
])('of a reply of %s a bounded part is kept', (_name, bytes) => {
  const { text } = describeOutcome(refused(bytes))!
  expect(text).toHaveLength(attemptTextCharactersMax)
})

test('a reply of 100 KB ends the connection', () => {
  expect(() => new ReplyReader().push(`550 ${'x'.repeat(100_000)}`)).toThrow('has no end')
})

const reply = { code: 250, enhanced: '2.0.0', text: '2.0.0 Ok', lines: ['2.0.0 Ok: queued as 4X'] }

// biome-ignore format: the columns are the point
test.each<[string, WireOutcome, object | undefined]>([
  ['an accepted email',        { kind: 'taken', reply },                                     { result: 'sent', code: 250, enhanced: '2.0.0', text: 'Ok: queued as 4X' }],
  ['a connection lost early',  { kind: 'lost', written: false, reason: 'ECONNRESET\0' },     { result: 'deferred', text: 'ECONNRESET' }],
  ['a connection lost late',   { kind: 'lost', written: true, reason: 'the connection was closed' }, { result: 'uncertain', text: 'the connection was closed' }],
  ['an email not tried',       { kind: 'untried' },                                          undefined],
  ['an email held back',       { kind: 'held', reason: 'DKIM key' },                         undefined],
  ['an email not composed',    { kind: 'unusable', reason: 'no' },                           undefined],
])('%s', (_name, outcome, expected) => {
  const attempt = describeOutcome(outcome)
  if (expected === undefined) expect(attempt).toBeUndefined()
  else expect(attempt).toMatchObject(expected)
})
