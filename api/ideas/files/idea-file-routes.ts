/** Ideas as files: all of a project out, and those of another service in. */
import { Readable } from 'node:stream'
import { z } from 'zod'
import { MiB } from '#schemas/limits.ts'
import { ImportReport } from '#schemas/rest/portal/idea-file.ts'
import { addAudit } from '../../audit/audit-store.ts'
import { actorOf } from '../../auth/people-gate.ts'
import type { ApiContext } from '../../context.ts'
import { type ApiInstance, fileReplies, replies } from '../../http/route.ts'
import {
  adminPortalOf,
  PortalAdminPath,
  portalAdminTags as tags,
} from '../../portal/admin-portal.ts'
import { exportIdeas } from './export-ideas.ts'
import { badStatusMap, importDetails, importIdeas, importRowsMax } from './import-ideas.ts'
import { parseStatusMap } from './status-names.ts'

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
    .describe('What names of statuses are here: `In QA=Started,Shipped=Completed`.'),
})

export function registerIdeaFiles(app: ApiInstance, ctx: ApiContext): void {
  app.route({
    method: 'GET',
    url: '/ideas/export',
    config: { role: 'member' },
    schema: {
      tags,
      summary: 'Export ideas',
      description:
        'Every idea with its voters, comments, responses, tags, history and merges. The import takes the file back without loss. In CSV, lists are JSON in their cell.',
      params: PortalAdminPath,
      querystring: ExportQuery,
      response: fileReplies('csv', 'json'),
    },
    handler: async (request, reply) => {
      const { projectId } = adminPortalOf(request)
      const { format } = request.query
      await addAudit(ctx.pg, actorOf(request), {
        ...{ action: 'ideas.exported', subjectType: 'project', subjectId: projectId },
      })
      return reply
        .type(format === 'csv' ? 'text/csv; charset=utf-8' : 'application/json; charset=utf-8')
        .header('content-disposition', `attachment; filename="ideas.${format}"`)
        .send(Readable.from(exportIdeas(ctx.pg, { projectId, format })))
    },
  })

  // In a scope of its own, because elsewhere a body is never kept as text.
  void app.register(async (scope: ApiInstance) => {
    for (const type of ['text/csv', 'application/json']) {
      scope.removeContentTypeParser(type)
      scope.addContentTypeParser(
        type,
        { parseAs: 'string' },
        async (_: unknown, text: unknown) => text,
      )
    }
    scope.route({
      method: 'POST',
      url: '/ideas/import',
      bodyLimit: fileBytesMax,
      schema: {
        tags,
        summary: 'Import ideas',
        description: `text/csv with a line of names, or application/json with an array: an export of this product, or one of Canny, Fider or UserVoice. Columns: title, description, and if known id, status, tags and voters (several with | between), created_at, author_id, author_name, votes, comments and more. At most ${importRowsMax} rows and ${fileBytesMax / MiB} MiB. Every row that is left out and every column that is ignored is reported. A file may be imported twice: ideas that it brought before stay as they are.`,
        consumes: ['text/csv', 'application/json'],
        params: PortalAdminPath,
        querystring: ImportQuery,
        response: replies(ImportReport),
      },
      handler: async (request) => {
        const { projectId } = adminPortalOf(request)
        const { dry_run: dryRun, create_tags, status_map } = request.query
        const statuses = parseStatusMap(status_map)
        if (statuses === undefined) throw badStatusMap()
        const format = request.headers['content-type']?.startsWith('text/csv') ? 'csv' : 'json'
        const text = typeof request.body === 'string' ? request.body : ''
        const now = new Date(ctx.clock.nowMs())
        const report = await importIdeas(ctx.pg, {
          ...{ projectId, text, format, now, dryRun, statuses },
          createTags: create_tags,
        })
        if (!dryRun) {
          const details = importDetails(report)
          const entry = { action: 'ideas.imported', subjectType: 'project' } as const
          await addAudit(ctx.pg, actorOf(request), { ...entry, subjectId: projectId, details })
        }
        return report
      },
    })
  })
}
