/** Imports of contacts from files: meaning of columns, progress, and report. */
import { z } from 'zod'
import { PageQuery, pageOf } from '../page.ts'
import { attribKeyPattern, ContactSource } from './contact.ts'

export const importBytesMax = 32 * 1024 * 1024
export const problemsKeptMax = 1_000

export const columnCharactersMax = 200
const ignoredColumnsMax = 200

const Column = z.string().min(1).max(columnCharactersMax)
const Columns = z
  .union([Column, z.array(Column).min(1).max(10)])
  .transform((given) => (typeof given === 'string' ? [given] : given))

export const ImportOutcome = z.enum([
  'subscribed',
  'pending',
  'unsubscribed',
  'bounced',
  'complained',
  'blocked',
  'nothing',
])
/** What the cell of a contact means. `nothing`: it does not prevent sending. */
export type ImportOutcome = z.infer<typeof ImportOutcome>

export const ImportMapping = z
  .strictObject({
    email: Column.optional(),
    name: Columns.optional().describe('Several columns are joined with spaces.'),
    source: Column.optional(),
    status: Column.optional().describe(
      'Column with the values subscribed, pending, unsubscribed, bounced, complained, and those of `statusValues`.',
    ),
    statusValues: z
      .record(z.string().max(columnCharactersMax), ImportOutcome)
      .optional()
      .describe('Meaning of other values in the status column.'),
    subscribed: Columns.optional().describe(
      'Yes or a date means subscribed. No or blank means unsubscribed.',
    ),
    unsubscribed: Columns.optional().describe('Yes or a date means unsubscribed.'),
    bounced: Columns.optional().describe('Yes or a date means suppressed as a hard bounce.'),
    complained: Columns.optional().describe('Yes or a date means suppressed as a complaint.'),
    blocked: Columns.optional().describe('Yes or a date means suppressed.'),
    attribs: z
      .record(
        z.string().regex(attribKeyPattern, 'must be 1 to 64 letters, digits, _ and -'),
        Column,
      )
      .optional(),
    ignore: z.array(Column).max(ignoredColumnsMax).optional(),
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

export const ImportFormat = z.enum([
  'generic',
  'sluice',
  'listmonk',
  'mailchimp',
  'resend',
  'buttondown',
  'keila',
])
export type ImportFormat = z.infer<typeof ImportFormat>

export const ImportStatus = z.enum(['subscribed', 'pending', 'unsubscribed', 'bounced'])
export type ImportStatus = z.infer<typeof ImportStatus>

export const ImportQuery = z.object({
  newsletter: z.string().max(64).describe('Slug of the newsletter.'),
  dryRun: flag.describe('Check the file, count the changes and change nothing.'),
  mapping: z
    .string()
    .max(10_000)
    .optional()
    .describe(
      'Meaning of the columns, as the JSON of an ImportMapping. By default columns are recognized by name. A JSON field in a column that looks like an opt-out is mapped like a column, such as `attributes.unsubscribed`.',
    ),
  ignore: z
    .union([Column, z.array(Column).max(ignoredColumnsMax)])
    .transform((given) => (typeof given === 'string' ? [given] : given))
    .optional()
    .describe(
      'A column, or a JSON field such as `attributes.unsubscribed`, to ignore although it looks like an opt-out. Repeat the parameter for more.',
    ),
  format: ImportFormat.optional().describe(
    'The service that wrote the file. By default it is recognized by the columns.',
  ),
  fileName: z
    .string()
    .max(500)
    .optional()
    .describe(
      "Name of the file. Mailchimp's three files can have the same columns and differ only by name.",
    ),
  status: ImportStatus.optional().describe(
    'Status of contacts for which the file has none. Default: subscribed, without a confirmation email. Never overrides an opt-out in the file or in the newsletter.',
  ),
  updateExisting: flag.describe('Replace name and attributes of existing contacts.'),
  source: ContactSource.optional(),
})

export const TextEncodingName = z.enum(['utf-8', 'utf-16le', 'utf-16be', 'windows-1252'])
export type TextEncodingName = z.infer<typeof TextEncodingName>

/**
 * A column that holds the status of a contact. A row with any other value in it is refused.
 */
export const StateColumn = z.object({
  column: z.int(),
  name: z.string(),
  /** Meaning of cells, by their text in lower case. */
  values: z.record(z.string(), ImportOutcome),
  blank: ImportOutcome.optional(),
  date: ImportOutcome.optional(),
  /** Meaning of any other text. */
  other: ImportOutcome.optional(),
})
export type StateColumn = z.infer<typeof StateColumn>

/** A JSON field inside the cells of a column. */
export const JsonColumn = z.object({ column: z.int(), path: z.array(z.string()) })
export type JsonColumn = z.infer<typeof JsonColumn>

/**
 * Plan of an import, stored with it in the database. Numbers are indexes of columns.
 */
export const ImportPlan = z.object({
  format: ImportFormat,
  encoding: TextEncodingName,
  delimiter: z.enum([',', ';', '\t']),
  /**
   * Number of columns in the header; null in imports of versions that did not compare rows with it.
   */
  columns: z.int().nullable(),
  /**
   * Fields of JSON that look like an opt-out. They count as columns behind those of the file;
   * absent in earlier imports.
   */
  jsonColumns: z.array(JsonColumn).optional(),
  email: z.int(),
  names: z.array(z.int()),
  source: z.int().optional(),
  states: z.array(StateColumn),
  /** A column that holds attributes as JSON. */
  attribsJson: z.int().optional(),
  attribs: z.record(z.string(), z.int()),
  tags: z.int().optional(),
  /** True: attributes that are not valid are left out and reported. False: their row is refused. */
  fitAttribs: z.boolean(),
  createdAt: z.int().optional(),
  confirmedAt: z.int().optional(),
  unsubscribedAt: z.int().optional(),
  /** Columns that only our own export has. */
  suppression: z
    .object({
      cause: z.int(),
      at: z.int().optional(),
      source: z.int().optional(),
      before: z.int().optional(),
    })
    .optional(),
  /** Set for our own export, to refuse rows of other newsletters. */
  only: z.object({ column: z.int(), newsletter: z.string() }).optional(),
  ignoredColumns: z.array(z.string()),
  newStatus: ImportStatus,
  updateExisting: z.boolean(),
  defaultSource: z.string(),
  /** Name of the file; absent in earlier imports. */
  fileName: z.string().optional(),
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
    fileName: z.string().nullable(),
    state: ImportState,
    dryRun: z.boolean(),
    progress: z.number().describe('From 0 to 1.'),
    rows: z.number().int(),
    created: z.number().int(),
    updated: z.number().int(),
    unchanged: z.number().int(),
    refused: z.number().int().describe('Rows that are not valid.'),
    skipped: z
      .number()
      .int()
      .describe('Rows of people who were erased after they had unsubscribed or been suppressed.'),
    suppressed: z.number().int().describe('Addresses that the import suppressed.'),
    warned: z.number().int().describe('Parts of rows that were left out.'),
    format: ImportFormat,
    encoding: TextEncodingName,
    ignoredColumns: z.array(z.string()).describe('Columns that are not imported.'),
    reason: z.string().nullable().describe('Why the import failed.'),
    createdBy: z.string(),
    createdAt: z.string(),
    finishedAt: z.string().nullable(),
  })
  .meta({
    id: 'ContactImport',
    example: {
      id: '019ab2c4-7f00-7c3e-9d41-5b0f5f7a9e10',
      newsletter: 'demo',
      fileName: 'subscribers.csv',
      state: 'done',
      dryRun: false,
      progress: 1,
      rows: 1200,
      created: 1100,
      updated: 0,
      unchanged: 90,
      refused: 8,
      skipped: 2,
      suppressed: 0,
      warned: 0,
      format: 'generic',
      encoding: 'utf-8',
      ignoredColumns: ['Note'],
      reason: null,
      createdBy: 'Demo Owner',
      createdAt: '2026-11-21T01:02:03.456Z',
      finishedAt: '2026-11-21T01:02:05.000Z',
    },
  })
export type ImportItem = z.infer<typeof ImportItem>

export const ImportDetail = ImportItem.extend({
  problems: z
    .array(ImportProblem)
    .describe(`The first ${problemsKeptMax} refused and skipped rows, with the reason.`),
  warnings: z
    .array(ImportProblem)
    .describe(`The first ${problemsKeptMax} parts of rows that were left out.`),
}).meta({ id: 'ContactImportDetail' })

export const NewImport = ImportItem.extend({
  notes: z
    .array(z.string())
    .describe('Information that the file does not contain, and what to do about it.'),
}).meta({ id: 'NewContactImport' })
export type NewImport = z.infer<typeof NewImport>

export const ImportPageQuery = z.object(PageQuery)
export const ImportPage = pageOf(ImportItem)
