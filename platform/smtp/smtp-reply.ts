/**
 * Decides what a refusal in an SMTP session means for the recipient and for the next attempt (RFC
 * 5321 reply codes). `classify-bounce.ts` decides why the email was refused; the phase of the
 * session tells who was refused: before RCPT it is always the sender.
 */
import type { BounceKind } from '#schemas/mail/bounce.ts'
import { classifyBounce } from '#schemas/mail/classify-bounce.ts'

/** `message`: after the final dot of DATA. */
export type SmtpPhase = 'connect' | 'hello' | 'auth' | 'mail' | 'rcpt' | 'data' | 'message'

export interface SmtpReply {
  /** Undefined or 0: the connection was lost before the server replied. */
  readonly code: number | undefined
  /**
   * Enhanced status code, as in `5.1.1`; undefined: it is read from the text if the text has one.
   */
  readonly enhanced?: string | undefined
  readonly text: string
  readonly phase: SmtpPhase
}

/**
 * hard: there is no such mailbox. soft: the mailbox cannot take the email now. retry: not a bounce,
 * and worth another attempt. ours: the sender's reputation, DNS or error; the email failed, and the
 * address is not affected.
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

/**
 * `none` unless the recipient was refused: what is said before RCPT says nothing about the mailbox.
 */
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
