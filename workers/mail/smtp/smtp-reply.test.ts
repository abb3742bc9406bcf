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
  ['it may be said after the whole letter',      'message', 550, '5.1.1 no such user', 'hard'],
  ['words, when there is no enhanced status',    'rcpt',    550, 'No such user here', 'hard'],
  ['words, with a status that says nothing',     'rcpt',    550, '5.0.0 User unknown', 'hard'],
  ['551 with words',                             'rcpt',    551, 'recipient unknown', 'hard'],
  ['553 with words',                             'rcpt',    553, 'mailbox does not exist', 'hard'],
  ['554 is not among the codes of a mailbox',    'rcpt',    554, 'user unknown', 'ours'],
  ['words after the letter may be a filter\'s',  'message', 550, 'user unknown', 'ours'],
  ['the standard sentence of 550 says nothing',  'rcpt',    550, 'Requested action not taken: mailbox unavailable', 'ours'],
  ['an unknown sender is us',                    'rcpt',    550, 'sender address unknown, recipient invalid', 'ours'],
  ['a block list is us',                         'rcpt',    550, 'Recipient unknown or blocked using zen.example', 'ours'],
  ['5.1.8 is about our domain',                  'rcpt',    550, '5.1.8 sender address rejected', 'ours'],
  ['5.1.11 is not 5.1.1',                        'rcpt',    550, '5.1.11 something new', 'ours'],
  ['a full mailbox',                             'rcpt',    552, '5.2.2 mailbox full', 'soft'],
  ['a full mailbox in words',                    'rcpt',    552, 'Mailbox is full', 'soft'],
  ['a full mailbox in other words',              'message', 552, 'The user has exceeded the quota', 'soft'],
  ['a letter too large for the mailbox',         'message', 552, '5.2.3 message too large', 'ours'],
  ['a letter too large for the server',          'message', 552, '5.3.4 message too big', 'ours'],
  ['552 without words',                          'message', 552, 'message size exceeds fixed maximum', 'ours'],
  ['a mailbox that is full for now',             'rcpt',    452, '4.2.2 over quota', 'soft'],
  ['a full one, whatever is advised',            'rcpt',    452, '4.2.2 mailbox full, try again later', 'soft'],
  ['a mailbox that is too busy',                 'rcpt',    450, '4.2.1 receiving mail at a rate', 'soft'],
  ['greylisting with the status of a mailbox',   'rcpt',    450, '4.2.0 <a@b.test>: Greylisted', 'retry'],
  ['greylisting in other words',                 'rcpt',    451, '4.2.0 please try again in 300 seconds', 'retry'],
  ['greylisting with its own status',            'rcpt',    451, '4.7.1 greylisted', 'retry'],
  ['unknown for now is not unknown for good',    'rcpt',    450, '4.1.1 user unknown', 'retry'],
  ['a temporary code with a permanent status',   'rcpt',    450, '5.1.1 user unknown', 'retry'],
  ['a permanent code with a temporary status',   'rcpt',    550, '4.2.2 mailbox full', 'soft'],
  ['a policy',                                   'rcpt',    550, '5.7.1 message refused by policy', 'ours'],
  ['our DMARC record',                           'message', 550, '5.7.26 unauthenticated mail', 'ours'],
  ['a spam filter without a status',             'message', 554, 'Message rejected as spam', 'ours'],
  ['routing',                                    'rcpt',    550, '5.4.1 recipient address rejected: access denied', 'ours'],
  ['protocol',                                   'rcpt',    503, '5.5.1 bad sequence of commands', 'ours'],
  ['their mail system',                          'rcpt',    550, '5.3.0 other mail system problem', 'ours'],
  ['refused at connect',                         'connect', 554, 'no SMTP service here', 'ours'],
  ['busy at connect',                            'connect', 421, 'too many connections', 'retry'],
  ['refused at MAIL, whatever the status',       'mail',    550, '5.1.1 user unknown', 'ours'],
  ['refused at MAIL for now',                    'mail',    451, '4.2.2 over quota', 'retry'],
  ['a wrong password',                           'auth',    535, '5.7.8 authentication failed', 'ours'],
  ['the server goes away, whatever it says',     'rcpt',    421, '4.2.2 closing', 'retry'],
  ['the line broke',                             'message', 0,   '', 'retry'],
  ['an answer that no server should give',       'rcpt',    354, 'go ahead', 'retry'],
]

test.each(cases)('%s', (_why, phase, code, text, want) => {
  expect(classifySmtpReply({ code, text, phase })).toBe(want)
})

test('an enhanced status given apart is taken before the text', () => {
  const reply = { code: 550, enhanced: '5.7.1', text: '5.1.1 user unknown', phase: 'rcpt' } as const
  expect(classifySmtpReply(reply)).toBe('ours')
})

test('a status may follow the code in the text', () => {
  expect(classifySmtpReply({ code: 550, text: '550 5.1.1 who?', phase: 'rcpt' })).toBe('hard')
  expect(classifySmtpReply({ code: 550, text: '550-5.1.1 who?', phase: 'rcpt' })).toBe('hard')
})
