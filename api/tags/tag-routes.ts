import { z } from 'zod'
import { pageOf } from '#schemas/rest/page.ts'
import { suggestionDays, TagList, TagListQuery, TagValueItem } from '#schemas/rest/tag.ts'
import type { ApiContext } from '../context.ts'
import { type ApiInstance, found, ProjectPath, projectOf, replies } from '../http/route.ts'
import { suggestKeys, suggestValues } from './suggest.ts'

const tags = ['issues']
const description = `From the events of the last ${suggestionDays} days. One page: a longer prefix finds the rest.`

export function registerTags(app: ApiInstance, ctx: ApiContext): void {
  app.route({
    method: 'GET',
    url: '/tags',
    config: { scope: 'issues:read' },
    schema: {
      tags,
      summary: 'Fields and tags that a search can name',
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
      summary: 'Values of a field or a tag, the most frequent first',
      description,
      params: ProjectPath.extend({ key: z.string().describe('URL-encoded.') }),
      querystring: TagListQuery,
      response: replies(pageOf(TagValueItem)),
    },
    handler: (request) => {
      const { key } = request.params
      // No event has one in a name.
      if (key.includes('\0')) return found(undefined)
      return suggestValues(projectOf(request), { ...request.query, key }, ctx)
    },
  })
}
