import { z } from 'zod'
import { listLimitDefault, listLimitMax } from '../limits.ts'

/** How every list is asked for. */
export const PageQuery = {
  limit: z.coerce.number().int().min(1).max(listLimitMax).default(listLimitDefault),
  cursor: z.string().min(1).max(1000).optional().describe('`next_cursor` of the page before.'),
} as const

export function pageOf<Item extends z.ZodType>(item: Item) {
  return z.object({
    items: z.array(item),
    next_cursor: z.string().nullable().describe('Null on the last page.'),
  })
}

/** A point in time in a query: with an offset or `Z`, so that no server's time zone matters. */
export const Instant = z.iso
  .datetime({ offset: true })
  .refine((text) => !Number.isNaN(Date.parse(text)), 'must be a date that exists')

/** Free text to look for. NUL cannot be stored, so it cannot be found either. */
export const SearchText = z
  .string()
  .max(200)
  .refine((text) => !text.includes('\0'), 'must not hold a NUL character')

/** A query in the language of schemas/search/search-query.ts, which says by itself what is wrong with it. */
export const SearchQueryText = z
  .string()
  .refine((text) => !text.includes('\0'), 'must not hold a NUL character')

/** A value that a column is compared with. */
export const FilterText = SearchText.min(1)
