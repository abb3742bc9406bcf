/** The fields of the search language, for interfaces that complete and explain them. */
import { z } from 'zod'

export const searchFieldTypes = [
  'text',
  'number',
  'time',
  'state',
  'assignee',
  'id',
  'field',
  'contents',
  'release',
  'code',
  'yes_no',
] as const
export const searchOperators = ['=', '>', '>=', '<', '<='] as const

export const SearchFieldItem = z
  .object({
    name: z.string(),
    alias_of: z.string().nullable().describe('The field that it is another name of.'),
    searches: z
      .array(z.enum(['issues', 'events']))
      .describe('What a query with it searches. A search for issues may use fields of events.'),
    type: z.enum(searchFieldTypes),
    operators: z.array(z.enum(searchOperators)).describe('`=` is written as nothing.'),
    lists: z.boolean().describe('Whether `[a, b]` may be the value.'),
    wildcards: z.boolean().describe('Whether `*` in the value is any text.'),
    values: z.array(z.string()).nullable().describe('All values, where they are fixed.'),
    suggests: z.boolean().describe('Whether `GET tags/{key}/values` suggests values.'),
    description: z.string(),
    example: z.string().describe('A whole term.'),
  })
  .meta({
    id: 'SearchField',
    example: {
      name: 'environment',
      alias_of: null,
      searches: ['issues', 'events'],
      type: 'text',
      operators: ['='],
      lists: true,
      wildcards: true,
      values: null,
      suggests: true,
      description: 'Where the program ran, such as production.',
      example: '!environment:dev',
    },
  })
export type SearchFieldItem = z.infer<typeof SearchFieldItem>

export const SearchFieldList = z.object({ items: z.array(SearchFieldItem), next_cursor: z.null() })
