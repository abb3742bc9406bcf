import { z } from 'zod'
import { listLimitDefault, listLimitMax } from '../limits.ts'

/** The query parameters of every list. */
export const PageQuery = {
  limit: z.coerce.number().int().min(1).max(listLimitMax).default(listLimitDefault),
  cursor: z.string().min(1).max(1000).optional().describe('`next_cursor` of the previous page.'),
} as const

export function pageOf<Item extends z.ZodType>(item: Item) {
  return z.object({
    items: z.array(item),
    next_cursor: z.string().nullable().describe('Null on the last page.'),
  })
}

/** A ClickHouse `DateTime64` holds these years; a Postgres `timestamptz` holds more. */
const firstYear = 1900
const lastYear = 2299
/** The largest offset in use is +14:00. Postgres takes up to 15:59. */
const offsetMinutesMax = 14 * 60
const instantCharactersMax = 40

/** A time with an offset or `Z`, within the range of all columns. */
export const Instant = z.iso
  .datetime({
    offset: true,
    error: 'must be a date and time with an offset, such as 2026-11-21T01:02:03Z',
  })
  .max(instantCharactersMax)
  .refine(
    isStorable,
    `must be a date from ${firstYear} to ${lastYear}, with an offset of at most 14:00`,
  )

function isStorable(text: string): boolean {
  const [, hours = '0', minutes = '0'] = /[+-](\d\d):(\d\d)$/.exec(text) ?? []
  const year = new Date(text).getUTCFullYear()
  return (
    firstYear <= year &&
    year <= lastYear &&
    Number(hours) * 60 + Number(minutes) <= offsetMinutesMax
  )
}

/** Free text to search for. */
export const SearchText = z.string().max(200)

/**
 * More than the query parser accepts, because its error names the character at which a query is too
 * long.
 */
const searchQueryCharactersMax = 4_000

/**
 * A query in the language of schemas/search/search-query.ts, whose parser reports errors itself.
 */
export const SearchQueryText = z.string().max(searchQueryCharactersMax)

/** A value that a column is compared with. */
export const FilterText = SearchText.min(1)
