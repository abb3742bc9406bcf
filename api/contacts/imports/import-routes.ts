/** Contacts from a CSV file: tried first, then imported by a job, which a page can watch and a person can stop. */
import type { Readable } from 'node:stream'
import { z } from 'zod'
import { CodedError } from '#schemas/error-codes.ts'
import {
  ImportDetail,
  ImportItem,
  ImportMapping,
  ImportPage,
  ImportPageQuery,
  ImportQuery,
  importBytesMax,
  NewImportReply,
} from '#schemas/rest/email/contact-import.ts'
import { Problem } from '#schemas/rest/problem.ts'
import { addAudit } from '../../audit/audit-store.ts'
import { actorOf, personOf } from '../../auth/people-gate.ts'
import type { ApiContext } from '../../context.ts'
import { CursorUuid, decodeCursor, pageOfRows } from '../../http/cursor.ts'
import { type ApiInstance, found, replies, requireUuid } from '../../http/route.ts'
import { invalidField } from '../../http/validation/invalid-field.ts'
import { checkValue } from '../../http/validation/validation-rules.ts'
import { namedNewsletter } from '../contact-admin-routes.ts'
import {
  addImport,
  cancelImport,
  findImport,
  listImports,
  startTriedImport,
} from './contact-import-store.ts'
import { jsonAsCsv, jsonBytesMax } from './file/json-as-csv.ts'
import { chunksOf, readFile } from './file/read-file.ts'
import { headBytesMax } from './file/read-head.ts'
import { ImportRunner } from './import-runner.ts'
import { importView } from './import-view.ts'
import { planImport } from './plan-import.ts'

const tags = ['contact imports']
const ImportPath = z.object({ import_id: z.string() })
const { 200: _ok, ...errorReplies } = replies(Problem)

export function registerImports(app: ApiInstance, ctx: ApiContext): void {
  const runner = new ImportRunner(ctx)
  app.addHook('onReady', async () => runner.start())
  app.addHook('onClose', () => runner.close())

  // In a scope of its own: elsewhere a body is JSON, here it is a stream.
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
        summary: 'Import contacts from a CSV file',
        description: `The body is the file: text/csv with names of columns in its first line, at most ${importBytesMax} bytes, in UTF-8, UTF-16 with a byte order mark, or Windows-1252; or application/json, a list of objects, at most ${jsonBytesMax} bytes. Exports of listmonk, Mailchimp, Resend, Buttondown and Keila are recognized by their columns. A column that looks like an opt-out must be mapped or ignored. A job imports the file: watch \`GET imports/{id}\`. Import larger files on the command line.`,
        consumes: ['text/csv', 'application/json'],
        querystring: ImportQuery,
        response: { ...errorReplies, 202: NewImportReply, 413: Problem },
      },
      handler: async (request, reply) => {
        const { organizationId, name } = personOf(request)
        const {
          newsletter: slug,
          dryRun,
          mapping,
          ignore,
          updateExisting,
          ...options
        } = request.query
        const newsletter = await namedNewsletter(ctx, { organizationId, slug })
        const isJson = request.headers['content-type']?.startsWith('application/json') === true
        const body = request.body as Readable | undefined
        const read = await readFile(body, isJson ? jsonBytesMax : importBytesMax)
        const chunks = isJson ? chunksOf(await jsonAsCsv(Buffer.concat(read))) : read
        const now = new Date(ctx.clock.nowMs())
        const { plan, notes } = await planImport(
          () => chunks,
          chunks[0]!.subarray(0, headBytesMax),
          {
            format: options.format,
            fileName: options.fileName,
            status: options.status,
            source: options.source,
            updateExisting,
            mapping: parseMapping(mapping),
            ignore: ignore ?? [],
            newsletter: slug,
            now,
          },
        )
        const id = await ctx.pg.transaction(async (pg) => {
          const place = { organizationId, newsletterId: newsletter.id }
          const added = await addImport(pg, {
            ...place,
            plan,
            dryRun,
            chunks,
            createdBy: name ?? '',
            now,
          })
          await addAudit(pg, actorOf(request), {
            ...{
              action: 'contact_import.started',
              subjectType: 'contact_import',
              subjectId: added,
            },
            details: { newsletter: slug, dryRun },
          })
          return added
        })
        runner.wake()
        reply.code(202)
        const stored = found(await findImport(ctx.pg, { organizationId, id }))
        return { ...importView(stored), notes: [...notes] }
      },
    })
  })

  app.route({
    method: 'GET',
    url: '/imports',
    schema: {
      tags,
      summary: 'Imports, the newest first',
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
      summary: 'How far an import is, and what it refused',
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
      summary: 'Import in earnest what a dry run tried',
      params: ImportPath,
      response: { ...errorReplies, 202: ImportItem, 409: Problem },
    },
    handler: async (request, reply) => {
      const { organizationId } = personOf(request)
      const id = requireUuid(request.params.import_id)
      found(await findImport(ctx.pg, { organizationId, id }))
      await ctx.pg.transaction(async (pg) => {
        if (!(await startTriedImport(pg, { organizationId, id }))) {
          throw new CodedError('conflict', {
            message: 'Only a dry run that is done can be started.',
          })
        }
        await addAudit(pg, actorOf(request), {
          ...{ action: 'contact_import.started', subjectType: 'contact_import', subjectId: id },
          details: { dryRun: false },
        })
      })
      runner.wake()
      reply.code(202)
      return importView(found(await findImport(ctx.pg, { organizationId, id })))
    },
  })

  app.route({
    method: 'POST',
    url: '/imports/:import_id/cancel',
    schema: {
      tags,
      summary: 'Stop an import; what it did stays',
      params: ImportPath,
      response: { ...replies(ImportItem), 409: Problem },
    },
    handler: async (request) => {
      const { organizationId } = personOf(request)
      const id = requireUuid(request.params.import_id)
      found(await findImport(ctx.pg, { organizationId, id }))
      await ctx.pg.transaction(async (pg) => {
        const now = new Date(ctx.clock.nowMs())
        if (!(await cancelImport(pg, { organizationId, id, now }))) {
          throw new CodedError('conflict', { message: 'This import is over.' })
        }
        await addAudit(pg, actorOf(request), {
          ...{ action: 'contact_import.cancelled', subjectType: 'contact_import', subjectId: id },
        })
      })
      return importView(found(await findImport(ctx.pg, { organizationId, id })))
    },
  })
}

function parseMapping(text: string | undefined): ImportMapping {
  if (text === undefined) return {}
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    throw invalidField('mapping', 'must be JSON')
  }
  const parsed = checkValue(ImportMapping, json, 'mapping')
  if (parsed.success) return parsed.data
  const [{ field, rule }] = parsed.errors
  throw invalidField(field === 'mapping' ? field : `mapping.${field}`, rule)
}
