/**
 * Exports all voters of an idea as a file. It is read page by page, so its length needs no memory.
 */
import type { Voter } from '#schemas/rest/portal/idea-admin.ts'
import { type Actor, addAudit } from '../../audit/audit-store.ts'
import type { ApiContext } from '../../context.ts'
import type { Database } from '../../database.ts'
import { csvLine, type FileFormat } from '../../files/table-file.ts'
import { found } from '../../http/route.ts'
import { type IdeaName, readStatus } from '../idea-store.ts'
import { listVoters, voterOf, voterPosition } from './vote-list-store.ts'

const rowsPerRead = 1_000
const columns = [
  'enduser_id',
  'name',
  'email',
  'via_idea_id',
  'cast_by',
  'voted_at',
] as const satisfies readonly (keyof Voter)[]

interface ExportVoters extends IdeaName {
  readonly format: FileFormat
}

export async function exportVoters(
  ctx: Pick<ApiContext, 'pg'>,
  actor: Actor,
  { projectId, ideaId, format }: ExportVoters,
): Promise<AsyncGenerator<string>> {
  await ctx.pg.transaction(async (pg) => {
    found(await readStatus(pg, { projectId, ideaId }))
    const entry = { action: 'voters.exported', subjectType: 'idea', subjectId: ideaId } as const
    await addAudit(pg, actor, entry)
  })
  return voterFile(ctx.pg, { projectId, ideaId, format })
}

async function* voterFile(pg: Database, { format, ...idea }: ExportVoters): AsyncGenerator<string> {
  yield format === 'csv' ? `\uFEFF${columns.join(',')}\r\n` : '['
  let after: readonly [string, string] | undefined
  let isFirst = true
  for (;;) {
    const rows = await listVoters(pg, { ...idea, limit: rowsPerRead, after })
    const voters = rows.map(voterOf)
    if (format === 'csv') {
      yield voters.map((voter) => csvLine(columns.map((name) => voter[name]))).join('')
    } else if (voters.length > 0) {
      yield `${isFirst ? '\n' : ',\n'}${voters.map((voter) => JSON.stringify(voter)).join(',\n')}`
    }
    isFirst = false
    const last = rows.at(-1)
    if (last === undefined || rows.length < rowsPerRead) break
    after = voterPosition(last)
  }
  if (format === 'json') yield '\n]\n'
}
