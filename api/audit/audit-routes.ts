import { z } from 'zod'
import { type AuditItem, AuditList, AuditQuery } from '#schemas/rest/audit.ts'
import { personOf } from '../auth/people-gate.ts'
import type { ApiContext } from '../context.ts'
import { CursorTime, CursorUuid, decodeCursor, pageOfRows } from '../http/cursor.ts'
import { type ApiInstance, replies } from '../http/route.ts'
import { listAudit, type StoredAuditEntry } from './audit-store.ts'
import { type AuditSubject, findAuditSubjects } from './audit-subjects-store.ts'

const Position = z.tuple([CursorTime, CursorUuid])

export function registerAudit(app: ApiInstance, ctx: ApiContext): void {
  app.route({
    method: 'GET',
    url: '/audit',
    config: { role: 'member' },
    schema: {
      operationId: 'listAuditEntries',
      tags: ['audit log'],
      summary: 'List audit log entries',
      description: 'Who changed what in the organization. Newest first.',
      querystring: AuditQuery,
      response: replies(AuditList),
    },
    handler: async (request) => {
      const { limit, cursor, action, subject_id: subjectId, person_id: personId } = request.query
      const { organizationId } = personOf(request)
      const after = decodeCursor(cursor, Position)
      const rows = await listAudit(ctx.pg, {
        organizationId,
        action,
        subjectId,
        personId,
        after,
        limit,
      })
      const page = pageOfRows(rows, limit, (row) => [row.position, row.id])
      const subjects = await findAuditSubjects(ctx.pg, organizationId, page.items)
      return { ...page, items: page.items.map((entry) => viewOf(entry, subjects)) }
    },
  })
}

function viewOf(
  { position: _position, at, ...entry }: StoredAuditEntry,
  subjects: ReadonlyMap<string, AuditSubject>,
): AuditItem {
  const subject = subjects.get(`${entry.subject_type} ${entry.subject_id}`)
  return {
    ...entry,
    at: at.toISOString(),
    subject_name: subject?.name ?? null,
    project_id: subject?.projectId ?? null,
  }
}
