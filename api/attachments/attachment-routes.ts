import { z } from 'zod'
import { normalizeEventId } from '#schemas/ids.ts'
import {
  AttachmentList,
  AttachmentPreview,
  AttachmentQuery,
} from '#schemas/rest/attachments/attachment.ts'
import { actorOf } from '../auth/people-gate.ts'
import type { ApiContext } from '../context.ts'
import {
  type ApiInstance,
  found,
  nullReply,
  ProjectPath,
  projectOf,
  replies,
  requireUuid,
} from '../http/route.ts'
import { listAttachments } from './attachment-store.ts'
import { attachmentItem, disposition, imageTypeOf } from './attachment-view.ts'
import { deleteAttachment } from './delete-attachment.ts'
import { previewAttachment, readAttachment } from './read-attachment.ts'

const tags = ['events']
const EventPath = ProjectPath.extend({ event_id: z.string().describe('32 hex digits.') })
const AttachmentPath = EventPath.extend({ attachment_id: z.string() })
const one = '/events/:event_id/attachments/:attachment_id'
/** A file is data of somebody else: a browser that opens it runs nothing and loads nothing. */
const sandbox = "sandbox; default-src 'none'; frame-ancestors 'none'"

export function registerAttachments(app: ApiInstance, ctx: ApiContext): void {
  app.route({
    method: 'GET',
    url: '/events/:event_id/attachments',
    config: { scope: 'issues:read' },
    schema: {
      operationId: 'listAttachments',
      tags,
      summary: 'List the files of an event',
      description:
        'Screenshots, logs, view hierarchies and minidumps that came with the event. Empty unless the project keeps attachments. An event that is not stored may have files, too.',
      params: EventPath,
      response: replies(AttachmentList),
    },
    handler: async (request) => {
      const { dsnId: projectId } = projectOf(request)
      const eventId = found(normalizeEventId(request.params.event_id))
      const rows = await listAttachments(ctx.pg, { projectId, eventId })
      return { items: rows.map(attachmentItem) }
    },
  })

  app.route({
    method: 'GET',
    url: one,
    config: { scope: 'issues:read' },
    schema: {
      operationId: 'downloadAttachment',
      tags,
      summary: 'Download a file of an event',
      description:
        'Always as a file to save, unless `inline` is asked for and the file is a picture.',
      params: AttachmentPath,
      querystring: AttachmentQuery,
      response: {
        ...replies(z.unknown()),
        200: {
          description: 'The file.',
          content: { 'application/octet-stream': { schema: z.unknown() } },
        },
      },
    },
    handler: async (request, reply) => {
      const { row, content } = await readAttachment(ctx, placeOf(request))
      const image = request.query.inline === true ? imageTypeOf(content) : undefined
      return reply
        .type(image ?? 'application/octet-stream')
        .header('content-security-policy', sandbox)
        .header('x-content-type-options', 'nosniff')
        .header(
          'content-disposition',
          disposition(image === undefined ? 'attachment' : 'inline', row.name),
        )
        .send(content)
    },
  })

  app.route({
    method: 'GET',
    url: `${one}/preview`,
    config: { scope: 'issues:read' },
    schema: {
      operationId: 'previewAttachment',
      tags,
      summary: 'Read the beginning of a file of an event',
      description:
        'The first 64 KiB of a text, or the first MiB of a view hierarchy. 404 for other files.',
      params: AttachmentPath,
      response: replies(AttachmentPreview),
    },
    handler: (request) => previewAttachment(ctx, placeOf(request)),
  })

  app.route({
    method: 'DELETE',
    url: one,
    config: { scope: 'issues:write' },
    schema: {
      operationId: 'deleteAttachment',
      tags,
      summary: 'Delete a file of an event',
      description:
        'It can no longer be read. Its bytes are removed from the object store within two days, unless another event has the same file.',
      params: AttachmentPath,
      response: { ...replies(z.null()), 200: { ...nullReply, description: 'Deleted.' } },
    },
    handler: async (request) => {
      const project = projectOf(request)
      await deleteAttachment(ctx, actorOf(request), { ...placeOf(request), project })
      return null
    },
  })
}

function placeOf(
  request: Parameters<typeof projectOf>[0] & {
    readonly params: { readonly event_id: string; readonly attachment_id: string }
  },
) {
  return {
    projectId: projectOf(request).dsnId,
    eventId: found(normalizeEventId(request.params.event_id)),
    id: requireUuid(request.params.attachment_id),
  }
}
