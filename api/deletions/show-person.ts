import type { Readable } from 'node:stream'
import type { SecretBox } from '#platform/secret-box.ts'
import { CodedError } from '#schemas/error-codes.ts'
import type { PersonBody } from '#schemas/rest/deletion.ts'
import type { PersonSubject } from '#schemas/stored-data/person-subject.ts'
import { type Actor, addAudit } from '../audit/audit-store.ts'
import type { ApiContext } from '../context.ts'
import { listOrganizationProjects } from '../projects/project-store.ts'
import { exportStream, type Pace, type WriteLine } from './export-stream.ts'
import { parsePerson } from './parse-person.ts'
import {
  countPersonEvents,
  countPersonRows,
  type PersonRow,
  personEvents,
  personEventsTable,
  personRows,
} from './person-rows-store.ts'
import { subjectHash } from './subject-hash.ts'

type Context = Pick<ApiContext, 'pg' | 'clickhouse'>

/** Counts the rows that name the person, by table. */
export async function showPerson(
  ctx: Context & { readonly box: Pick<SecretBox, 'mac'> },
  organizationId: string,
  person: PersonBody,
): Promise<{ rows: Record<string, number>; subject_hash: string }> {
  const subject = parsePerson(person)
  const counts = await searchAlone(organizationId, () => countRows(ctx, organizationId, subject))
  return {
    rows: counts,
    subject_hash: subjectHash(ctx.box, organizationId, subject).toString('hex'),
  }
}

async function countRows(ctx: Context, organizationId: string, subject: PersonSubject) {
  const scope = await scopeOf(ctx, organizationId)
  const counts = await countPersonRows(ctx.pg, scope, subject)
  const events = await countPersonEvents(ctx.clickhouse, scope, subject)
  if (events > 0) counts[personEventsTable] = events
  return counts
}

/** A search reads all texts of the organization, so each has one at a time in a process. */
const searching = new Set<string>()

async function searchAlone<T>(organizationId: string, search: () => Promise<T>): Promise<T> {
  const end = beginSearch(organizationId)
  try {
    return await search()
  } finally {
    end()
  }
}

/** Returns what ends it. */
function beginSearch(organizationId: string): () => void {
  if (searching.has(organizationId)) {
    const message =
      'Another search for a person is running in the organization. Retry when it has ended.'
    throw new CodedError('rate_limited', { message, retryAfterSeconds: 10 })
  }
  searching.add(organizationId)
  return () => searching.delete(organizationId)
}

/**
 * Writes the audit entry, which names no person, and begins to read the rows as JSON Lines: a
 * header, one line for each row, and a trailer with counts, so that a file that was cut off is
 * recognised. Destroying the stream ends the export.
 */
export async function exportPerson(
  ctx: Context,
  actor: Actor,
  person: PersonBody,
  pace?: Pace,
): Promise<Readable> {
  const { organizationId } = actor
  const subject = parsePerson(person)
  const end = beginSearch(organizationId)
  try {
    const scope = await scopeOf(ctx, organizationId)
    await addAudit(ctx.pg, actor, {
      action: 'person_data.exported',
      subjectType: 'organization',
      subjectId: organizationId,
      details: { fields: Object.keys(subject) },
    })
    return exportStream((write) => writeRows(ctx, scope, { subject, write }).finally(end), pace)
  } catch (error) {
    end()
    throw error
  }
}

async function writeRows(
  { pg, clickhouse }: Context,
  scope: Awaited<ReturnType<typeof scopeOf>>,
  { subject, write }: { readonly subject: PersonSubject; readonly write: WriteLine },
): Promise<void> {
  const counts: Record<string, number> = {}
  const writeRow = async ({ table, row }: PersonRow) => {
    counts[table] = (counts[table] ?? 0) + 1
    await write({ type: 'row', table, row })
  }
  await write({ type: 'header', format: 'sluice-person-data', version: 1 })
  for await (const row of personRows(pg, scope, subject)) await writeRow(row)
  for await (const row of personEvents(clickhouse, scope, subject)) await writeRow(row)
  await write({ type: 'trailer', rows: counts })
}

async function scopeOf({ pg }: Context, organizationId: string) {
  const projects = await listOrganizationProjects(pg, organizationId)
  return {
    organizationId,
    projectIds: projects.map(({ id }) => id),
    projectNumbers: projects.map(({ dsn_id }) => dsn_id),
  }
}
