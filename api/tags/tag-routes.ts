/** Routes that suggest fields, tags and their values for a search in events and issues. */
import { z } from 'zod'
import { pageOf } from '#schemas/rest/page.ts'
import {
  suggestionDays,
  suggestionEvents,
  TagList,
  TagListQuery,
  TagValueItem,
} from '#schemas/rest/tag.ts'
import type { ApiContext } from '../context.ts'
import { type ApiInstance, found, ProjectPath, projectOf, replies } from '../http/route.ts'
import { suggestKeys, suggestValues } from './suggest.ts'

const tags = ['issues']
const description = `From events of the last ${suggestionDays} days, at most about the newest ${suggestionEvents.toLocaleString('en')}. The list has one page; use a longer prefix to find more.`

export function registerTags(app: ApiInstance, ctx: ApiContext): void {
  app.route({
    method: 'GET',
    url: '/tags',
    config: { scope: 'issues:read' },
    schema: {
      tags,
      operationId: 'listTags',
      summary: 'List fields and tags for a search',
      description,
      params: ProjectPath,
      querystring: TagListQuery,
      response: replies(TagList),
    },
    handler: (request) => suggestKeys(projectOf(request), request.query, ctx),
  })

  app.route({
    method: 'GET',
    url: '/tags/:key/values',
    config: { scope: 'issues:read' },
    schema: {
      tags,
      operationId: 'listTagValues',
      summary: 'List values of a field or a tag',
      description: `${description} A name that is neither a field nor a tag of an event is refused, with the closest ones.`,
      params: ProjectPath.extend({ key: z.string().describe('URL-encoded.') }),
      querystring: TagListQuery,
      response: replies(pageOf(TagValueItem)),
    },
    handler: (request) => {
      const { key } = request.params
      // No name of a tag contains NUL, and ClickHouse rejects it.
      if (key.includes('\0')) return found(undefined)
      return suggestValues(projectOf(request), { ...request.query, key }, ctx)
    },
  })
}
