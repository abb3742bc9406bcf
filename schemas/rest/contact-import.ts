/** Contacts from a file: what its columns mean, how far it is, what was refused and why. */
import { z } from 'zod'
import { attribKeyPattern, ContactSource } from './contact.ts'
import { PageQuery, pageOf } from './page.ts'

export const importBytesMax = 32 * 1024 * 1024
export const problemsKeptMax = 1_000

const Column = z.string().min(1).max(200)

export const ImportMapping = z
  .object({
    email: Column.optional(),
    name: Column.optional(),
    source: Column.optional(),
    status: Column.optional(),
    attribs: z
      .record(
        z.string().regex(attribKeyPattern, 'must be 1 to 64 letters, digits, _ and -'),
        Column,
      )
      .optional(),
  })
  .meta({
    id: 'ImportMapping',
    example: { email: 'E-Mail', name: 'Full name', attribs: { city: 'City' } },
  })
export type ImportMapping = z.infer<typeof ImportMapping>

const flag = z
  .enum(['true', 'false'])
  .default('false')
  .transform((text) => text === 'true')

export const ImportQuery = z.object({
  newsletter: z.string().max(64).describe('Its slug.'),
  dryRun: flag.describe('Check and count everything, write nothing.'),
  mapping: z
    .string()
    .max(10_000)
    .optional()
    .describe('JSON: which column is what. Left out: told from the names of the columns.'),
  status: z
    .enum(['subscribed', 'unsubscribed'])
    .default('subscribed')
    .describe(
      'What new contacts are. These people have agreed already: nobody is asked to confirm.',
    ),
  updateExisting: flag.describe('Take name and attributes for contacts that are there.'),
  source: ContactSource.optional(),
})

/** What a run needs to know; stands with the import in the database. */
export const ImportPlan = z.object({
  delimiter: z.enum([',', ';', '\t']),
  email: z.int(),
  name: z.int().optional(),
  source: z.int().optional(),
  status: z.int().optional(),
  /** A column that holds attributes as JSON, as the export writes it. */
  attribsJson: z.int().optional(),
  attribs: z.record(z.string(), z.int()),
  newStatus: z.enum(['subscribed', 'unsubscribed']),
  updateExisting: z.boolean(),
  defaultSource: z.string(),
})
export type ImportPlan = z.infer<typeof ImportPlan>

export const ImportProblem = z.object({
  line: z.number().int(),
  field: z.string(),
  rule: z.string(),
})
export type ImportProblem = z.infer<typeof ImportProblem>

export const ImportState = z.enum(['waiting', 'running', 'done', 'failed', 'cancelled'])
export type ImportState = z.infer<typeof ImportState>

export const ImportItem = z
  .object({
    id: z.string(),
    newsletter: z.string(),
    state: ImportState,
    dryRun: z.boolean(),
    progress: z.number().describe('From 0 to 1.'),
    rows: z.number().int(),
    created: z.number().int(),
    updated: z.number().int(),
    unchanged: z.number().int(),
    refused: z.number().int(),
    reason: z.string().nullable().describe('Why it failed.'),
    createdBy: z.string(),
    createdAt: z.string(),
    finishedAt: z.string().nullable(),
  })
  .meta({
    id: 'ContactImport',
    example: {
      id: '019ab2c4-7f00-7c3e-9d41-5b0f5f7a9e10',
      newsletter: 'demo',
      state: 'done',
      dryRun: false,
      progress: 1,
      rows: 1200,
      created: 1100,
      updated: 0,
      unchanged: 90,
      refused: 10,
      reason: null,
      createdBy: 'Demo Owner',
      createdAt: '2026-11-21T01:02:03.456Z',
      finishedAt: '2026-11-21T01:02:05.000Z',
    },
  })
export type ImportItem = z.infer<typeof ImportItem>

export const ImportDetail = ImportItem.extend({
  problems: z.array(ImportProblem).describe(`The first ${problemsKeptMax} of the refused rows.`),
}).meta({ id: 'ContactImportDetail' })

export const NewImportReply = ImportItem.extend({
  ignoredColumns: z.array(z.string()).describe('Columns that mean nothing here.'),
}).meta({ id: 'NewContactImport' })

export const ImportPageQuery = z.object(PageQuery)
export const ImportPage = pageOf(ImportItem)
