import type { SecretBox } from '#platform/secret-box.ts'
import { CodedError } from '#schemas/error-codes.ts'
import type { PersonBody } from '#schemas/rest/deletion.ts'
import type { PersonSubject } from '#schemas/stored-data/person-subject.ts'
import { type Actor, addAudit } from '../audit/audit-store.ts'
import type { ApiContext } from '../context.ts'
import { listOrganizationProjects } from '../projects/project-store.ts'
import { parsePerson } from './parse-person.ts'
import {
  countPersonEvents,
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
  const counts: Record<string, number> = {}
  const scope = await scopeOf(ctx, organizationId)
  for await (const { table } of personRows(ctx.pg, scope, subject)) {
    counts[table] = (counts[table] ?? 0) + 1
  }
  const events = await countPersonEvents(ctx.clickhouse, scope, subject)
  if (events > 0) counts[personEventsTable] = events
  return counts
}

/**
 * A search reads all texts of the organization, so each organization has one at a time in a
 * process. An export takes the place when its first line is read.
 */
const searching = new Set<string>()

async function searchAlone<T>(organizationId: string, search: () => Promise<T>): Promise<T> {
  refuseSecond(organizationId)
  searching.add(organizationId)
  try {
    return await search()
  } finally {
    searching.delete(organizationId)
  }
}

function refuseSecond(organizationId: string): void {
  if (!searching.has(organizationId)) return
  const message =
    'Another search for a person is running in the organization. Retry when it has ended.'
  throw new CodedError('rate_limited', { message, retryAfterSeconds: 10 })
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
  refuseSecond(organizationId)
  const scope = await scopeOf(ctx, organizationId)
  await addAudit(ctx.pg, actor, {
    action: 'person_data.exported',
    subjectType: 'organization',
    subjectId: organizationId,
    details: { fields: Object.keys(subject) },
  })
  return linesOf(ctx, scope, subject)
}

type PersonScope = Awaited<ReturnType<typeof scopeOf>>

async function* allRows(
  { pg, clickhouse }: Context,
  scope: PersonScope,
  subject: PersonSubject,
): AsyncGenerator<PersonRow> {
  refuseSecond(scope.organizationId)
  searching.add(scope.organizationId)
  try {
    yield* personRows(pg, scope, subject)
    yield* personEvents(clickhouse, scope, subject)
  } finally {
    searching.delete(scope.organizationId)
  }
}

async function* linesOf(
  ctx: Context,
  scope: PersonScope,
  subject: PersonSubject,
): AsyncGenerator<string> {
  yield line({ type: 'header', format: 'sluice-person-data', version: 1 })
  const counts: Record<string, number> = {}
  for await (const { table, row } of allRows(ctx, scope, subject)) {
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
