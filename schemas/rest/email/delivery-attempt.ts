/** Attempts to deliver an email, as people see them. */
import { z } from 'zod'
import {
  AttemptResult,
  attemptsKeptMax,
  attemptTextCharactersMax,
  SmtpPhaseName,
} from '../../mail/delivery-attempt.ts'
import { BounceItem } from './bounce.ts'

export const DeliveryAttempt = z
  .object({
    no: z.number().int().describe('Counted from 1.'),
    at: z.string(),
    result: AttemptResult,
    server: z.string().nullable().describe('Host and port of the mail server.'),
    tls: z.string().nullable().describe('Version of TLS; null: not encrypted.'),
    phase: SmtpPhaseName.nullable().describe(
      'The step of the SMTP session that was refused; `message`: after the whole email.',
    ),
    code: z
      .number()
      .int()
      .nullable()
      .describe('SMTP reply code; null: the connection was lost before a reply.'),
    enhanced: z.string().nullable().describe('Enhanced status code (RFC 3463).'),
    text: z
      .string()
      .describe(
        `Text of the reply, with line feeds between its lines and without control characters; at most ${attemptTextCharactersMax} characters. Without a reply: why there was none.`,
      ),
  })
  .meta({
    id: 'DeliveryAttempt',
    example: {
      no: 1,
      at: '2026-11-21T01:02:03.456Z',
      result: 'deferred',
      server: 'smtp.example.com:587',
      tls: 'TLSv1.3',
      phase: 'rcpt',
      code: 450,
      enhanced: '4.2.0',
      text: 'Greylisted, try again in five minutes',
    },
  })
export type DeliveryAttempt = z.infer<typeof DeliveryAttempt>

/** What is known about one email beside the row of its list. */
export const EmailHistory = {
  nextAttemptAt: z.string().nullable().describe('While it is queued: not tried before this time.'),
  attemptLog: z
    .array(DeliveryAttempt)
    .describe(
      `The newest ${attemptsKeptMax} attempts, oldest first. Emails sent before this was recorded have none.`,
    ),
  bounces: z.array(BounceItem).describe('Reports about this email, newest first, at most 20.'),
} as const
