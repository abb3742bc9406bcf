/** Imports of contacts from uploaded files. */
import type { Readable } from 'node:stream'
import { z } from 'zod'
import type { PeriodicTask } from '#platform/periodic.ts'
import {
  ImportDetail,
  ImportItem,
  ImportPage,
  ImportPageQuery,
  ImportQuery,
  importBytesMax,
  NewImport,
} from '#schemas/rest/email/contact-import.ts'
import { Problem } from '#schemas/rest/problem.ts'
import { actorOf, personOf } from '../../auth/people-gate.ts'
import type { ApiContext } from '../../context.ts'
import { CursorUuid, decodeCursor, pageOfRows } from '../../http/cursor.ts'
import { periodicTasksOf } from '../../http/periodic-tasks.ts'
import { type ApiInstance, found, replies, requireUuid } from '../../http/route.ts'
import { cancelImport } from './cancel-import.ts'
import { findImport, listImports } from './contact-import-store.ts'
import { createImport } from './create-import.ts'
import { jsonBytesMax } from './file/json-as-csv.ts'
import { importTask } from './import-task.ts'
import { importView } from './import-view.ts'
import { startImport } from './start-import.ts'

const tags = ['contact imports']
const ImportPath = z.object({ import_id: z.string() })
const { 200: _ok, ...errorReplies } = replies(Problem)

export function registerImports(app: ApiInstance, ctx: ApiContext): void {
  const imports = periodicTasksOf(app).start(importTask(ctx))
  registerUpload(app, ctx, imports)

  app.route({
    method: 'GET',
    url: '/imports',
    schema: {
      tags,
      operationId: 'listContactImports',
      summary: 'List contact imports',
      description: 'Newest first.',
      querystring: ImportPageQuery,
      response: replies(ImportPage),
    },
    handler: async (request) => {
      const { organizationId } = personOf(request)
      const { limit, cursor } = request.query
      const beforeId = decodeCursor(cursor, z.tuple([CursorUuid]))?.[0]
      const rows = await listImports(ctx.pg, { organizationId, beforeId, rowsMax: limit + 1 })
      const { items, next_cursor } = pageOfRows(rows, limit, ({ id }) => [id])
      return { items: items.map(importView), next_cursor }
    },
  })

  app.route({
    method: 'GET',
    url: '/imports/:import_id',
    schema: {
      tags,
      operationId: 'getContactImport',
      summary: 'Get the progress and the report of a contact import',
      params: ImportPath,
      response: replies(ImportDetail),
    },
    handler: async (request) => {
      const { organizationId } = personOf(request)
      const id = requireUuid(request.params.import_id)
      const stored = found(await findImport(ctx.pg, { organizationId, id }))
      return { ...importView(stored), problems: stored.problems, warnings: stored.warnings }
    },
  })

  app.route({
    method: 'POST',
    url: '/imports/:import_id/start',
    schema: {
      tags,
      operationId: 'startContactImport',
      summary: 'Start the import that a dry run checked',
      params: ImportPath,
      response: { ...errorReplies, 202: ImportItem, 409: Problem },
    },
    handler: async (request, reply) => {
      const input = { importId: request.params.import_id }
      const started = await startImport(ctx, actorOf(request), input)
      void imports.run()
      reply.code(202)
      return started
    },
  })

  app.route({
    method: 'POST',
    url: '/imports/:import_id/cancel',
    schema: {
      tags,
      operationId: 'cancelContactImport',
      summary: 'Cancel a contact import',
      description: 'Rows that were imported stay.',
      params: ImportPath,
      response: { ...replies(ImportItem), 409: Problem },
    },
    handler: (request) =>
      cancelImport(ctx, actorOf(request), { importId: request.params.import_id }),
  })
}

function registerUpload(app: ApiInstance, ctx: ApiContext, imports: PeriodicTask): void {
  // In a scope of its own, because this body is a stream and all others are JSON.
  void app.register(async (scope: ApiInstance) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser(
      ['text/csv', 'text/plain', 'application/octet-stream', 'application/json'],
      (_, body, done) => done(null, body),
    )
    scope.route({
      method: 'POST',
      url: '/imports',
      bodyLimit: importBytesMax,
      schema: {
        tags,
        operationId: 'createContactImport',
        summary: 'Import contacts from a file',
        description: `The body is the file: text/csv with a header, at most ${importBytesMax} bytes, in UTF-8, UTF-16 with a byte order mark, or Windows-1252; or application/json, a list of objects, at most ${jsonBytesMax} bytes. Exports of listmonk, Mailchimp, Resend, Buttondown and Keila are recognized by their columns. A column that looks like an opt-out must be mapped or ignored. A job imports the file: poll \`GET /imports/{id}\` for its progress. Import larger files on the command line.`,
        consumes: ['text/csv', 'application/json'],
        querystring: ImportQuery,
        response: { ...errorReplies, 202: NewImport, 413: Problem },
      },
      handler: async (request, reply) => {
        const { ignore = [], format, fileName, status, source, mapping, ...query } = request.query
        const created = await createImport(ctx, actorOf(request), {
          options: { ...query, ignore, format, fileName, status, source, mapping },
          body: request.body as Readable | undefined,
          isJson: request.headers['content-type']?.startsWith('application/json') === true,
          createdBy: personOf(request).name,
        })
        void imports.run()
        reply.code(202)
        return created
      },
    })
  })
}
