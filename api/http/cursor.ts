/**
 * Cursors of lists. A cursor holds the sort value and the id of the last row of a page, so new rows
 * do not shift pages. It is opaque to clients: base64url of JSON, validated when it is sent back.
 */
import { z } from 'zod'
import { CodedError } from '#schemas/error-codes.ts'
import { Instant } from '#schemas/rest/page.ts'
import { findHostileText } from './validation/hostile-text.ts'

export function encodeCursor(position: readonly (string | number)[]): string {
  return Buffer.from(JSON.stringify(position)).toString('base64url')
}

/** The position in the cursor; undefined for the first page. */
export function decodeCursor<Position extends z.ZodType>(
  cursor: string | undefined,
  shape: Position,
): z.infer<Position> | undefined {
  if (cursor === undefined) return undefined
  let position: unknown
  try {
    position = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'))
  } catch (cause) {
    throw new CodedError('invalid_cursor', { cause })
  }
  // The cursor is client input and is validated like any other.
  if (findHostileText(position, 'cursor') !== undefined) throw new CodedError('invalid_cursor')
  const parsed = shape.safeParse(position)
  if (!parsed.success) throw new CodedError('invalid_cursor', { cause: parsed.error })
  return parsed.data
}

export interface Page<Item> {
  readonly items: Item[]
  readonly next_cursor: string | null
}

/** Builds a page from one row more than `limit`, which tells whether there is a next page. */
export function pageOfRows<Row>(
  rows: readonly Row[],
  limit: number,
  positionOf: (row: Row) => readonly (string | number)[],
): Page<Row> {
  const items = rows.slice(0, limit)
  const last = items.at(-1)
  const more = rows.length > limit && last !== undefined
  return { items, next_cursor: more ? encodeCursor(positionOf(last)) : null }
}

/** A time as Postgres prints it, with microseconds. */
export const CursorTime = Instant
export const CursorUuid = z.guid()
