import { expect, test } from 'vitest'
import { planResult } from './plan-result.ts'
import type { WireOutcome } from './smtp/smtp-pool.ts'
import type { SmtpPhase } from './smtp/smtp-reply.ts'

const retrySeconds = [60, 300, 900, 3_600]
const refused = (phase: SmtpPhase, code: number, text: string): WireOutcome => ({
  kind: 'refused',
  phase,
  reply: { code, enhanced: /^[245]\.\d+\.\d+/.exec(text)?.[0], text, lines: [text] },
})
const lost = (written: boolean): WireOutcome => ({ kind: 'lost', written, reason: 'gone' })

// biome-ignore format: the columns are the point
test.each([
  ['taken                                         ', { kind: 'taken', reply: { code: 250, enhanced: undefined, text: 'ok', lines: [] } }, 1, { state: 'sent' }],
  ['the line broke before the end of the letter   ', lost(false), 1, { state: 'queued', delaySeconds: 5 }],
  ['again and again                               ', lost(false), 4, { state: 'queued', delaySeconds: 3_600 }],
  ['the line broke after the end of the letter    ', lost(true), 1, { state: 'uncertain' }],
  ['no such mailbox                               ', refused('rcpt', 550, '5.1.1 unknown'), 1, { state: 'failed', bounce: 'mailbox' }],
  ['a full mailbox, for good                      ', refused('rcpt', 552, '5.2.2 full'), 1, { state: 'failed', bounce: 'transient' }],
  ['a full mailbox, for now                       ', refused('rcpt', 452, '4.2.2 full'), 1, { state: 'queued', delaySeconds: 60, trouble: 'deferred' }],
  ['greylisted                                    ', refused('rcpt', 450, '4.7.1 later'), 2, { state: 'queued', delaySeconds: 300 }],
  ['put off for the fifth time: hourly            ', refused('rcpt', 450, '4.7.1 later'), 5, { state: 'queued', delaySeconds: 3_600 }],
  ['put off for a day                             ', refused('rcpt', 451, '4.3.0 later'), 28, { state: 'failed', bounce: 'transient' }],
  ['put off for a day, by a policy                ', refused('rcpt', 450, '4.7.1 later'), 28, { state: 'failed', bounce: 'policy' }],
  ['greylisted for a day                          ', refused('rcpt', 450, '4.7.1 greylisted'), 28, { state: 'failed', bounce: undefined }],
  ['we were put off for a day: nobody\'s bounce   ', refused('mail', 451, '4.3.0 later'), 28, { state: 'failed', bounce: undefined }],
  ['our reputation                                ', refused('message', 554, '5.7.1 spam'), 1, { state: 'failed', trouble: 'ours', bounce: 'policy' }],
  ['our sender                                    ', refused('mail', 550, '5.1.1 unknown'), 1, { state: 'failed', trouble: 'ours', bounce: undefined }],
  ['the server closes                             ', refused('rcpt', 421, '4.3.2 bye'), 1, { state: 'queued' }],
  ['not tried                                     ', { kind: 'untried' }, 1, { state: 'released', delaySeconds: 0 }],
  ['a domain whose key fails                      ', { kind: 'held', reason: 'key' }, 1, { state: 'released', delaySeconds: 300 }],
  ['a letter that cannot be made                  ', { kind: 'unusable', reason: 'x' }, 1, { state: 'failed', reason: 'not_composed: x' }],
] as readonly (readonly [string, WireOutcome, number, object])[])('%s', (_name, outcome, attempt, want) => {
  const got = planResult(outcome, { attempt, retrySeconds })
  expect({ bounce: undefined, ...got }).toMatchObject(want)
})
