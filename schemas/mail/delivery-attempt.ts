/**
 * One attempt to deliver an email, as the mailer stores it with the email: what the mail server
 * replied, or why there was no reply. Fields without a value are left out.
 */
import { z } from 'zod'

/** Attempts kept for each email: the newest. The SQL function `add_attempt` has the same number. */
export const attemptsKeptMax = 10
/** Characters of a reply that are kept. */
export const attemptTextCharactersMax = 1_000

export const AttemptResult = z.enum(['sent', 'deferred', 'failed', 'uncertain'])
export type AttemptResult = z.infer<typeof AttemptResult>

export const SmtpPhaseName = z.enum(['connect', 'hello', 'auth', 'mail', 'rcpt', 'data', 'message'])

export const StoredAttempt = z.object({
  /** Counted from 1. */
  no: z.number().int(),
  at: z.string(),
  result: AttemptResult,
  /** Host and port of the mail server. */
  server: z.string().optional(),
  /** The version, such as `TLSv1.3`; left out: not encrypted. */
  tls: z.string().optional(),
  /** The command that was refused. */
  phase: SmtpPhaseName.optional(),
  /** Left out: the connection was lost before a reply. */
  code: z.number().int().optional(),
  /** Enhanced status code (RFC 3463). */
  enhanced: z.string().optional(),
  /** The lines of the reply without their codes; without a reply: why there was none. */
  text: z.string(),
})
export type StoredAttempt = z.infer<typeof StoredAttempt>
