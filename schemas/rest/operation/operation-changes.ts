/** Dead letters and failed jobs, for the operator of the installation. */
import { z } from 'zod'
import { deadLetterReasons } from '../../dead-letter.ts'
import { FilterText, PageQuery, pageOf } from '../page.ts'

const idMax = 999_999_999_999_999
/** Ids that one request names. */
const idsMax = 1_000
const Id = z.number().int().min(1).max(idMax)
const Ids = z.array(Id).min(1).max(idsMax)

export const DeadLetterQuery = z.strictObject({
  ...PageQuery,
  reason: z.enum(deadLetterReasons).optional(),
  project_id: z.guid().optional(),
})
export type DeadLetterQuery = z.infer<typeof DeadLetterQuery>

const deadLetterFields = {
  id: Id,
  reason: z.enum(deadLetterReasons),
  state: z.enum(['waiting', 'retrying']),
  retryable: z.boolean(),
  error: z.string(),
  kind: z.string().nullable().describe('Kind of the record; null for an unreadable frame.'),
  project: z
    .object({ id: z.uuid(), name: z.string() })
    .nullable()
    .describe('Null for an unreadable frame, and when the project was deleted.'),
  subject: z.string().describe('Subject of the stream.'),
  partition: z.number(),
  sequence: z.number().describe('In the stream.'),
  size_bytes: z.number(),
  received_at: z.iso.datetime().nullable(),
  at: z.iso.datetime().describe('When it was put aside.'),
}

export const DeadLetterItem = z.object(deadLetterFields).meta({ id: 'DeadLetterItem' })
export type DeadLetterItem = z.infer<typeof DeadLetterItem>
export const DeadLetterList = pageOf(DeadLetterItem)

export const DeadLetterDetail = z
  .object({
    ...deadLetterFields,
    header: z.record(z.string(), z.unknown()).nullable(),
    record_id: z.string().nullable(),
    retry_requested_at: z.iso.datetime().nullable(),
    retry_sent_at: z.iso.datetime().nullable(),
    payload: z.object({
      encoding: z.enum(['text', 'hex']),
      excerpt: z.string(),
      truncated: z.boolean(),
    }),
  })
  .meta({ id: 'DeadLetterDetail' })
export type DeadLetterDetail = z.infer<typeof DeadLetterDetail>

/** Selects dead letters in exactly one way, so that a forgotten field never means all of them. */
export const DeadLetterSelection = z
  .strictObject({
    ids: Ids.optional(),
    reason: z.enum(deadLetterReasons).optional(),
    project_id: z.guid().optional(),
    all: z.literal(true).optional(),
  })
  .refine(
    ({ ids, reason, project_id, all }) =>
      [ids, reason ?? project_id, all].filter((way) => way !== undefined).length === 1,
    { message: 'must have `ids`, or `reason` and `project_id` or one of them, or `all`' },
  )
  .meta({ example: { ids: [7] } })
export type DeadLetterSelection = z.infer<typeof DeadLetterSelection>

export const RetriedDeadLetters = z.object({
  requested: z.number(),
  already_retrying: z.number(),
  not_retryable: z.number(),
  left: z.number().describe('Retryable ones beyond the 10,000 that one request changes.'),
})

export const DeletedDeadLetters = z.object({
  deleted: z.number(),
  retrying: z.number().describe('Not deleted, because a retry is under way.'),
  left: z.number().describe('Others beyond the 10,000 that one request deletes.'),
})

export const JobQuery = z.strictObject({
  ...PageQuery,
  task: FilterText.optional(),
  state: z
    .enum(['failed', 'retrying'])
    .default('failed')
    .describe('`failed`: on every attempt. `retrying`: at least once, and waits for the next.'),
})
export type JobQuery = z.infer<typeof JobQuery>

export const JobItem = z
  .object({
    id: z.string(),
    task: z.string(),
    state: z.enum(['failed', 'retrying']),
    attempts: z.number(),
    max_attempts: z.number(),
    error: z.string().nullable().describe('Of the last attempt; at most 4,000 characters.'),
    created_at: z.iso.datetime(),
    failed_at: z.iso.datetime().describe('Time of the last attempt.'),
    next_attempt_at: z.iso.datetime().nullable(),
  })
  .meta({ id: 'JobItem' })
export type JobItem = z.infer<typeof JobItem>
export const JobList = pageOf(JobItem)

export const JobSelection = z
  .strictObject({
    ids: z
      .array(z.string().regex(/^[1-9]\d{0,17}$/, 'must be the id of a job'))
      .min(1)
      .max(idsMax)
      .optional(),
    task: FilterText.optional(),
    all: z.literal(true).optional(),
  })
  .refine(
    ({ ids, task, all }) => [ids, task, all].filter((way) => way !== undefined).length === 1,
    { message: 'must have exactly one of `ids`, `task` and `all`' },
  )
  .meta({ example: { task: 'deliver' } })
export type JobSelection = z.infer<typeof JobSelection>

export const RetriedJobs = z.object({
  requested: z.number().describe('Jobs that run as soon as a worker is free, with all attempts.'),
  left: z.number().describe('Failed jobs beyond the 1,000 that one request changes.'),
})
