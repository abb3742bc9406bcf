import { expect, test } from 'vitest'
import { classifySmtpReply, type SmtpPhase, type SmtpVerdict } from './smtp-reply.ts'

// biome-ignore format: the columns are the point
const cases: [why: string, phase: SmtpPhase, code: number, text: string, want: SmtpVerdict][] = [
  ['a mailbox that does not exist',              'rcpt',    550, '5.1.1 <a@b.test>: user unknown', 'hard'],
  ['a domain that does not exist',               'rcpt',    550, '5.1.2 bad destination system', 'hard'],
  ['an address of bad syntax',                   'rcpt',    501, '5.1.3 bad address syntax', 'hard'],
  ['a mailbox that has moved',                   'rcpt',    551, '5.1.6 mailbox has moved', 'hard'],
  ['a domain with a null MX',                    'rcpt',    556, '5.1.10 recipient address has null MX', 'hard'],
  ['a mailbox that is disabled',                 'rcpt',    550, '5.2.1 mailbox disabled', 'hard'],
  ['an unknown mailbox after the whole email',   'message', 550, '5.1.1 no such user', 'hard'],
  ['text without an enhanced status',            'rcpt',    550, 'No such user here', 'hard'],
  ['text with an unspecific status',             'rcpt',    550, '5.0.0 User unknown', 'hard'],
  ['551 with text',                              'rcpt',    551, 'recipient unknown', 'hard'],
  ['553 with text',                              'rcpt',    553, 'mailbox does not exist', 'hard'],
  ['554 is no code for mailboxes',               'rcpt',    554, 'user unknown', 'ours'],
  ['text after the email may be of a filter',    'message', 550, 'user unknown', 'ours'],
  ['the standard sentence of 550 is unspecific', 'rcpt',    550, 'Requested action not taken: mailbox unavailable', 'ours'],
  ['an unknown sender',                          'rcpt',    550, 'sender address unknown, recipient invalid', 'ours'],
  ['a block list',                               'rcpt',    550, 'Recipient unknown or blocked using zen.example', 'ours'],
  ['5.1.8 is about the sender\'s domain',        'rcpt',    550, '5.1.8 sender address rejected', 'ours'],
  ['5.1.11 is not 5.1.1',                        'rcpt',    550, '5.1.11 something new', 'ours'],
  ['a full mailbox',                             'rcpt',    552, '5.2.2 mailbox full', 'soft'],
  ['a full mailbox as text',                     'rcpt',    552, 'Mailbox is full', 'soft'],
  ['a full mailbox as other text',               'message', 552, 'The user has exceeded the quota', 'soft'],
  ['an email too large for the mailbox',         'message', 552, '5.2.3 message too large', 'ours'],
  ['an email too large for the server',          'message', 552, '5.3.4 message too big', 'ours'],
  ['552 without text',                           'message', 552, 'message size exceeds fixed maximum', 'ours'],
  ['a temporarily full mailbox',                 'rcpt',    452, '4.2.2 over quota', 'soft'],
  ['a full mailbox with the advice to retry',    'rcpt',    452, '4.2.2 mailbox full, try again later', 'soft'],
  ['a mailbox that is too busy',                 'rcpt',    450, '4.2.1 receiving mail at a rate', 'soft'],
  ['greylisting with the status of a mailbox',   'rcpt',    450, '4.2.0 <a@b.test>: Greylisted', 'retry'],
  ['greylisting as other text',                  'rcpt',    451, '4.2.0 please try again in 300 seconds', 'retry'],
  ['greylisting with its own status',            'rcpt',    451, '4.7.1 greylisted', 'retry'],
  ['a temporarily unknown mailbox',              'rcpt',    450, '4.1.1 user unknown', 'retry'],
  ['a temporary code with a permanent status',   'rcpt',    450, '5.1.1 user unknown', 'retry'],
  ['a permanent code with a temporary status',   'rcpt',    550, '4.2.2 mailbox full', 'soft'],
  ['a policy',                                   'rcpt',    550, '5.7.1 message refused by policy', 'ours'],
  ['the sender\'s DMARC record',                 'message', 550, '5.7.26 unauthenticated mail', 'ours'],
  ['a spam filter without a status',             'message', 554, 'Message rejected as spam', 'ours'],
  ['routing',                                    'rcpt',    550, '5.4.1 recipient address rejected: access denied', 'ours'],
  ['protocol',                                   'rcpt',    503, '5.5.1 bad sequence of commands', 'ours'],
  ['a mail system error',                        'rcpt',    550, '5.3.0 other mail system problem', 'ours'],
  ['refused at connect',                         'connect', 554, 'no SMTP service here', 'ours'],
  ['busy at connect',                            'connect', 421, 'too many connections', 'retry'],
  ['refused at MAIL with any status',            'mail',    550, '5.1.1 user unknown', 'ours'],
  ['refused at MAIL temporarily',                'mail',    451, '4.2.2 over quota', 'retry'],
  ['a wrong password',                           'auth',    535, '5.7.8 authentication failed', 'ours'],
  ['421 with any status',                        'rcpt',    421, '4.2.2 closing', 'retry'],
  ['a lost connection',                          'message', 0,   '', 'retry'],
  ['an invalid reply',                           'rcpt',    354, 'go ahead', 'retry'],
]

test.each(cases)('%s', (_why, phase, code, text, want) => {
  expect(classifySmtpReply({ code, text, phase })).toBe(want)
})

test('a separate enhanced status takes precedence over the text', () => {
  const reply = { code: 550, enhanced: '5.7.1', text: '5.1.1 user unknown', phase: 'rcpt' } as const
  expect(classifySmtpReply(reply)).toBe('ours')
})

test('a status may follow the code in the text', () => {
  expect(classifySmtpReply({ code: 550, text: '550 5.1.1 who?', phase: 'rcpt' })).toBe('hard')
  expect(classifySmtpReply({ code: 550, text: '550-5.1.1 who?', phase: 'rcpt' })).toBe('hard')
})
