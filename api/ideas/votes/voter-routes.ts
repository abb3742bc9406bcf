/** Who voted for an idea: a list and a file for the team, and votes that the team casts for users who asked for it elsewhere. */
import { Readable } from 'node:stream'
import { v7 as uuidv7 } from 'uuid'
import { z } from 'zod'
import { parseEmailAddress } from '#schemas/email-address.ts'
import { CodedError } from '#schemas/error-codes.ts'
import { PageQuery, pageOf } from '#schemas/rest/page.ts'
import { VoteOnBehalf, Voter } from '#schemas/rest/portal/idea-admin.ts'
import { UnvoteReply, VoteReply } from '#schemas/rest/portal/vote.ts'
import { addAudit } from '../../audit/audit-store.ts'
import { actorOf } from '../../auth/people-gate.ts'
import type { ApiContext } from '../../context.ts'
import type { Database } from '../../database.ts'
import { csvLine } from '../../files/table-file.ts'
import { CursorTime, CursorUuid, decodeCursor, pageOfRows } from '../../http/cursor.ts'
import { type ApiInstance, fileReplies, found, replies, requireUuid } from '../../http/route.ts'
import { invalidField } from '../../http/validation/invalid-field.ts'
import {
  adminPortalOf,
  PortalAdminPath,
  portalAdminTags as tags,
} from '../../portal/admin-portal.ts'
import { findEndUser } from '../../portal/endusers/enduser-store.ts'
import { readStatus } from '../idea-store.ts'
import { ensureEndUser, type ListedVoter, listVoters } from './vote-list-store.ts'
import { addVote, removeVote, votingTransaction } from './vote-store.ts'

const params = PortalAdminPath.extend({ idea_id: z.string() })
const Position = z.tuple([CursorTime, CursorUuid])
const ExportQuery = z.object({ format: z.enum(['csv', 'json']).default('csv') })

export function registerVoters(app: ApiInstance, ctx: ApiContext): void {
  app.route({
    method: 'GET',
    url: '/ideas/:idea_id/voters',
    schema: {
      tags,
      summary: 'Who voted for an idea, the first one first',
      params,
      querystring: z.object(PageQuery),
      response: replies(pageOf(Voter)),
    },
    handler: async (request) => {
      const { projectId } = adminPortalOf(request)
      const ideaId = requireUuid(request.params.idea_id)
      const { limit, cursor } = request.query
      found(await readStatus(ctx.pg, { projectId, ideaId }))
      const after = decodeCursor(cursor, Position)
      const rows = await listVoters(ctx.pg, { projectId, ideaId, limit: limit + 1, after })
      const page = pageOfRows(rows, limit, positionOf)
      return { ...page, items: page.items.map(voterOf) }
    },
  })

  app.route({
    method: 'GET',
    url: '/ideas/:idea_id/voters/export',
    config: { role: 'member' },
    schema: {
      tags,
      summary: 'All voters of an idea as a file',
      params,
      querystring: ExportQuery,
      response: fileReplies('csv', 'json'),
    },
    handler: async (request, reply) => {
      const { projectId } = adminPortalOf(request)
      const ideaId = requireUuid(request.params.idea_id)
      const { format } = request.query
      found(await readStatus(ctx.pg, { projectId, ideaId }))
      await addAudit(ctx.pg, actorOf(request), {
        ...{ action: 'voters.exported', subjectType: 'idea', subjectId: ideaId },
      })
      return reply
        .type(format === 'csv' ? 'text/csv; charset=utf-8' : 'application/json; charset=utf-8')
        .header('content-disposition', `attachment; filename="voters.${format}"`)
        .send(Readable.from(exportVoters(ctx.pg, { projectId, ideaId, format })))
    },
  })

  app.route({
    method: 'POST',
    url: '/ideas/:idea_id/voters',
    schema: {
      tags,
      summary: 'Vote for a user who asked for it elsewhere',
      params,
      body: VoteOnBehalf,
      response: replies(VoteReply),
    },
    handler: async (request) => {
      const { projectId } = adminPortalOf(request)
      const ideaId = requireUuid(request.params.idea_id)
      const { enduser_id: enduserId, enduser_email, note } = request.body
      const email = addressOf(enduser_email)
      const actor = actorOf(request)
      const castBy = note ? `${actor.name}: ${note}` : actor.name
      const result = await votingTransaction(ctx.pg, async (pg) => {
        const now = new Date(ctx.clock.nowMs())
        const user = await ensureEndUser(pg, { id: uuidv7(), projectId, enduserId, now })
        const vote = { projectId, ideaId, enduserId: user, email, castBy }
        const cast = await addVote(pg, vote)
        if (cast === 'not_found') throw new CodedError('not_found')
        const details = { enduser_id: enduserId, note }
        const entry = { action: 'vote.cast', subjectType: 'idea', subjectId: ideaId } as const
        await addAudit(pg, actor, { ...entry, details })
        return cast
      })
      return { result }
    },
  })

  app.route({
    method: 'DELETE',
    url: '/ideas/:idea_id/voters/:enduser_id',
    schema: {
      tags,
      summary: "Take a user's vote away",
      params: params.extend({ enduser_id: z.string().describe('As the project calls the user.') }),
      response: replies(UnvoteReply),
    },
    handler: async (request) => {
      const { projectId } = adminPortalOf(request)
      const { enduser_id: enduserId } = request.params
      const ideaId = requireUuid(request.params.idea_id)
      const result = await votingTransaction(ctx.pg, async (pg) => {
        const user = found(await findEndUser(pg, { projectId, enduserId }))
        const taken = await removeVote(pg, { projectId, ideaId, enduserId: user.id })
        if (taken === 'not_found') throw new CodedError('not_found')
        const entry = { action: 'vote.removed', subjectType: 'idea', subjectId: ideaId } as const
        await addAudit(pg, actorOf(request), { ...entry, details: { enduser_id: enduserId } })
        return taken
      })
      return { result }
    },
  })
}

function addressOf(text: string | undefined): string | null {
  if (text === undefined || text.trim() === '') return null
  const parsed = parseEmailAddress(text)
  if (parsed.kind === 'invalid') throw invalidField('enduser_email', parsed.rule)
  return parsed.email
}

const rowsPerRead = 1_000
const columns = ['enduser_id', 'name', 'email', 'via_idea_id', 'cast_by', 'voted_at'] as const

async function* exportVoters(
  pg: Database,
  { format, ...of }: { projectId: string; ideaId: string; format: 'csv' | 'json' },
): AsyncGenerator<string> {
  yield format === 'csv' ? `\uFEFF${columns.join(',')}\r\n` : '['
  let after: readonly [string, string] | undefined
  let isFirst = true
  for (;;) {
    const rows = await listVoters(pg, { ...of, limit: rowsPerRead, after })
    const voters = rows.map(voterOf)
    if (format === 'csv') {
      yield voters.map((voter) => csvLine(columns.map((name) => voter[name]))).join('')
    } else if (voters.length > 0) {
      yield `${isFirst ? '\n' : ',\n'}${voters.map((voter) => JSON.stringify(voter)).join(',\n')}`
    }
    isFirst = false
    const last = rows.at(-1)
    if (last === undefined || rows.length < rowsPerRead) break
    after = positionOf(last)
  }
  if (format === 'json') yield '\n]\n'
}

function positionOf(row: ListedVoter): [string, string] {
  return [row.position_at, row.user]
}

function voterOf({ user: _user, position_at: _at, ...voter }: ListedVoter): Voter {
  return voter
}
