/** Saved views of the dashboard's lists. */
import { z } from 'zod'
import { visibleText } from '../visible-text.ts'

/** Shared views of a project, and own views of a person there. */
export const savedViewsMax = 100
const nameCharactersMax = 100
const paramsCharactersMax = 4_000
const paramsCountMax = 50

export const viewPages = ['issues', 'events', 'releases', 'monitors', 'feedback', 'ideas'] as const

const Params = z
  .string()
  .max(paramsCharactersMax)
  .regex(
    /^(?!\?)[A-Za-z0-9\-._~!$'()*+,;:@/?%=&[\]|]*$/,
    'must be the query of a URL, without the question mark and percent-encoded',
  )
  .refine(isDecodable, 'must be percent-encoded UTF-8')
  .refine((text) => !text.includes('%00'), 'must not contain a NUL character (U+0000)')
  .refine(
    (text) => text.split('&').length <= paramsCountMax,
    `must have at most ${paramsCountMax} parameters`,
  )
  .describe('The query of the page, such as `query=is:unresolved&sort=count`.')

function isDecodable(text: string): boolean {
  try {
    return decodeURIComponent(text.replaceAll('+', ' ')).isWellFormed()
  } catch {
    return false
  }
}

const fields = {
  name: visibleText(nameCharactersMax),
  params: Params,
  shared: z
    .boolean()
    .describe('Whether everybody in the organization sees it, or only the person who made it.'),
}

export const SavedView = z
  .object({
    id: z.uuid(),
    page: z.enum(viewPages),
    name: z.string(),
    params: z.string(),
    shared: z.boolean(),
    position: z.number().int().describe('From 0, among the shared or among the own views.'),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .meta({
    id: 'SavedView',
    example: {
      id: '019ab2c4-7f00-7c3e-9d41-5b0f5f7a9e10',
      page: 'issues',
      name: 'Crashes of the shop',
      params: 'query=level:fatal&sort=count',
      shared: true,
      position: 0,
      created_at: '2026-11-21T01:02:03.456Z',
      updated_at: '2026-11-21T01:02:03.456Z',
    },
  })
export type SavedView = z.infer<typeof SavedView>

export const SavedViewList = z.object({
  items: z.array(SavedView).describe('Shared views first, then own ones, each by position.'),
  next_cursor: z.null(),
})

export const NewSavedView = z
  .strictObject({
    ...fields,
    page: z.enum(viewPages).default('issues'),
    shared: fields.shared.default(false),
  })
  .meta({
    id: 'NewSavedView',
    example: { name: 'Crashes', params: 'query=level:fatal', shared: true },
  })
export type NewSavedView = z.infer<typeof NewSavedView>

export const SavedViewChange = z
  .strictObject({
    ...fields,
    position: z
      .number()
      .int()
      .min(0)
      .max(savedViewsMax - 1)
      .describe('The others move. A number beyond the end is the end.'),
  })
  .partial()
  .meta({ id: 'SavedViewChange', example: { position: 0 } })
export type SavedViewChange = z.infer<typeof SavedViewChange>
