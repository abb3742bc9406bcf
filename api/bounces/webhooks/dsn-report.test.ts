import fc from 'fast-check'
import { expect, test } from 'vitest'
import { effectOf } from '#schemas/mail/bounce.ts'
import { type MailReport, parseMailReport } from './dsn-report.ts'

function dsn(status: string, parts: { returned?: string; headers?: string } = {}): string {
  return `Return-Path: <>
From: MAILER-DAEMON@relay.example.test
To: b+saaaa@bounces.sender.test
Message-ID: <report1@relay.example.test>
${parts.headers ?? ''}Content-Type: multipart/report; report-type=delivery-status;
\tboundary="=_b"

This is for people.
--=_b
Content-Type: text/plain

Your email could not be delivered.
Final-Recipient: rfc822; nobody@prose.test

--=_b
Content-Type: message/delivery-status

Reporting-MTA: dns; relay.example.test
Arrival-Date: Sat, 21 Nov 2026 01:30:00 +0000

${status}
--=_b
Content-Type: text/rfc822-headers

${parts.returned ?? 'Message-ID: <sbbbb@sender.test>\nSubject: Hi'}
--=_b--
`
}

const block = (
  status: string,
  code: string,
  action = 'failed',
  recipient = 'rfc822; ada@example.test',
) =>
  `Final-Recipient: ${recipient}\nAction: ${action}\nStatus: ${status}\nDiagnostic-Code: smtp; ${code}\n`

function short(report: MailReport): string[] | 'none' {
  if (report.kind === 'none') return 'none'
  return report.recipients.map(({ email, kind }) => {
    if (kind === 'delivered' || kind === 'unsubscribe') return `${kind} counts ${email}`
    const { type, counts } = effectOf(kind)
    return `${type} ${counts ? 'counts' : 'noted'} ${email}`
  })
}

// biome-ignore format: the columns are the point
test.each([
  ['a mailbox that does not exist', block('5.1.1', '550 5.1.1 user unknown'),          ['hard counts ada@example.test']],
  ['a status alone',                'Final-Recipient: rfc822;ada@example.test\nAction: failed\nStatus: 5.1.1', ['hard counts ada@example.test']],
  ['a vague status, a clear server', block('5.0.0', '550 5.1.1 no such user'),         ['hard counts ada@example.test']],
  ['words alone',                   block('5.0.0', '550 user unknown'),                ['hard counts ada@example.test']],
  ['a full mailbox',                block('5.2.2', '552 5.2.2 over quota'),            ['soft counts ada@example.test']],
  ['given up after days',           block('4.4.1', '421 connection timed out'),        ['soft counts ada@example.test']],
  ['our reputation',                block('5.7.1', '550 5.7.1 blocked'),               ['soft noted ada@example.test']],
  ['routing',                       block('5.4.6', '550 5.4.6 loop'),                  ['soft noted ada@example.test']],
  ['still being tried',             block('4.4.1', '421 later', 'delayed'),            'none'],
  ['passed on',                     block('2.0.0', '250 ok', 'relayed'),               'none'],
  ['delivered',                     block('2.1.5', '250 ok', 'delivered'),             ['delivered counts ada@example.test']],
  ['an old address, rewritten',     `Original-Recipient: rfc822;ada@example.test\n${block('5.1.1', '550', 'failed', 'rfc822; ada@inner.test')}`, ['hard counts ada@example.test']],
  ['an address in brackets',        block('5.1.1', '550', 'failed', 'RFC822; <ada@example.test>'), ['hard counts ada@example.test']],
  ['an address of another system',  block('5.1.1', '550', 'failed', 'x400; /C=US/'),   ['hard counts null']],
  ['folded lines',                  'Final-Recipient: rfc822;\n  ada@example.test\nAction:\n failed\nStatus: 5.1.1', ['hard counts ada@example.test']],
  ['several recipients',            `${block('5.1.1', '550')}\n${block('5.2.2', '552', 'failed', 'rfc822; bob@example.test')}`, ['hard counts ada@example.test', 'soft counts bob@example.test']],
  ['nothing about anybody',         'Action: failed\nStatus: 5.1.1',                   'none'],
])('%s', (_why, status, want) => {
  expect(short(parseMailReport(dsn(status)))).toEqual(want)
  for (const end of ['\r\n', '\r']) {
    expect(short(parseMailReport(dsn(status).replaceAll('\n', end)))).toEqual(want)
  }
})

test('our references are found in the envelope and in the returned email', () => {
  const report = parseMailReport(
    dsn(block('5.1.1', '550'), { headers: 'Delivered-To: b+scccc@bounces.sender.test\n' }),
  )
  expect(report).toMatchObject({
    reportId: '<report1@relay.example.test>',
    references: ['b+scccc@bounces.sender.test', 'b+saaaa@bounces.sender.test', 'sbbbb@sender.test'],
  })
})

const complaint = (type: string, more = '') => `Message-ID: <c1@fbl.example.test>
Content-Type: multipart/report; report-type=feedback-report; boundary=b

--b
Content-Type: text/plain

A complaint.
--b
Content-Type: message/feedback-report

Feedback-Type: ${type}
User-Agent: example/1
Version: 1
${more}
--b
Content-Type: message/rfc822

Message-ID: <sbbbb@sender.test>
Subject: Hi

body
--b--
`

test('a complaint names the email, and perhaps the recipient', () => {
  expect(parseMailReport(complaint('abuse'))).toMatchObject({
    recipients: [{ kind: 'complaint', email: null }],
    references: ['sbbbb@sender.test'],
  })
  const named = parseMailReport(complaint('Abuse', 'Original-Rcpt-To: <ada@example.test>'))
  expect(short(named)).toEqual(['complaint counts ada@example.test'])
  expect(short(parseMailReport(complaint('not-spam')))).toBe('none')
})

test('a complaint of Outlook.com is the email with the recipient as a header', () => {
  const mixed = `Message-ID: <c2@example.test>
Content-Type: multipart/mixed; boundary="b"

--b
Content-Type: message/rfc822

X-HmXmrOriginalRecipient: ada@example.test
Message-ID: <sbbbb@sender.test>

Hi
--b--
`
  expect(parseMailReport(mixed)).toMatchObject({
    recipients: [{ kind: 'complaint', email: 'ada@example.test' }],
    references: ['sbbbb@sender.test'],
  })
  const other = mixed.replace('X-HmXmrOriginalRecipient', 'X-Other')
  expect(parseMailReport(other)).toEqual({ kind: 'none' })
})

// biome-ignore format: the columns are the point
test.each([
  ['a vacation notice', 'Auto-Submitted: auto-replied\nSubject: Away\nContent-Type: text/plain\n\nFinal-Recipient: rfc822; ada@example.test\nAction: failed\nStatus: 5.1.1\n'],
  ['a person', 'Subject: Re: Hi\n\n> 550 5.1.1 user unknown'],
  ['a report without its part', 'Content-Type: multipart/report; boundary=b\n\n--b\nContent-Type: text/plain\n\nno\n--b--'],
  ['one without a boundary', 'Content-Type: multipart/report\n\nFinal-Recipient: rfc822; a@b.test'],
  ['nothing', ''],
])('not a report: %s', (_why, message) => {
  expect(parseMailReport(message)).toEqual({ kind: 'none' })
})

test('it never throws, and its time is bounded for every text', () => {
  const piece = fc.constantFrom(
    ...[
      '\n',
      '\r\n',
      '--b',
      '--b--',
      'Content-Type: multipart/report; boundary=b',
      '\n\n',
      ' ',
      ':',
      ';',
    ],
    ...['Final-Recipient: rfc822;', 'Action: failed', 'Status: 5.1.1', '"', '=', 'a@b.test'],
    'Content-Type: message/delivery-status',
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 200 }), (pieces) => {
      parseMailReport(pieces.join(''))
    }),
    { seed: 20_261_121, numRuns: 300 },
  )
  const deep = 'Content-Type: multipart/report; boundary=b\n\n--b\n'.repeat(20_000)
  expect(parseMailReport(deep)).toEqual({ kind: 'none' })
})
