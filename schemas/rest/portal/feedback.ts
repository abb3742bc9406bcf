/**
 * Feedback about a product, as the team reads and changes it (portal-feedback-api: Feedback item).
 */
import { z } from 'zod'
import { plainText } from '../../plain-text.ts'
import { visibleText } from '../../visible-text.ts'
import { AddressText } from '../email/address-text.ts'
import { SearchText } from '../page.ts'

export const feedbackTypes = [
  'Bug',
  'Feature',
  'Improvement',
  'Question',
  'Praise',
  'Other',
] as const
export const feedbackStatuses = ['New', 'Active', 'Assigned', 'Hold', 'Resolved', 'Closed'] as const
export const feedbackSources = ['Widget', 'Api', 'Import', 'Dashboard'] as const

export const FeedbackType = z.enum(feedbackTypes)
export type FeedbackType = z.infer<typeof FeedbackType>
export const FeedbackStatus = z.enum(feedbackStatuses)
export type FeedbackStatus = z.infer<typeof FeedbackStatus>
export type FeedbackSource = (typeof feedbackSources)[number]

export const feedbackPageDefault = 20
export const feedbackPageMax = 100
export const feedbackMessageCharactersMax = 10_000
/** Items that one request changes or deletes. */
export const feedbackBulkMax = 500

export const FeedbackItem = z
  .object({
    id: z.string(),
    project_id: z.string(),
    message: z.string(),
    type: FeedbackType,
    status: FeedbackStatus,
    source: z.enum(feedbackSources),
    path: z
      .string()
      .optional()
      .describe('Path of the page, without its query. Absent when unknown.'),
    version: z.string().optional().describe('Release of the product. Absent when unknown.'),
    environment: z.string().optional(),
    component: z.string().optional().describe('Label of the DSN key with which it was sent.'),
    event_id: z.string().optional().describe('The error event that the feedback is about.'),
    issue_id: z.string().optional().describe('The issue of that event.'),
    person_name: z.string().optional(),
    person_email: z.string().optional().describe('As the person typed it, unconfirmed.'),
    enduser_id: z.string().optional().describe('The id of the person on the portal.'),
    archived: z.boolean(),
    created_at: z.string(),
    updated_at: z.string(),
  })
  .meta({
    id: 'Feedback',
    example: {
      id: '0198c1a2-7d3e-7b11-9c55-2f0a6f1f4e10',
      project_id: '0198c19f-0a4b-7c22-8d66-1f0b5e2e3d21',
      message: 'The cart forgets what is in it when I sign in.',
      type: 'Bug',
      status: 'New',
      source: 'Widget',
      path: '/cart',
      version: 'shop@1.4.0',
      event_id: '5f0c1d2e3a4b4c5d8e9f001122334455',
      issue_id: '0198c1a0-1b5c-7d33-9e77-3a1c7f3f5e32',
      archived: false,
      created_at: '2026-11-20T14:02:11.000Z',
      updated_at: '2026-11-20T14:02:11.000Z',
    },
  })
export type FeedbackItem = z.infer<typeof FeedbackItem>

const Flag = z
  .enum(['true', 'false', '1', '0'])
  .transform((text) => text === 'true' || text === '1')

const EmailText = z.string().min(1).max(254)

const filters = {
  status: FeedbackStatus.optional(),
  type: FeedbackType.optional(),
  search: SearchText.optional().describe(
    'Finds messages with all these words, the last of which may be a prefix, and messages that contain the text.',
  ),
  issue_id: z
    .guid()
    .toLowerCase()
    .optional()
    .describe('About events of this issue. An unknown issue has none.'),
  event_id: z
    .string()
    .max(36)
    .transform((text) => text.toLowerCase().replaceAll('-', ''))
    .pipe(z.string().regex(/^[0-9a-f]{32}$/, 'must be 32 hex digits'))
    .optional()
    .describe('About this event.'),
  email: EmailText.optional().describe('The whole address of the person; case is ignored.'),
  archived: Flag.optional().describe(
    '`true` lists archived items only; they are omitted otherwise.',
  ),
} as const

export const FeedbackFilter = z.object(filters)
export type FeedbackFilter = z.infer<typeof FeedbackFilter>

/** Beyond the end of every list, and its offset is still an exact integer. */
const feedbackPageNumberMax = 1_000_000_000

/** Unknown parameters are ignored, so that clients of similar services need no change. */
export const FeedbackListQuery = z.object({
  page: z.coerce.number().int().min(1).max(feedbackPageNumberMax).default(1),
  limit: z.coerce.number().int().min(1).max(feedbackPageMax).default(feedbackPageDefault),
  ...filters,
})
export type FeedbackListQuery = z.infer<typeof FeedbackListQuery>

export const FeedbackPage = z
  .object({
    feedback: z.array(FeedbackItem),
    pagination: z.object({
      page: z.number().int(),
      limit: z.number().int(),
      total: z.number().int(),
      total_pages: z.number().int().describe('0 if nothing matches.'),
    }),
  })
  .meta({
    id: 'FeedbackPage',
    example: { feedback: [], pagination: { page: 1, limit: 20, total: 0, total_pages: 0 } },
  })
export type FeedbackPage = z.infer<typeof FeedbackPage>

export const FeedbackMessage = visibleText(feedbackMessageCharactersMax)
const PagePath = z
  .string()
  .max(2048)
  .nullish()
  .describe('URL or path of the page; the query is removed.')
const Version = plainText(200).nullish().describe('Release of the product.')

/** The body that a form on a page of the project sends, without credentials. */
export const FeedbackIntake = z
  .object({
    message: FeedbackMessage,
    type: FeedbackType.nullish().describe('`Other` if omitted.'),
    path: PagePath,
    version: Version,
    enduser_id: z
      .string()
      .max(1_000)
      .nullish()
      .describe('Any stable id; omit it for anonymous feedback.'),
    enduser_email: AddressText.nullish(),
    token: z
      .string()
      .max(8_192)
      .nullish()
      .describe('Signed token of the user; required while end-user auth is on.'),
  })
  .meta({
    id: 'FeedbackIntake',
    example: {
      message: 'The cart forgets what is in it when I sign in.',
      type: 'Bug',
      path: '/cart',
      version: 'shop@1.4.0',
      enduser_id: 'user-17',
    },
  })

export const FeedbackTaken = z.object({ feedback_id: z.string() }).meta({
  id: 'FeedbackTaken',
  example: { feedback_id: '0198c1a2-7d3e-7b11-9c55-2f0a6f1f4e10' },
})

/** Entered by a person of the team for somebody who called or wrote. */
export const NewFeedback = z
  .object({
    message: FeedbackMessage,
    type: FeedbackType.default('Other'),
    status: FeedbackStatus.default('New'),
    path: PagePath,
    version: Version,
    person_name: plainText(128).nullish(),
    person_email: plainText(254).nullish(),
  })
  .meta({
    id: 'NewFeedback',
    example: { message: 'By phone: she likes the new cart.', type: 'Praise', version: '1.4.0' },
  })
export type NewFeedback = z.infer<typeof NewFeedback>

/** Omitted fields stay unchanged, except that a `New` item which gets a type becomes `Active`. */
export const FeedbackChange = z
  .object({
    status: FeedbackStatus.optional(),
    type: FeedbackType.optional(),
    archived: z.boolean().optional(),
  })
  .refine(
    ({ status, type, archived }) =>
      status !== undefined || type !== undefined || archived !== undefined,
    'must name at least one of status, type and archived',
  )
  .meta({ id: 'FeedbackChange', example: { status: 'Resolved' } })
export type FeedbackChange = z.infer<typeof FeedbackChange>

export const FeedbackBulk = z
  .object({
    // Ids of SDKs are random in every bit, so they have no version of a UUID.
    ids: z.array(z.guid()).min(1).max(feedbackBulkMax),
    change: FeedbackChange.optional(),
    delete: z.literal(true).optional(),
  })
  .refine(
    ({ change, delete: removal }) => (change === undefined) !== (removal === undefined),
    'must have either change or delete',
  )
  .meta({
    id: 'FeedbackBulk',
    example: { ids: ['0198c1a2-7d3e-7b11-9c55-2f0a6f1f4e10'], change: { archived: true } },
  })
export type FeedbackBulk = z.infer<typeof FeedbackBulk>

export const FeedbackBulkReply = z.object({
  changed: z
    .number()
    .int()
    .describe('Number of items that were changed or deleted; unknown ids are ignored.'),
})

export const FeedbackStats = z
  .object({
    by_status: z.record(FeedbackStatus, z.number().int()),
    by_type: z.record(FeedbackType, z.number().int()),
    total: z.number().int(),
    archived: z.number().int().describe('Archived items, which the other counts omit.'),
  })
  .meta({ id: 'FeedbackStats' })

export const FeedbackImportReport = z
  .object({
    rows: z.number().int(),
    added: z.number().int().describe('With `dry_run`: rows that would be added.'),
    already_there: z.number().int(),
    refused: z.number().int(),
    mistakes: z
      .array(z.object({ row: z.number().int(), field: z.string(), rule: z.string() }))
      .describe('Every row that was skipped. Rows count from 1, without the header row.'),
    notes: z
      .array(z.object({ row: z.number().int(), field: z.string(), rule: z.string() }))
      .describe('Values of imported rows that were changed.'),
    ignored_columns: z.array(z.string()).describe('Columns that were not imported.'),
    dry_run: z.boolean(),
  })
  .meta({
    id: 'FeedbackImportReport',
    example: {
      rows: 3,
      added: 1,
      already_there: 1,
      refused: 1,
      mistakes: [{ row: 2, field: 'message', rule: 'must not be blank' }],
      notes: [],
      ignored_columns: ['colour'],
      dry_run: false,
    },
  })
export type FeedbackImportReport = z.infer<typeof FeedbackImportReport>
