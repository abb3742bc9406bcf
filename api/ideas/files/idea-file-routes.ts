/** Export and import of ideas as files. */
import { Readable } from 'node:stream'
import { z } from 'zod'
import { MiB } from '#schemas/limits.ts'
import { ImportReport } from '#schemas/rest/portal/idea-file.ts'
import { actorOf } from '../../auth/people-gate.ts'
import type { ApiContext } from '../../context.ts'
import { takeFileBodies, textOfBody } from '../../files/file-bodies.ts'
import { type ApiInstance, fileReplies, replies } from '../../http/route.ts'
import { adminPortalOf, PortalAdminPath } from '../../portal/admin-portal.ts'
import { exportIdeas } from './export-ideas.ts'
import { importIdeas } from './import-ideas.ts'
import { importRowsMax } from './load-ideas.ts'

const tags = ['ideas']
const fileBytesMax = 50 * MiB
const ExportQuery = z.object({ format: z.enum(['csv', 'json']).default('csv') })
const Flag = z
  .enum(['true', 'false', '1', '0'])
  .default('false')
  .transform((text) => text === 'true' || text === '1')
const ImportQuery = z.object({
  dry_run: Flag.describe('Report what would be imported, and store nothing.'),
  create_tags: Flag.describe('Create the tags of the file that the portal does not have.'),
  status_map: z
    .string()
    .max(4_000)
    .default('')
    .describe('Statuses for other names of the file: `In QA=Started,Shipped=Completed`.'),
})

export function registerIdeaFiles(app: ApiInstance, ctx: ApiContext): void {
  app.route({
    method: 'GET',
    url: '/ideas/export',
    config: { role: 'member' },
    schema: {
      tags,
      operationId: 'exportIdeas',
      summary: 'Export ideas',
      description:
        'Every idea with its voters, comments, response, tags, history and merges. The import reads the file without loss. In CSV, a cell with several values holds JSON.',
      params: PortalAdminPath,
      querystring: ExportQuery,
      response: fileReplies('csv', 'json'),
    },
    handler: async (request, reply) => {
      const { projectId } = adminPortalOf(request)
      const { format } = request.query
      const file = await exportIdeas(ctx, actorOf(request), { projectId, format })
      return reply
        .type(format === 'csv' ? 'text/csv; charset=utf-8' : 'application/json; charset=utf-8')
        .header('content-disposition', `attachment; filename="ideas.${format}"`)
        .send(Readable.from(file))
    },
  })

  void app.register(async (scope: ApiInstance) => {
    takeFileBodies(scope, ['text/csv', 'application/json'])
    scope.route({
      method: 'POST',
      url: '/ideas/import',
      bodyLimit: fileBytesMax,
      schema: {
        tags,
        operationId: 'importIdeas',
        summary: 'Import ideas',
        description: `Takes text/csv with a header row, or application/json with an array: an export of this product, or of Canny, Fider or UserVoice. Columns: title and description, and optionally id, status, tags and voters (several with | between), created_at, author_id, author_name, votes, comments and more. At most ${importRowsMax} rows and ${fileBytesMax / MiB} MiB. The report lists every row that was skipped and every column that was ignored. Importing a file again is idempotent: ideas of an earlier import stay unchanged.`,
        consumes: ['text/csv', 'application/json'],
        params: PortalAdminPath,
        querystring: ImportQuery,
        response: replies(ImportReport),
      },
      handler: async (request) => {
        const { dry_run: dryRun, create_tags: createTags, status_map: statusMap } = request.query
        return importIdeas(ctx, actorOf(request), {
          projectId: adminPortalOf(request).projectId,
          text: await textOfBody(request.body),
          format: request.headers['content-type']?.startsWith('text/csv') ? 'csv' : 'json',
          dryRun,
          createTags,
          statusMap,
        })
      },
    })
  })
}
