/**
 * Plans the next state of an email after an attempt. Only what certainly was not delivered is
 * retried: an email whose last byte was written and whose reply never arrived may have been
 * delivered, so it is uncertain and left to people.
 *
 *   taken -> sent                    refused permanently -> failed
 *   connection lost after the end -> uncertain
 *   refused temporarily, connection lost before the end -> queued
 */

import { classifySmtpReply, kindOfSmtpReply } from '#platform/smtp/smtp-reply.ts'
import type { BounceCause } from '#schemas/mail/bounce.ts'
import { storedText } from '#schemas/stored-text.ts'
import type { WireOutcome } from './smtp/smtp-pool.ts'

export interface Attempt {
  /** Counted from 1. */
  readonly attempt: number
  /** Delays after the first attempts; then one hour, until a day has passed. */
  readonly retrySeconds: readonly number[]
}

export interface PlannedResult {
  readonly state: 'sent' | 'failed' | 'uncertain' | 'queued' | 'released'
  /** Shown to people: a code, and the text of the server. */
  readonly reason: string | null
  readonly delaySeconds: number
  /** Why the recipient was refused, once the email has failed. */
  readonly bounce?: BounceCause
  /** deferred: the recipient's server defers the email; ours: the server refuses the sender. */
  readonly trouble?: 'deferred' | 'ours'
}

const lineRetrySeconds = 5
const heldSeconds = 300
const hourlyAttempts = 23
const hourSeconds = 3_600
const reasonCharactersMax = 300

export function planResult(outcome: WireOutcome, attempt: Attempt): PlannedResult {
  switch (outcome.kind) {
    case 'taken':
      return { state: 'sent', reason: null, delaySeconds: 0 }
    case 'untried':
      return { state: 'released', reason: null, delaySeconds: 0 }
    case 'held':
      return { state: 'released', reason: cut(outcome.reason), delaySeconds: heldSeconds }
    case 'unusable':
      return { state: 'failed', reason: cut(`not_composed: ${outcome.reason}`), delaySeconds: 0 }
    case 'lost':
      if (outcome.written) {
        return { state: 'uncertain', reason: cut(`line_lost: ${outcome.reason}`), delaySeconds: 0 }
      }
      return again(cut(`line_lost: ${outcome.reason}`), lineDelay(attempt))
    case 'refused': {
      const { phase, reply } = outcome
      const verdict = classifySmtpReply({ ...reply, phase })
      const reason = cut(`${reply.code} ${reply.text}`)
      const kind = kindOfSmtpReply({ ...reply, phase })
      const bounce = kind === 'none' || kind === 'unsubscribe' ? {} : { bounce: kind }
      if (verdict === 'ours') {
        return { state: 'failed', reason, delaySeconds: 0, trouble: 'ours', ...bounce }
      }
      // A temporary refusal may be over in an hour, also that of a mailbox.
      if (reply.code < 500) {
        const planned = again(reason, delayAfter(attempt))
        return planned.state === 'queued'
          ? { ...planned, trouble: 'deferred' }
          : { ...planned, ...bounce }
      }
      return verdict === 'retry'
        ? again(reason, delayAfter(attempt))
        : { state: 'failed', reason, delaySeconds: 0, ...bounce }
    }
  }
}

/** Seconds until the next attempt; undefined after a day. */
export function delayAfter({ attempt, retrySeconds }: Attempt): number | undefined {
  if (attempt <= retrySeconds.length) return retrySeconds[attempt - 1]
  return attempt <= retrySeconds.length + hourlyAttempts ? hourSeconds : undefined
}

/**
 * A lost connection is soon open again and the email is not the cause. An email that always loses
 * it waits like any other.
 */
function lineDelay(attempt: Attempt): number | undefined {
  const planned = delayAfter(attempt)
  if (planned === undefined || attempt.attempt > 3) return planned
  return Math.min(planned, lineRetrySeconds * attempt.attempt)
}

function again(reason: string, delaySeconds: number | undefined): PlannedResult {
  return delaySeconds === undefined
    ? { state: 'failed', reason: cut(`gave_up: ${reason}`), delaySeconds: 0 }
    : { state: 'queued', reason, delaySeconds }
}

/** Postgres takes no NUL, and a result that it refuses would keep all later ones waiting. */
function cut(reason: string): string {
  return storedText(reason, reasonCharactersMax)
}
