/**
 * A row of a file of feedback, from this product or from another. Names of columns are those of an item; columns
 * that are not known are ignored and reported, and a mistake costs its own row only. A file may be read again: a row keeps its id, and one
 * without gets an id made of what it says, so that nothing is there twice.
 */
import { v5 as uuidv5 } from 'uuid'
import { z } from 'zod'
import { pagePath } from '#schemas/page-path.ts'
import { plainText } from '#schemas/plain-text.ts'
import {
  FeedbackMessage,
  FeedbackStatus,
  FeedbackType,
  feedbackStatuses,
  feedbackTypes,
} from '#schemas/rest/feedback.ts'
import { Instant } from '#schemas/rest/page.ts'
import { checkValue } from '../http/validation-rules.ts'
import type { NewFeedbackRow } from '../io/feedback-writes.ts'

const dayMs = 86_400_000

/** A cell that is blank says nothing. */
const cell = (charactersMax: number) =>
  z.preprocess(
    (value) => (typeof value === 'string' && value.trim() === '' ? null : value),
    plainText(charactersMax).nullish(),
  )

function oneOf(values: readonly string[]) {
  return (value: unknown) => {
    if (typeof value !== 'string') return value
    const text = value.trim().toLowerCase()
    return text === '' ? undefined : (values.find((one) => one.toLowerCase() === text) ?? value)
  }
}

const ImportRow = z.object({
  id: z.preprocess((value) => (value === '' ? null : value), z.uuid().toLowerCase().nullish()),
  message: z.preprocess((value) => value ?? '', FeedbackMessage),
  type: z.preprocess(oneOf(feedbackTypes), FeedbackType.default('Other')),
  status: z.preprocess(oneOf(feedbackStatuses), FeedbackStatus.default('New')),
  path: cell(2048),
  version: cell(200),
  environment: cell(64),
  component: cell(200),
  person_name: cell(128),
  person_email: cell(254),
  enduser_id: cell(255),
  archived: z.preprocess(
    (value) => (typeof value === 'string' ? value.trim().toLowerCase() : value),
    z
      .union([z.boolean(), z.enum(['', 'true', 'false', '1', '0'])])
      .transform((value) => value === true || value === 'true' || value === '1')
      .default(false),
  ),
  created_at: z.preprocess((value) => (value === '' ? null : value), Instant.nullish()),
})

export const importedColumns: ReadonlySet<string> = new Set(Object.keys(ImportRow.shape))

export type ReadRow =
  | { readonly kind: 'row'; readonly row: NewFeedbackRow }
  | { readonly kind: 'mistake'; readonly field: string; readonly rule: string }

/** @param project the namespace of ids that are made here: the same row in another project is another one. */
export function readRow(raw: unknown, { project, now }: { project: string; now: Date }): ReadRow {
  const parsed = checkValue(ImportRow, raw, 'row')
  if (!parsed.success) return { kind: 'mistake', ...parsed.errors[0] }
  const said = parsed.data
  const createdAt = said.created_at ? new Date(said.created_at) : now
  if (createdAt.getTime() < 0 || now.getTime() + dayMs < createdAt.getTime()) {
    return { kind: 'mistake', field: 'created_at', rule: 'must lie between 1970 and now' }
  }
  const { message, type, status, archived, created_at, person_email } = said
  return {
    kind: 'row',
    row: {
      id:
        said.id ?? uuidv5(JSON.stringify([message, created_at ?? '', person_email ?? '']), project),
      ...{ message, type, status, archived },
      source: 'Import',
      path: pagePath(said.path ?? '') ?? null,
      version: said.version ?? null,
      environment: said.environment ?? null,
      component: said.component ?? null,
      person_name: said.person_name ?? null,
      person_email: person_email ?? null,
      enduser_id: said.enduser_id ?? null,
      created_at: createdAt,
    },
  }
}
