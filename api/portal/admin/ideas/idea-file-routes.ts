/** Ideas as files: all of a project out, and those of another service in. */
import { Readable } from 'node:stream'
import { z } from 'zod'
import { MiB } from '#schemas/limits.ts'
import { ImportReport } from '#schemas/rest/idea-admin.ts'
import { actorOf } from '../../../auth/people-gate.ts'
import type { ApiContext } from '../../../context.ts'
import { type ApiInstance, fileReplies, replies } from '../../../http/route.ts'
import { addAudit } from '../../../io/audit-store.ts'
import { adminPortalOf, PortalAdminPath, portalAdminTags as tags } from '../admin-portal.ts'
import { exportIdeas } from './export-ideas.ts'
import { importIdeas, importRowsMax } from './import-ideas.ts'

const fileBytesMax = 20 * MiB
const ExportQuery = z.object({ format: z.enum(['csv', 'json']).default('csv') })
const ImportQuery = z.object({
  dry_run: z
    .enum(['true', 'false', '1', '0'])
    .default('false')
    .transform((text) => text === 'true' || text === '1'),
})

export function registerIdeaFiles(app: ApiInstance, ctx: ApiContext): void {
  app.route({
    method: 'GET',
    url: '/ideas/export',
    config: { role: 'member' },
    schema: {
      tags,
      summary: 'All ideas of a project as a file',
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
        summary: 'Read ideas from a file',
        description: `text/csv with a line of names, or application/json with an array: title, description, and if known status, tags (several with | between), created_at, author_id, author_name, voters. At most ${importRowsMax} rows and 20 MiB. A row that is wrong is left out and told; an idea of a known title stays as it is.`,
        consumes: ['text/csv', 'application/json'],
        params: PortalAdminPath,
        querystring: ImportQuery,
        response: replies(ImportReport),
      },
      handler: async (request) => {
        const { projectId } = adminPortalOf(request)
        const { dry_run: dryRun } = request.query
        const format = request.headers['content-type']?.startsWith('text/csv') ? 'csv' : 'json'
        const text = typeof request.body === 'string' ? request.body : ''
        const now = new Date(ctx.clock.nowMs())
        const report = await importIdeas(ctx.pg, { projectId, text, format, now, dryRun })
        if (!dryRun) {
          const { problems: _, ...details } = report
          const entry = { action: 'ideas.imported', subjectType: 'project' } as const
          await addAudit(ctx.pg, actorOf(request), { ...entry, subjectId: projectId, details })
        }
        return report
      },
    })
  })
}
