/**
 * What a refusal in an SMTP session means for the recipient and for the next attempt (RFC 5321 reply codes). Why the email was
 * refused is decided in `classify-bounce.ts`; the phase of the session adds who was refused: before RCPT it is always us.
 */
import type { BounceKind } from './bounce.ts'
import { classifyBounce } from './classify-bounce.ts'

/** `message`: after the final dot of DATA. */
export type SmtpPhase = 'connect' | 'hello' | 'auth' | 'mail' | 'rcpt' | 'data' | 'message'

export interface SmtpReply {
  /** Undefined or 0: the line broke before there was an answer. */
  readonly code: number | undefined
  /** As in `5.1.1`; undefined: read from the text when it stands there. */
  readonly enhanced?: string | undefined
  readonly text: string
  readonly phase: SmtpPhase
}

/**
 * hard: there is no such mailbox. soft: the mailbox cannot take it now. retry: nobody's bounce, yet worth trying again.
 * ours: the sender's reputation, DNS or mistake; the email failed and the address stays clean.
 */
export type SmtpVerdict = 'hard' | 'soft' | 'retry' | 'ours'

const recipientPhases: ReadonlySet<SmtpPhase> = new Set(['rcpt', 'data', 'message'])

export function classifySmtpReply(reply: SmtpReply): SmtpVerdict {
  const code = reply.code ?? 0
  if (code < 400 || code === 421) return 'retry'
  if (!recipientPhases.has(reply.phase)) return code < 500 ? 'retry' : 'ours'
  const kind = kindOfSmtpReply(reply)
  if (kind === 'mailbox') return 'hard'
  if (code >= 500) return kind === 'transient' ? 'soft' : 'ours'
  return kind === 'transient' && isAboutMailbox(reply) ? 'soft' : 'retry'
}

/** `none` unless the recipient was refused: what is said before RCPT says nothing about the mailbox. */
export function kindOfSmtpReply({ code, enhanced, text, phase }: SmtpReply): BounceKind {
  if (!recipientPhases.has(phase)) return 'none'
  return classifyBounce({
    source: 'smtp',
    code,
    status: enhanced,
    text,
    afterContent: phase !== 'rcpt',
  })
}

/** Subject 2 of RFC 3463: mailbox status. */
function isAboutMailbox({ enhanced, text }: SmtpReply): boolean {
  return /^\s*(?:[245]\d\d[ -]\s*)?[245]\.2\./.test(enhanced ?? text)
}
