/** What a search can name and with which values, as suggestions while somebody types (http-api: Issues, `GET tags`). */
import { z } from 'zod'
import { listLimitDefault, listLimitMax } from '../limits.ts'
import { pageOf, SearchText } from './page.ts'

/** Suggestions come from the events of so many days. */
export const suggestionDays = 30

const limit = z.coerce.number().int().min(1).max(listLimitMax).default(listLimitDefault)
const prefix = SearchText.default('').describe('How it begins, in upper or lower case.')

export const TagListQuery = z.strictObject({ limit, prefix })
export type TagListQuery = z.infer<typeof TagListQuery>

export const TagItem = z.object({
  key: z.string(),
  count: z.number().int().describe(`Events with this tag in ${suggestionDays} days.`),
})
export type TagItem = z.infer<typeof TagItem>

export const TagList = pageOf(TagItem).extend({
  fields: z
    .array(z.string())
    .describe('What every event or issue has; a tag of the same name is `tags[key]`.'),
})
export type TagList = z.infer<typeof TagList>

export const TagValueItem = z.object({
  value: z.string(),
  count: z
    .number()
    .int()
    .nullable()
    .describe(`Events with this value in ${suggestionDays} days; null: not a fact of events.`),
})
export type TagValueItem = z.infer<typeof TagValueItem>
