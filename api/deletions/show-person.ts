import type { SecretBox } from '#platform/secret-box.ts'
import type { PersonBody } from '#schemas/rest/deletion.ts'
import { type Actor, addAudit } from '../audit/audit-store.ts'
import type { ApiContext } from '../context.ts'
import { listOrganizationProjects } from '../projects/project-store.ts'
import { parsePerson } from './parse-person.ts'
import { type PersonRow, personRows } from './person-rows-store.ts'
import { subjectHash } from './subject-hash.ts'

type Context = Pick<ApiContext, 'pg' | 'clickhouse'>

/** Counts the rows that name the person, by table. */
export async function showPerson(
  ctx: Context & { readonly box: Pick<SecretBox, 'mac'> },
  organizationId: string,
  person: PersonBody,
): Promise<{ rows: Record<string, number>; subject_hash: string }> {
  const subject = parsePerson(person)
  const counts: Record<string, number> = {}
  const scope = await scopeOf(ctx, organizationId)
  for await (const { table } of personRows(ctx, scope, subject)) {
    counts[table] = (counts[table] ?? 0) + 1
  }
  return {
    rows: counts,
    subject_hash: subjectHash(ctx.box, organizationId, subject).toString('hex'),
  }
}

/**
 * Writes the audit entry, which names no person, and returns the rows as JSON Lines: a header, one
 * line for each row, and a trailer with counts, so that a file that was cut off is recognised.
 */
export async function exportPerson(
  ctx: Context,
  actor: Actor,
  person: PersonBody,
): Promise<AsyncGenerator<string>> {
  const { organizationId } = actor
  const subject = parsePerson(person)
  const scope = await scopeOf(ctx, organizationId)
  await addAudit(ctx.pg, actor, {
    action: 'person_data.exported',
    subjectType: 'organization',
    subjectId: organizationId,
    details: { fields: Object.keys(subject) },
  })
  return linesOf(personRows(ctx, scope, subject))
}

async function* linesOf(rows: AsyncGenerator<PersonRow>): AsyncGenerator<string> {
  yield line({ type: 'header', format: 'sluice-person-data', version: 1 })
  const counts: Record<string, number> = {}
  for await (const { table, row } of rows) {
    counts[table] = (counts[table] ?? 0) + 1
    yield line({ type: 'row', table, row })
  }
  yield line({ type: 'trailer', rows: counts })
}

function line(value: object): string {
  return `${JSON.stringify(value)}\n`
}

async function scopeOf({ pg }: Context, organizationId: string) {
  const projects = await listOrganizationProjects(pg, organizationId)
  return {
    organizationId,
    projectIds: projects.map(({ id }) => id),
    projectNumbers: projects.map(({ dsn_id }) => dsn_id),
  }
}
