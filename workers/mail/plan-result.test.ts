import { expect, test } from 'vitest'
import type { SmtpPhase } from '#platform/smtp/smtp-reply.ts'
import { planResult } from './plan-result.ts'
import type { WireOutcome } from './smtp/smtp-pool.ts'

const retrySeconds = [60, 300, 900, 3_600]
const refused = (phase: SmtpPhase, code: number, text: string): WireOutcome => ({
  kind: 'refused',
  phase,
  reply: { code, enhanced: /^[245]\.\d+\.\d+/.exec(text)?.[0], text, lines: [text] },
})
const lost = (written: boolean): WireOutcome => ({ kind: 'lost', written, reason: 'gone' })

// biome-ignore format: the columns are the point
test.each([
  ['accepted                                      ', { kind: 'taken', reply: { code: 250, enhanced: undefined, text: 'ok', lines: [] } }, 1, { state: 'sent' }],
  ['connection lost before the end of the email   ', lost(false), 1, { state: 'queued', delaySeconds: 5 }],
  ['connection lost repeatedly                    ', lost(false), 4, { state: 'queued', delaySeconds: 3_600 }],
  ['connection lost after the end of the email    ', lost(true), 1, { state: 'uncertain' }],
  ['an unknown mailbox                            ', refused('rcpt', 550, '5.1.1 unknown'), 1, { state: 'failed', bounce: 'mailbox' }],
  ['a full mailbox, permanently                   ', refused('rcpt', 552, '5.2.2 full'), 1, { state: 'failed', bounce: 'transient' }],
  ['a full mailbox, temporarily                   ', refused('rcpt', 452, '4.2.2 full'), 1, { state: 'queued', delaySeconds: 60, trouble: 'deferred' }],
  ['greylisted                                    ', refused('rcpt', 450, '4.7.1 later'), 2, { state: 'queued', delaySeconds: 300 }],
  ['deferred for the fifth time: hourly           ', refused('rcpt', 450, '4.7.1 later'), 5, { state: 'queued', delaySeconds: 3_600 }],
  ['deferred for a day                            ', refused('rcpt', 451, '4.3.0 later'), 28, { state: 'failed', bounce: 'transient' }],
  ['deferred for a day by a policy                ', refused('rcpt', 450, '4.7.1 later'), 28, { state: 'failed', bounce: 'policy' }],
  ['greylisted for a day                          ', refused('rcpt', 450, '4.7.1 greylisted'), 28, { state: 'failed', bounce: undefined }],
  ['sender deferred for a day: no bounce          ', refused('mail', 451, '4.3.0 later'), 28, { state: 'failed', bounce: undefined }],
  ['refused for the sender\'s reputation          ', refused('message', 554, '5.7.1 spam'), 1, { state: 'failed', trouble: 'ours', bounce: 'policy' }],
  ['refused sender                                ', refused('mail', 550, '5.1.1 unknown'), 1, { state: 'failed', trouble: 'ours', bounce: undefined }],
  ['the server closes the connection              ', refused('rcpt', 421, '4.3.2 bye'), 1, { state: 'queued' }],
  ['not tried                                     ', { kind: 'untried' }, 1, { state: 'released', delaySeconds: 0 }],
  ['a domain whose key fails                      ', { kind: 'held', reason: 'key' }, 1, { state: 'released', delaySeconds: 300 }],
  ['an email that cannot be composed              ', { kind: 'unusable', reason: 'x' }, 1, { state: 'failed', reason: 'not_composed: x' }],
] as readonly (readonly [string, WireOutcome, number, object])[])('%s', (_name, outcome, attempt, want) => {
  const got = planResult(outcome, { attempt, retrySeconds })
  expect({ bounce: undefined, ...got }).toMatchObject(want)
})
