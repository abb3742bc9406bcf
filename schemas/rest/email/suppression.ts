/** The suppression list: addresses that get no emails, and the requests that change the list. */
import { z } from 'zod'
import { Instant, PageQuery, pageOf, SearchText } from '../page.ts'
import { AddressText } from './address-text.ts'
import { ContactSource } from './contact.ts'

export const SuppressionCause = z.enum(['hard', 'soft_run', 'complaint', 'manual'])
export type SuppressionCause = z.infer<typeof SuppressionCause>

export const Suppression = z
  .object({
    id: z.string().describe('Id of the address.'),
    email: z
      .string()
      .nullable()
      .describe('Null when the address was erased; its suppression stays.'),
    cause: SuppressionCause,
    source: z
      .string()
      .nullable()
      .describe('Who reported it, such as `ses` or `smtp`, or the reason given.'),
    campaignId: z.string().nullable().describe('The campaign whose email bounced or was reported.'),
    suppressedAt: z.string(),
  })
  .meta({
    id: 'Suppression',
    example: {
      id: '019ab2c4-7f00-7c3e-9d41-5b0f5f7a9e10',
      email: 'ada@example.com',
      cause: 'hard',
      source: 'smtp',
      campaignId: null,
      suppressedAt: '2026-11-21T01:02:03.456Z',
    },
  })
export type Suppression = z.infer<typeof Suppression>

export const SuppressionQuery = z.object({
  ...PageQuery,
  cause: SuppressionCause.optional(),
  source: ContactSource.optional(),
  query: SearchText.optional().describe('Part of the address.'),
})
export const SuppressionPage = pageOf(Suppression).meta({ id: 'SuppressionPage' })

export const NewSuppression = z
  .object({ email: AddressText, reason: ContactSource.nullish() })
  .meta({ id: 'NewSuppression', example: { email: 'ada@example.com', reason: 'asked by phone' } })

export const LiftReason = z
  .string()
  .trim()
  .min(1, 'must not be empty')
  .max(500, 'must have at most 500 characters')

export const SuppressionLift = z
  .object({
    email: AddressText,
    reason: LiftReason.describe('Kept with the contacts and in the audit log.'),
    complaint: z
      .boolean()
      .nullish()
      .describe('Must be true to lift a complaint. The contacts become unsubscribed.'),
  })
  .meta({
    id: 'SuppressionLift',
    example: { email: 'ada@example.com', reason: 'the mailbox accepts emails again' },
  })

export const BulkLift = z
  .strictObject({
    cause: SuppressionCause.nullish().describe(
      'Default: `hard` and `soft_run`. Manual suppressions and complaints are lifted only when named here.',
    ),
    source: z
      .string()
      .refine((text) => text.trim() !== '', { error: 'must not be blank' })
      .pipe(ContactSource)
      .nullish()
      .describe('Equal to `source` of the list.'),
    from: Instant.nullish().describe('Suppressed at this time or later.'),
    to: Instant.nullish().describe('Suppressed before this time. Default: now.'),
    reason: LiftReason.describe('Kept with the contacts and in the audit log.'),
    complaint: z.boolean().nullish().describe('Must be true to lift complaints.'),
    dryRun: z.boolean().describe('True: only count the addresses.'),
  })
  .refine(({ cause, source, from, to }) => [cause, source, from, to].some((part) => part != null), {
    error: 'must name at least one of cause, source, from and to',
    path: ['cause'],
  })
  .meta({
    id: 'BulkSuppressionLift',
    example: {
      cause: 'hard',
      source: 'ses',
      from: '2026-11-20T00:00:00Z',
      reason: 'SES reported 5.7.1 as permanent',
      dryRun: true,
    },
  })
export type BulkLift = z.infer<typeof BulkLift>

export const BulkLiftResult = z
  .object({
    dryRun: z.boolean(),
    matched: z.number().int().describe('Suppressed addresses that matched before the call.'),
    lifted: z.number().int().describe('0 in a dry run.'),
    remaining: z
      .number()
      .int()
      .describe('Suppressed addresses that still match. Repeat the request to lift them.'),
  })
  .meta({
    id: 'BulkSuppressionLiftResult',
    example: { dryRun: true, matched: 1840, lifted: 0, remaining: 1840 },
  })
export type BulkLiftResult = z.infer<typeof BulkLiftResult>

export const SuppressionState = z
  .object({ email: z.string(), suppressed: z.boolean(), cause: SuppressionCause.nullable() })
  .meta({
    id: 'SuppressionState',
    example: { email: 'ada@example.com', suppressed: true, cause: 'manual' },
  })
export type SuppressionState = z.infer<typeof SuppressionState>

export const SuppressionImport = z
  .object({
    rows: z.number().int(),
    added: z.number().int(),
    unchanged: z
      .number()
      .int()
      .describe('Addresses that were suppressed before, or occur in the file again.'),
    invalid: z.number().int(),
    mistakes: z
      .array(z.object({ row: z.number().int(), rule: z.string() }))
      .describe('The first 100 invalid rows.'),
    dryRun: z.boolean(),
  })
  .meta({
    id: 'SuppressionImport',
    example: {
      rows: 3,
      added: 1,
      unchanged: 1,
      invalid: 1,
      mistakes: [{ row: 3, rule: 'must be an email address, with an @ in it' }],
      dryRun: false,
    },
  })
export type SuppressionImport = z.infer<typeof SuppressionImport>
