import fc from 'fast-check'
import { expect, test } from 'vitest'
import { BounceCause, type BounceKind, effectOf } from './bounce.ts'
import type { BounceSource } from './bounce-labels.ts'
import { type BounceEvidence, classifyBounce } from './classify-bounce.ts'

type Row = [want: BounceKind, evidence: Omit<BounceEvidence, 'source'>]

// biome-ignore format: the columns are the point
const rows: Record<BounceSource, readonly Row[]> = {
  smtp: [
    ['mailbox',    { code: 550, text: '5.1.1 The email account that you tried to reach does not exist. Please try double-checking the recipient\'s email address for typos or unnecessary spaces. https://support.google.com/mail/?p=NoSuchUser a1-20020a17 - gsmtp' }],
    ['mailbox',    { code: 550, text: '5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient ada@example.com not found by SMTP address lookup' }],
    ['mailbox',    { code: 550, text: '5.2.1 The email account that you tried to reach is disabled. https://support.google.com/mail/?p=DisabledUser' }],
    ['mailbox',    { code: 550, text: '5.1.1 <ada@example.com>: Recipient address rejected: User unknown in local recipient table' }],
    ['mailbox',    { code: 550, text: 'No such user here' }],
    ['mailbox',    { code: 550, text: '<spam.policy@example.com>: user unknown' }],
    ['mailbox',    { code: 554, text: 'delivery error: dd This user doesn\'t have a yahoo.com account (ada@yahoo.com) [0] - mta1001.mail.bf1.yahoo.com' }],
    ['mailbox',    { code: 556, text: '5.1.10 Recipient address has null MX' }],
    ['transient',  { code: 452, text: '4.2.2 The email account that you tried to reach is over quota. https://support.google.com/mail/?p=OverQuotaTemp' }],
    ['transient',  { code: 552, text: '5.2.2 Mailbox full' }],
    ['transient',  { code: 552, text: 'Requested mail action aborted: exceeded storage allocation' }],
    ['transient',  { code: 450, text: '4.2.1 The user you are trying to contact is receiving mail at a rate that prevents additional messages from being delivered.' }],
    ['transient',  { code: 550, text: '5.2.1 The user you are trying to contact is receiving mail too quickly' }],
    ['transient',  { code: 451, text: '4.3.0 Mail server temporarily rejected message' }],
    ['transient',  { code: 450, text: '4.1.1 <ada@example.com>: Recipient address rejected: unverified address' }],
    ['transient',  { code: 442, text: 'connection dropped' }],
    ['none',       { code: 451, text: '4.7.1 Greylisting in action, please come back later' }],
    ['none',       { code: 450, text: '4.2.0 <ada@example.com>: Recipient address rejected: Greylisted, see http://postgrey.schweikert.ch/help/example.com.html' }],
    ['none',       { code: 451, text: 'Greylisted, try again in 300 seconds' }],
    ['none',       { code: 450, text: 'Recipient address rejected: Policy Rejection- graylisted' }],
    ['policy',     { code: 550, text: '5.7.26 This mail is refused because the sender is unauthenticated. Gmail requires all senders to authenticate with either SPF or DKIM.' }],
    ['policy',     { code: 550, text: '5.7.509 Access denied, sending domain example.com does not pass DMARC verification and has a DMARC policy of reject.' }],
    ['policy',     { code: 550, text: '5.7.1 Message refused by policy' }],
    ['policy',     { code: 550, text: '5.7.133 RESOLVER.RST.SenderNotAuthenticatedForGroup; authentication required' }],
    ['policy',     { code: 530, text: '5.7.57 Client not authenticated to send anonymous mail' }],
    ['policy',     { code: 550, text: '5.1.8 Access denied, bad outbound sender' }],
    ['policy',     { code: 553, text: '5.7.1 <bob@example.com>: Sender address rejected: not owned by user' }],
    ['policy',     { code: 550, text: 'relay not permitted' }],
    ['policy',     { code: 550, status: '5.1.0', text: '<news@example.com>: Sender address rejected: undeliverable address: host mx.example.com said: 550 5.1.1 User unknown' }],
    ['policy',     { code: 550, text: '5.1.1 <news@example.com>: Sender address rejected: User unknown in virtual alias table' }],
    ['policy',     { code: 503, text: '5.5.1 bad sequence of commands' }],
    ['policy',     { code: 421, text: '4.7.0 [TSS04] Messages from 192.0.2.1 temporarily deferred due to unexpected volume or user complaints' }],
    ['policy',     { code: 421, text: '4.7.28 Our system has detected an unusual rate of unsolicited mail originating from your IP address' }],
    ['reputation', { code: 550, text: '5.7.1 Unfortunately, messages from [192.0.2.1] weren\'t sent. Please contact your Internet service provider since part of their network is on our block list (S3140)' }],
    ['reputation', { code: 554, text: '5.7.1 Service unavailable; Client host [192.0.2.1] blocked using zen.spamhaus.org' }],
    ['reputation', { code: 550, text: '5.7.606 Access denied, banned sending IP [192.0.2.1]' }],
    ['reputation', { code: 550, text: 'Recipient unknown or blocked using zen.example' }],
    ['reputation', { code: 550, text: '5.1.1 rejected: your IP is listed on our blacklist' }],
    ['reputation', { code: 554, text: 'Your access to this mail system has been rejected due to the sending MTA\'s poor reputation' }],
    ['content',    { code: 554, text: 'Message rejected as spam' }],
    ['content',    { code: 550, text: '5.6.0 message content rejected' }],
    ['content',    { code: 552, text: '5.6.2 attachment type not accepted' }],
    ['content',    { code: 550, text: 'Virus detected in message' }],
    ['size',       { code: 552, text: '5.3.4 Message size exceeds fixed limit' }],
    ['size',       { code: 552, text: '5.2.3 message length exceeds administrative limit' }],
    ['size',       { code: 552, text: 'message size exceeds fixed maximum message size' }],
    ['size',       { code: 452, text: '4.3.4 Message too big for system for now' }],
    ['routing',    { code: 554, text: '5.4.14 Hop count exceeded - possible mail loop ATTR34' }],
    ['routing',    { code: 554, text: '5.4.6 too many hops' }],
    ['routing',    { code: 550, text: '5.4.1 Recipient address rejected: Access denied. AS(201806281)' }],
    ['routing',    { code: 550, text: '5.4.310 DNS domain example.com does not exist' }],
    ['routing',    { code: 554, text: 'Too many hops, most likely a mail loop' }],
    ['routing',    { code: 550, text: '5.3.0 other mail system problem' }],
    ['unclear',    { code: 550, text: '5.5.0 Requested action not taken: mailbox unavailable' }],
    ['unclear',    { code: 554, text: 'Transaction failed' }],
    ['unclear',    { code: 554, text: 'user unknown' }],
    ['unclear',    { code: 550, text: '5.1.11 something new' }],
    ['unclear',    { code: 550, text: 'user unknown', afterContent: true }],
  ],
  dsn: [
    ['mailbox',    { status: '5.1.1', text: '550 5.1.1 user unknown' }],
    ['mailbox',    { status: '5.0.0', text: '550-5.1.1 The email account that you tried to reach does not exist' }],
    ['mailbox',    { status: '5.4.4', text: 'Host or domain name not found. Name service error for name=gone.example type=AAAA: Host not found' }],
    ['transient',  { status: '4.4.1', text: 'connect to mx.example.com[192.0.2.1]:25: Connection timed out' }],
    ['transient',  { status: '4.4.7', text: '400 4.4.7 Message delayed' }],
    ['transient',  { status: '5.2.2', text: '552 5.2.2 over quota' }],
    ['none',       { status: '4.7.1', text: '450 4.7.1 Greylisted for 5 minutes' }],
    ['routing',    { status: '5.4.14', text: '554 5.4.14 Hop count exceeded - possible mail loop' }],
    ['routing',    { status: '5.4.6', text: 'mail for example.com loops back to myself' }],
    ['routing',    { status: '5.4.4', text: 'unable to route' }],
    ['size',       { status: '5.3.4', text: '552 5.3.4 Error: message file too big' }],
    ['content',    { status: '5.6.1', text: '554 5.6.1 Body type not supported by remote host' }],
    ['policy',     { status: '5.7.1', text: '550 5.7.1 Message rejected due to local policy' }],
    ['complaint',  { type: 'complaint', subtype: 'abuse' }],
    ['unsubscribe', { type: 'complaint', subtype: 'opt-out' }],
    ['none',       { type: 'complaint', subtype: 'not-spam' }],
  ],
  ses: [
    ['mailbox',    { type: 'Permanent', subtype: 'General', status: '5.1.1', text: 'smtp; 550 5.1.1 user unknown' }],
    ['mailbox',    { type: 'Permanent', subtype: 'NoEmail' }],
    ['mailbox',    { type: 'Permanent', subtype: 'General' }],
    ['provider_list', { type: 'Permanent', subtype: 'Suppressed', status: '5.1.1', text: 'Amazon SES has suppressed sending to this address because it has a recent history of bouncing as an invalid address.' }],
    ['provider_list', { type: 'Permanent', subtype: 'OnAccountSuppressionList', status: '5.1.1', text: 'Amazon SES did not send the message to this address because it is on the suppression list for your account.' }],
    ['policy',     { type: 'Permanent', subtype: 'General', status: '5.7.1', text: 'smtp; 550 5.7.1 Message refused by policy' }],
    ['routing',    { type: 'Permanent', subtype: 'General', status: '5.4.14', text: 'smtp; 554 5.4.14 Hop count exceeded' }],
    ['size',       { type: 'Permanent', subtype: 'General', status: '5.3.4', text: 'smtp; 552 5.3.4 Message size exceeds fixed limit' }],
    ['reputation', { type: 'Permanent', subtype: 'General', status: '5.0.0', text: 'smtp; 554 5.7.1 Client host blocked using zen.spamhaus.org' }],
    ['transient',  { type: 'Transient', subtype: 'MailboxFull', status: '5.2.2' }],
    ['transient',  { type: 'Transient', subtype: 'General', status: '4.4.7', text: 'smtp; 554 4.4.7 Message expired: unable to deliver in 840 minutes.<421 4.4.0 Unable to lookup DNS for example.com>' }],
    ['size',       { type: 'Transient', subtype: 'MessageTooLarge' }],
    ['content',    { type: 'Transient', subtype: 'ContentRejected' }],
    ['content',    { type: 'Transient', subtype: 'AttachmentRejected' }],
    ['transient',  { type: 'Undetermined', subtype: 'Undetermined' }],
    ['unclear',    { type: 'Permanent', subtype: 'SomethingNew' }],
    ['complaint',  { type: 'complaint', subtype: 'abuse' }],
    ['complaint',  { type: 'complaint' }],
    ['none',       { type: 'complaint', subtype: 'not-spam' }],
    ['provider_list', { type: 'complaint', subtype: 'OnAccountSuppressionList' }],
  ],
  postmark: [
    ['mailbox',    { type: 'HardBounce', text: 'smtp;550 5.1.1 The email account that you tried to reach does not exist.' }],
    ['mailbox',    { type: 'HardBounce', text: 'action: failed' }],
    ['mailbox',    { type: 'BadEmailAddress' }],
    ['routing',    { type: 'HardBounce', text: 'smtp;554 5.4.14 Hop count exceeded - possible mail loop' }],
    ['policy',     { type: 'HardBounce', text: 'smtp;550 5.7.1 Recipient not authorised' }],
    ['size',       { type: 'SoftBounce', text: 'smtp;552 5.3.4 Message too big for system' }],
    ['transient',  { type: 'SoftBounce', text: 'smtp;452 4.2.2 over quota' }],
    ['transient',  { type: 'DnsError' }],
    ['transient',  { type: 'Transient', text: 'smtp;421 4.4.2 timed out' }],
    ['reputation', { type: 'Blocked', text: 'smtp;550 5.1.1 refused' }],
    ['content',    { type: 'SpamNotification' }],
    ['content',    { type: 'VirusNotification' }],
    ['policy',     { type: 'DMARCPolicy' }],
    ['provider_list', { type: 'ManuallyDeactivated' }],
    ['provider_list', { type: 'InactiveRecipient' }],
    ['complaint',  { type: 'SpamComplaint' }],
    ['unsubscribe', { type: 'Unsubscribe' }],
    ['none',       { type: 'AutoResponder' }],
    ['none',       { type: 'ChallengeVerification' }],
    ['unclear',    { type: 'SomethingNew' }],
  ],
  mailgun: [
    ['mailbox',    { type: 'permanent', subtype: 'bounce', code: 550, text: '5.1.1 The email account that you tried to reach does not exist.' }],
    ['mailbox',    { type: 'permanent', subtype: 'generic', code: 550, status: '5.1.1', text: 'No Such User Here' }],
    ['unclear',    { type: 'permanent', subtype: 'generic', code: 554, text: 'refused' }],
    ['provider_list', { type: 'permanent', subtype: 'suppress-bounce', code: 605, text: 'Not delivering to previously bounced address' }],
    ['provider_list', { type: 'permanent', subtype: 'suppress-complaint', code: 607, text: 'Not delivering to a user who marked your messages as spam' }],
    ['provider_list', { type: 'permanent', subtype: 'suppress-unsubscribe', code: 606, text: 'Not delivering to unsubscribed address' }],
    ['transient',  { type: 'permanent', subtype: 'old', code: 602, text: 'Too old' }],
    ['policy',     { type: 'permanent', subtype: 'bounce', code: 550, status: '5.7.26', text: 'unauthenticated mail is prohibited' }],
    ['transient',  { type: 'temporary', subtype: 'generic', code: 452, text: '4.2.2 over quota' }],
    ['none',       { type: 'temporary', subtype: 'greylisted', code: 451, text: 'please try later' }],
    ['none',       { type: 'temporary', subtype: 'generic', code: 450, text: '4.7.1 Greylisted' }],
    ['reputation', { type: 'temporary', subtype: 'espblock', code: 421 }],
    ['complaint',  { type: 'complained' }],
    ['unsubscribe', { type: 'unsubscribed' }],
  ],
  sendgrid: [
    ['mailbox',    { type: 'bounce', subtype: 'Invalid Address', status: '5.1.1', text: '550 5.1.1 The email account that you tried to reach does not exist' }],
    ['mailbox',    { type: 'bounce', subtype: 'Invalid Address', status: '5.0.0', text: '550 Unknown recipient' }],
    ['mailbox',    { type: 'bounce', subtype: 'Unclassified', status: '5.1.1', text: '550 5.1.1 no' }],
    ['policy',     { type: 'bounce', status: '5.7.1', text: '550 5.7.1 refused' }],
    ['routing',    { type: 'bounce', subtype: 'Technical Failure', text: 'unable to get mx info: failed to get IPs from PTR record: lookup <nil>: unrecognized address' }],
    ['routing',    { type: 'blocked', subtype: 'Unclassified', text: 'unable to get mx info: failed to get IPs from PTR record: lookup <nil>: unrecognized address' }],
    ['reputation', { type: 'blocked', subtype: 'Reputation', status: '5.1.1' }],
    ['transient',  { type: 'blocked', status: '4.3.0', text: '451 4.3.0 queue full' }],
    ['transient',  { type: 'bounce', subtype: 'Mailbox Unavailable', status: '5.2.2', text: '552 5.2.2 mailbox full' }],
    ['content',    { type: 'blocked', subtype: 'Content', status: '5.0.0' }],
    ['provider_list', { type: 'dropped', text: 'Bounced Address' }],
    ['provider_list', { type: 'dropped', text: 'Spam Reporting Address' }],
    ['complaint',  { type: 'spamreport' }],
    ['unsubscribe', { type: 'group_unsubscribe' }],
  ],
  resend: [
    ['mailbox',    { type: 'Permanent', subtype: 'General', text: '550 5.1.1 user unknown' }],
    ['provider_list', { type: 'Permanent', subtype: 'Suppressed', text: 'The recipient\'s email address is on the suppression list because it has a recent history of producing hard bounces.' }],
    ['provider_list', { type: 'suppressed' }],
    ['transient',  { type: 'Transient', subtype: 'MailboxFull' }],
    ['content',    { type: 'Transient', subtype: 'ContentRejected' }],
    ['policy',     { type: 'Permanent', subtype: 'General', text: '550 5.7.26 unauthenticated' }],
    ['complaint',  { type: 'complaint' }],
  ],
}

const cases = Object.entries(rows).flatMap(([source, list]) =>
  list.map(([want, evidence]) => ({ source: source as BounceSource, want, evidence })),
)

test('the table has rows for every source', () => {
  expect(cases.length).toBeGreaterThanOrEqual(140)
})

test.each(cases)('$source: $evidence is classified as $want', ({ source, want, evidence }) => {
  expect(classifyBounce({ source, ...evidence })).toBe(want)
})

test('only a missing mailbox and a complaint suppress immediately', () => {
  const suppressing = BounceCause.options.filter((cause) => {
    const { type, counts } = effectOf(cause)
    return counts && type !== 'soft'
  })
  expect(suppressing).toEqual(['mailbox', 'complaint'])
  expect(BounceCause.options.filter((cause) => effectOf(cause).counts)).toEqual([
    'mailbox',
    'transient',
    'complaint',
  ])
})

const source = fc.constantFrom<BounceSource>(...(Object.keys(rows) as BounceSource[]))
const hostile = fc.oneof(
  fc.anything({ withBigInt: true, withNullPrototype: true, withObjectString: true }),
  fc.constantFrom<unknown>(
    '\0',
    '\ud800',
    '__proto__',
    'constructor',
    Symbol('x'),
    2 ** 53,
    Number.NaN,
  ),
  fc.constantFrom('5.1.1\0', '5.1.1.1', '5.99999.1', '٥.١.١', '550', '5.1'),
)

test('hostile fields never throw and never suppress', () => {
  const told = [
    'permanent',
    'hardbounce',
    'bademailaddress',
    'bounce',
    'complaint',
    'spamcomplaint',
  ]
  const suppressing = [...told, 'complained', 'spamreport']
  fc.assert(
    fc.property(
      source,
      fc.record({ type: hostile, subtype: hostile, status: hostile, code: hostile, text: hostile }),
      (from, evidence) => {
        const kind = classifyBounce({ source: from, ...evidence })
        const named = typeof evidence.type === 'string' ? evidence.type.trim().toLowerCase() : ''
        const isStatus = [evidence.status, evidence.text].some(
          (value) => typeof value === 'string' && /^5\.1\.1(?!\d|\.\d)/.test(value),
        )
        if (!suppressing.includes(named) && !isStatus) {
          expect(['mailbox', 'complaint']).not.toContain(kind)
        }
      },
    ),
    { seed: 20_261_122, numRuns: 2_000 },
  )
})

test.each([
  ['one megabyte of spaces', ' '.repeat(1_000_000)],
  ['words that begin every pattern', 'user mailbox message exceeds over quota '.repeat(25_000)],
  ['an address without an end', 'a'.repeat(1_000_000)],
  ['signs of an address', '@'.repeat(1_000_000)],
  ['digits', '5.1.1'.repeat(200_000)],
  ['NUL', '\0'.repeat(1_000_000)],
])('%s are classified in linear time', (_why, text) => {
  const startedMs = performance.now()
  for (let round = 0; round < 20; round += 1) classifyBounce({ source: 'ses', text, status: text })
  // A quadratic pattern would take minutes.
  expect(performance.now() - startedMs).toBeLessThan(1_000)
})

test('a mailbox status beside words about the sender does not suppress', () => {
  const statuses = ['5.1.1', '5.1.2', '5.1.3', '5.1.6', '5.1.10', '5.2.1']
  const about = ['blocked by reputation', 'listed at spamhaus', 'Blacklisted', 'on our block list']
  for (const status of statuses) {
    for (const words of about) {
      expect(classifyBounce({ source: 'smtp', code: 550, status, text: words })).toBe('reputation')
    }
  }
})
