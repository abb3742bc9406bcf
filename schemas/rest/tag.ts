/**
 * Fields, tags and values that a search can use, as suggestions while a person types (http-api:
 * Issues, `GET tags`).
 */
import { z } from 'zod'
import { listLimitDefault, listLimitMax } from '../limits.ts'
import { pageOf, SearchText } from './page.ts'

/** Days of events from which suggestions are made, and about how many of the newest ones. */
export const suggestionDays = 30
export const suggestionEvents = 200_000

const limit = z.coerce.number().int().min(1).max(listLimitMax).default(listLimitDefault)
const prefix = SearchText.default('').describe('Prefix, compared without case.')

export const TagListQuery = z.strictObject({ limit, prefix })
export type TagListQuery = z.infer<typeof TagListQuery>

export const TagItem = z.object({
  key: z.string(),
  count: z.number().int().describe(`Events with this tag among those that were counted.`),
  is_derived: z
    .boolean()
    .describe('A fact of every event that no client has to set; a search has a field for it.'),
})
export type TagItem = z.infer<typeof TagItem>

export const TagList = pageOf(TagItem).extend({
  fields: z
    .array(z.string())
    .describe('Fields of every event or issue; a tag with the same name is `tags[key]`.'),
})
export type TagList = z.infer<typeof TagList>

export const TagValueItem = z.object({
  value: z.string(),
  count: z
    .number()
    .int()
    .nullable()
    .describe(`Events with this value among those that were counted; null: not counted.`),
})
export type TagValueItem = z.infer<typeof TagValueItem>
