/** Contacts from a file: what its columns mean, how far it is, what was refused and why. */
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
/** What a cell says of a contact. `nothing`: it does not speak against sending. */
export type ImportOutcome = z.infer<typeof ImportOutcome>

export const ImportMapping = z
  .strictObject({
    email: Column.optional(),
    name: Columns.optional().describe('Several columns are joined by blanks.'),
    source: Column.optional(),
    status: Column.optional().describe(
      'Words: subscribed, pending, unsubscribed, bounced, complained, and those of statusValues.',
    ),
    statusValues: z
      .record(z.string().max(columnCharactersMax), ImportOutcome)
      .optional()
      .describe('What other words in the status column mean.'),
    subscribed: Columns.optional().describe('Yes or a date: agreed. No or blank: unsubscribed.'),
    unsubscribed: Columns.optional().describe('Yes or a date: unsubscribed.'),
    bounced: Columns.optional().describe('Yes or a date: suppressed as a hard bounce.'),
    complained: Columns.optional().describe('Yes or a date: suppressed as a complaint.'),
    blocked: Columns.optional().describe('Yes or a date: suppressed.'),
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
  newsletter: z.string().max(64).describe('Its slug.'),
  dryRun: flag.describe('Check and count everything, write nothing.'),
  mapping: z
    .string()
    .max(10_000)
    .optional()
    .describe(
      'JSON (ImportMapping): which column is what. Without it columns are recognized by name. A field of JSON in a column that looks like an opt-out is mapped as if it were a column, as in `attributes.unsubscribed`.',
    ),
  ignore: z
    .union([Column, z.array(Column).max(ignoredColumnsMax)])
    .transform((given) => (typeof given === 'string' ? [given] : given))
    .optional()
    .describe(
      'A column that looks like an opt-out and is to be ignored, or a field of JSON in it, as in `attributes.unsubscribed`. Repeat the parameter for more.',
    ),
  format: ImportFormat.optional().describe(
    'The service that wrote the file. Without it the columns tell.',
  ),
  fileName: z
    .string()
    .max(500)
    .optional()
    .describe("The file's name: tells Mailchimp's three files apart where their columns do not."),
  status: ImportStatus.optional().describe(
    'What contacts are of whom the file says nothing else: subscribed by default, and nobody is asked to confirm. Never lifts what the file or the newsletter knows.',
  ),
  updateExisting: flag.describe('Take name and attributes for contacts that are there.'),
  source: ContactSource.optional(),
})

export const TextEncodingName = z.enum(['utf-8', 'utf-16le', 'utf-16be', 'windows-1252'])
export type TextEncodingName = z.infer<typeof TextEncodingName>

/** A column that tells the state of a contact. A cell with any other content makes its row refused. */
export const StateColumn = z.object({
  column: z.int(),
  name: z.string(),
  /** By the cell in lower case. */
  values: z.record(z.string(), ImportOutcome),
  blank: ImportOutcome.optional(),
  date: ImportOutcome.optional(),
  /** Any other text. */
  other: ImportOutcome.optional(),
})
export type StateColumn = z.infer<typeof StateColumn>

/** A field of JSON inside the cells of a column. */
export const JsonColumn = z.object({ column: z.int(), path: z.array(z.string()) })
export type JsonColumn = z.infer<typeof JsonColumn>

/** What a run needs to know; stands with the import in the database. Numbers are indexes of columns. */
export const ImportPlan = z.object({
  format: ImportFormat,
  encoding: TextEncodingName,
  delimiter: z.enum([',', ';', '\t']),
  /** Of the line of names; null in imports that were planned before rows were compared with it. */
  columns: z.int().nullable(),
  /** Fields of JSON that look like an opt-out. They count as columns behind those of the file; absent in earlier imports. */
  jsonColumns: z.array(JsonColumn).optional(),
  email: z.int(),
  names: z.array(z.int()),
  source: z.int().optional(),
  states: z.array(StateColumn),
  /** A column that holds attributes as JSON. */
  attribsJson: z.int().optional(),
  attribs: z.record(z.string(), z.int()),
  tags: z.int().optional(),
  /** True: attributes that do not fit are left out and reported, instead of their row. */
  fitAttribs: z.boolean(),
  createdAt: z.int().optional(),
  confirmedAt: z.int().optional(),
  unsubscribedAt: z.int().optional(),
  /** Only in our own export. */
  suppression: z
    .object({
      cause: z.int(),
      at: z.int().optional(),
      source: z.int().optional(),
      before: z.int().optional(),
    })
    .optional(),
  /** Only in our own export: rows of other newsletters are refused. */
  only: z.object({ column: z.int(), newsletter: z.string() }).optional(),
  ignoredColumns: z.array(z.string()),
  newStatus: ImportStatus,
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
    refused: z.number().int().describe('Rows that are wrong.'),
    skipped: z.number().int().describe('Rows of people who were erased after they had left.'),
    suppressed: z.number().int().describe('Addresses that the import suppressed.'),
    warned: z.number().int().describe('Parts of rows that were left out.'),
    format: ImportFormat,
    encoding: TextEncodingName,
    ignoredColumns: z.array(z.string()).describe('Columns that are not imported.'),
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
  notes: z.array(z.string()).describe('What the file cannot tell, and what to do about it.'),
}).meta({ id: 'NewContactImport' })
export type NewImport = z.infer<typeof NewImport>

export const ImportPageQuery = z.object(PageQuery)
export const ImportPage = pageOf(ImportItem)
