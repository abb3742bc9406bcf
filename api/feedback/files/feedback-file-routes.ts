/** Export and import of feedback as files, for the team. */
import { Readable } from 'node:stream'
import { z } from 'zod'
import { MiB } from '#schemas/limits.ts'
import { FeedbackImportReport } from '#schemas/rest/portal/feedback.ts'
import { actorOf } from '../../auth/people-gate.ts'
import type { ApiContext } from '../../context.ts'
import { takeFileBodies, textOfBody } from '../../files/file-bodies.ts'
import { type ApiInstance, fileReplies, ProjectPath, projectOf, replies } from '../../http/route.ts'
import { exportFeedback } from './export-feedback.ts'
import { importFeedback } from './import-feedback.ts'

const tags = ['feedback']
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
    .transform((text) => text === 'true' || text === '1')
    .describe('Report what would be imported, and store nothing.'),
})

export function registerFeedbackFiles(app: ApiInstance, ctx: ApiContext): void {
  app.route({
    method: 'GET',
    url: '/export',
    config: { role: 'member' },
    schema: {
      tags,
      operationId: 'exportFeedback',
      summary: 'Export feedback',
      description:
        'CSV or JSON, with archived items. The import reads the file without loss; it finds the issue of an item again by its event.',
      params: ProjectPath,
      querystring: ExportQuery,
      response: fileReplies('csv', 'json'),
    },
    handler: async (request, reply) => {
      const { id, dsnId } = projectOf(request)
      const { format } = request.query
      const wanted = { project: { id, dsnId }, format }
      const file = await exportFeedback(ctx, actorOf(request), wanted)
      return reply
        .type(contentTypes[format])
        .header('content-disposition', `attachment; filename="feedback.${format}"`)
        .send(Readable.from(file))
    },
  })

  void app.register(async (scope: ApiInstance) => {
    takeFileBodies(scope, ['text/csv', 'application/json'])
    scope.route({
      method: 'POST',
      url: '/import',
      bodyLimit: fileBytesMax,
      schema: {
        tags,
        operationId: 'importFeedback',
        summary: 'Import feedback',
        description:
          'Takes text/csv with a header row, or application/json with an array. Columns: message, and optionally id, type, status, source, path, version, environment, component, event_id, person_name, person_email, enduser_id, archived, created_at, updated_at (times with or without a time of day; UTC without a zone). At most 20,000 rows and 10 MiB. `mistakes` lists every row that was skipped, `notes` every value that was changed. Importing a file again is idempotent: existing items stay unchanged. With dry_run nothing is stored.',
        consumes: ['text/csv', 'application/json'],
        params: ProjectPath,
        querystring: ImportQuery,
        response: replies(FeedbackImportReport),
      },
      handler: async (request) => {
        const { id, dsnId } = projectOf(request)
        return importFeedback(ctx, actorOf(request), {
          project: { id, dsnId },
          text: await textOfBody(request.body),
          format: request.headers['content-type']?.startsWith('text/csv') ? 'csv' : 'json',
          dryRun: request.query.dry_run,
        })
      },
    })
  })
}
