import { SearchFieldList } from '#schemas/rest/search-field.ts'
import { type ApiInstance, ProjectPath, replies } from '../http/route.ts'
import { searchFields } from './search-fields.ts'

export function registerSearchFields(app: ApiInstance): void {
  app.route({
    method: 'GET',
    url: '/search/fields',
    config: { scope: 'issues:read' },
    schema: {
      operationId: 'listSearchFields',
      tags: ['issues'],
      summary: 'List the fields of the search language',
      description:
        'The same for every project. A name that is not a field is a tag; `GET tags` lists those. Any term may begin with `!`.',
      params: ProjectPath,
      response: replies(SearchFieldList),
    },
    handler: async () => ({ items: [...searchFields], next_cursor: null }),
  })
}
