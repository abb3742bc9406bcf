/**
 * Reads one row of a feedback file, of this product or of another. Columns are named like the
 * fields of an item; unknown columns are ignored and reported, and an invalid row is skipped. Texts
 * are not normalized, because feedback of SDKs is not, and an export must be imported without loss.
 */
import { z } from 'zod'
import { dashed, normalizeEventId } from '#schemas/ids.ts'
import { pagePath } from '#schemas/page-path.ts'
import { storableCharacters } from '#schemas/plain-text.ts'
import {
  FeedbackStatus,
  FeedbackType,
  feedbackMessageCharactersMax,
  feedbackSources,
  feedbackStatuses,
  feedbackTypes,
} from '#schemas/rest/portal/feedback.ts'
import { cleanVisibleText } from '#schemas/visible-text.ts'
import { fileTimeRule, parseFileTime } from '../../files/file-time.ts'
import { checkValue } from '../../http/validation/validation-rules.ts'
import type { NewFeedbackRow } from '../feedback-writes.ts'

const text = (charactersMax: number) =>
  z
    .string()
    .transform((value) => storableCharacters(value).trim())
    .pipe(z.string().max(charactersMax, `must have at most ${charactersMax} characters`))

/** Null for a blank cell, and for a cell whose characters cannot be stored. */
const cell = (charactersMax: number) =>
  z
    .preprocess(blankAsNull, text(charactersMax).nullish())
    .transform((value) => (value === '' ? null : value))

function blankAsNull(value: unknown): unknown {
  return typeof value === 'string' && value.trim() === '' ? null : value
}

function oneOf(values: readonly string[]) {
  return (value: unknown) => {
    if (typeof value !== 'string') return value
    const name = value.trim().toLowerCase()
    return name === '' ? undefined : (values.find((one) => one.toLowerCase() === name) ?? value)
  }
}

/** Each bound is at least that of every writer of the column: ingest, the portal, the team. */
const ImportRow = z.object({
  id: z.preprocess(blankAsNull, z.uuid().toLowerCase().nullish()),
  message: z.preprocess(
    (value) => value ?? '',
    text(feedbackMessageCharactersMax).pipe(z.string().min(1, 'must not be blank')),
  ),
  type: z.preprocess(oneOf(feedbackTypes), FeedbackType.default('Other')),
  status: z.preprocess(oneOf(feedbackStatuses), FeedbackStatus.default('New')),
  source: z.unknown().optional(),
  path: cell(2048),
  version: cell(250),
  environment: cell(64),
  component: cell(200),
  event_id: z.unknown().optional(),
  person_name: cell(255),
  person_email: cell(320),
  enduser_id: cell(255),
  archived: z.preprocess(
    (value) => (typeof value === 'string' ? value.trim().toLowerCase() : value),
    z
      .union([z.boolean(), z.enum(['', 'true', 'false', '1', '0'])])
      .transform((value) => value === true || value === 'true' || value === '1')
      .default(false),
  ),
  created_at: z.unknown().optional(),
  updated_at: z.unknown().optional(),
})

const importedColumns: ReadonlySet<string> = new Set(Object.keys(ImportRow.shape))
/**
 * Columns of an export that follow from others: the project of the import, the issue of the event.
 */
const derivedColumns: ReadonlySet<string> = new Set(['project_id', 'issue_id'])

export function isIgnoredColumn(name: string): boolean {
  return !importedColumns.has(name) && !derivedColumns.has(name)
}

/** An error or a note about a row. */
export interface Told {
  readonly field: string
  readonly rule: string
}

export interface RowOfFile {
  readonly kind: 'row'
  readonly row: Omit<NewFeedbackRow, 'id'>
  /** Undefined: the row has no id. */
  readonly id: string | undefined
  /** Content from which the id of a row without one is derived. */
  readonly said: string
  readonly notes: readonly Told[]
}

export type ReadRow = RowOfFile | ({ readonly kind: 'error' } & Told)

export function readRow(raw: unknown, now: Date): ReadRow {
  const parsed = checkValue(ImportRow, raw, 'row')
  if (!parsed.success) return { kind: 'error', ...parsed.errors[0] }
  const said = parsed.data
  const times: Record<'created_at' | 'updated_at', string | undefined> = {
    created_at: undefined,
    updated_at: undefined,
  }
  for (const field of ['created_at', 'updated_at'] as const) {
    const value = blankAsNull(said[field])
    if (value === null || value === undefined) continue
    times[field] = parseFileTime(value, now)
    if (times[field] === undefined) return { kind: 'error', field, rule: fileTimeRule }
  }
  const notes: Told[] = []
  const { message, type, status, archived, person_email } = said
  const source = sourceOf(said.source, notes)
  return {
    kind: 'row',
    id: said.id ?? undefined,
    row: {
      message,
      type,
      status,
      archived,
      source,
      path: pathOf(said.path ?? '', source),
      version: said.version ?? null,
      environment: said.environment ?? null,
      component: said.component ?? null,
      event_id: eventIdOf(said.event_id, notes),
      person_name: said.person_name ?? null,
      person_email: person_email ?? null,
      enduser_id: said.enduser_id ?? null,
      created_at: times.created_at ?? now,
      updated_at: times.updated_at ?? null,
    },
    said: JSON.stringify([
      cleanVisibleText(message),
      blankAsNull(said.created_at) ?? '',
      person_email ?? '',
    ]),
    notes,
  }
}

/** `Import` for sources of other products. */
function sourceOf(value: unknown, notes: Told[]): NewFeedbackRow['source'] {
  if (blankAsNull(value ?? null) === null) return 'Import'
  const known = oneOf(feedbackSources)(value)
  const source = feedbackSources.find((one) => one === known)
  if (source !== undefined) return source
  notes.push({
    field: 'source',
    rule: `must be ${feedbackSources.join(', ')}; it was replaced by Import`,
  })
  return 'Import'
}

function eventIdOf(value: unknown, notes: Told[]): string | null {
  if (blankAsNull(value ?? null) === null) return null
  const id = typeof value === 'string' ? normalizeEventId(value.trim()) : undefined
  if (id !== undefined) return dashed(id)
  notes.push({ field: 'event_id', rule: 'must have 32 hexadecimal digits; it was omitted' })
  return null
}

/** Paths of the portal and of the team start with a slash; those of SDKs need not. */
const storedPath = /^\/[!"$->@-~…]{0,499}$/
const storedPathOfSdk = /^[ !"$->@-~…]{1,500}$/

/** A valid path stays unchanged; of a URL, the path is kept. */
function pathOf(path: string, source: NewFeedbackRow['source']): string | null {
  const isSdk = source === 'Widget' || source === 'Api'
  const isStored = storedPath.test(path) || (isSdk && storedPathOfSdk.test(path))
  return isStored ? path : (pagePath(path) ?? null)
}
