/** Feedback as files: all of a project out, and that of another service in. */
import { Readable } from 'node:stream'
import { z } from 'zod'
import { MiB } from '#schemas/limits.ts'
import { FeedbackImportReport } from '#schemas/rest/portal/feedback.ts'
import { addAudit } from '../audit/audit-store.ts'
import { actorOf } from '../auth/people-gate.ts'
import type { ApiContext } from '../context.ts'
import { type ApiInstance, fileReplies, ProjectPath, projectOf, replies } from '../http/route.ts'
import { exportFeedback } from './export-feedback.ts'
import { importFeedback } from './import-feedback.ts'

const tags = ['feedback administration']
const fileBytesMax = 10 * MiB
const contentTypes = {
  csv: 'text/csv; charset=utf-8',
  json: 'application/json; charset=utf-8',
} as const

const ExportQuery = z.object({ format: z.enum(['csv', 'json']).default('csv') })
const ImportQuery = z.object({
  dry_run: z
    .enum(['true', 'false', '1', '0'])
    .default('false')
    .transform((text) => text === 'true' || text === '1'),
})

export function registerFeedbackFiles(app: ApiInstance, ctx: ApiContext): void {
  app.route({
    method: 'GET',
    url: '/export',
    config: { role: 'member' },
    schema: {
      tags,
      summary: 'Export feedback',
      description:
        'CSV or JSON, archived ones too. The import takes the file back without loss; the issue of an item is found anew by its event.',
      params: ProjectPath,
      querystring: ExportQuery,
      response: fileReplies('csv', 'json'),
    },
    handler: async (request, reply) => {
      const { id, dsnId } = projectOf(request)
      const { format } = request.query
      await addAudit(ctx.pg, actorOf(request), {
        ...{ action: 'feedback.exported', subjectType: 'project', subjectId: id },
      })
      return reply
        .type(contentTypes[format])
        .header('content-disposition', `attachment; filename="feedback.${format}"`)
        .send(Readable.from(exportFeedback(ctx.pg, dsnId, format)))
    },
  })

  // In a scope of its own, because elsewhere a body is never kept as text.
  void app.register(async (scope: ApiInstance) => {
    scope.removeContentTypeParser('text/plain')
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
      url: '/import',
      bodyLimit: fileBytesMax,
      schema: {
        tags,
        summary: 'Import feedback',
        description:
          'text/csv with a line of names, or application/json with an array: message, and if known id, type, status, source, path, version, environment, component, event_id, person_name, person_email, enduser_id, archived, created_at, updated_at (times with or without a time of day; UTC without a zone). At most 20,000 rows and 10 MiB. Every row that is left out is in mistakes and every change to a row in notes; rows that are there already stay as they are. With dry_run nothing is kept.',
        consumes: ['text/csv', 'application/json'],
        params: ProjectPath,
        querystring: ImportQuery,
        response: replies(FeedbackImportReport),
      },
      handler: async (request) => {
        const project = projectOf(request)
        const dryRun = request.query.dry_run
        const format = request.headers['content-type']?.startsWith('text/csv') ? 'csv' : 'json'
        const text = typeof request.body === 'string' ? request.body : ''
        const now = new Date(ctx.clock.nowMs())
        return ctx.pg.transaction(async (client) => {
          const report = await importFeedback(client, { project, text, format, now, dryRun })
          if (!dryRun) {
            const { mistakes: _, notes: __, dry_run: ___, ...details } = report
            await addAudit(client, actorOf(request), {
              ...{ action: 'feedback.imported', subjectType: 'project', subjectId: project.id },
              details,
            })
          }
          return report
        })
      },
    })
  })
}
