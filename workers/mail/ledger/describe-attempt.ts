/**
 * Describes an attempt for the log of its email. The text is what another system wrote: it is
 * bounded and has no control characters, which neither Postgres nor a terminal takes, and none that
 * reorder the text around it.
 */
import type { SmtpSession } from '#platform/smtp/smtp-connection.ts'
import { attemptTextCharactersMax, type StoredAttempt } from '#schemas/mail/delivery-attempt.ts'
import { storedText } from '#schemas/stored-text.ts'
import type { PlannedResult } from '../plan-result.ts'
import type { WireOutcome } from '../smtp/smtp-pool.ts'

/** Undefined if the email was not tried: not composed, held back, or released. */
export function describeAttempt(
  outcome: WireOutcome,
  about: {
    readonly state: PlannedResult['state']
    /** Counted from 1. */
    readonly no: number
    readonly nowMs: number
    readonly session: SmtpSession | undefined
  },
): StoredAttempt | undefined {
  const { state, no, nowMs, session } = about
  if (state === 'released') return undefined
  const common = {
    no,
    at: new Date(nowMs).toISOString(),
    result: state === 'queued' ? ('deferred' as const) : state,
    ...(session === undefined ? {} : { server: session.server }),
    ...(session?.tls === undefined ? {} : { tls: session.tls }),
  }
  if (outcome.kind === 'lost') return { ...common, text: shownText([outcome.reason]) }
  if (outcome.kind !== 'taken' && outcome.kind !== 'refused') return undefined
  const { code, enhanced, lines } = outcome.reply
  return {
    ...common,
    ...(outcome.kind === 'refused' ? { phase: outcome.phase } : {}),
    code,
    ...(enhanced === undefined ? {} : { enhanced }),
    text: shownText(lines.map((line) => withoutCode(line, enhanced))),
  }
}

/** Servers repeat the enhanced status code on every line. */
function withoutCode(line: string, enhanced: string | undefined): string {
  return enhanced !== undefined && line.startsWith(enhanced)
    ? line.slice(enhanced.length).trimStart()
    : line
}

const directionControls = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

function shownText(lines: readonly string[]): string {
  // One line more than fits is enough, and a reply can have thousands.
  const text = lines.slice(0, attemptTextCharactersMax).join('\n').replace(directionControls, '')
  return storedText(text, attemptTextCharactersMax)
}
