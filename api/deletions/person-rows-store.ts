/**
 * Finds the rows that name a person, without changing them: to count them and to export them. The
 * same rows are changed by an erasure.
 */
import { erasedKey } from '#platform/person-data/erased-key.ts'
import { type EventColumn, personEventSql } from '#platform/person-data/person-event-sql.ts'
import {
  patternSql,
  readSearchedTables,
  type SearchedTable,
} from '#platform/person-data/searched-columns-store.ts'
import { tablePages } from '#platform/person-data/table-pages.ts'
import {
  erasedText,
  eraseInText,
  personPatterns,
  spellingsOf,
} from '#platform/text/person-pattern.ts'
import type { PersonSubject } from '#schemas/stored-data/person-subject.ts'
import { type PostgresTable, postgresTables } from '#schemas/stored-data/postgres-tables.ts'
import {
  clickHouseScope,
  idsOf,
  numbersOf,
  organizationOf,
  type Scope,
} from '#schemas/stored-data/scope.ts'
import type { ClickHouse, Database } from '../database.ts'

export interface PersonRow {
  readonly table: string
  readonly row: Readonly<Record<string, unknown>>
}

/** The name of these rows in counts and exports. */
export const personEventsTable = 'clickhouse.events'
/** Rows of one page of ClickHouse; an event has up to 2 MiB. */
const eventsPerPage = 50
const deadLettersPerPage = 20
const noUuid = '00000000-0000-0000-0000-000000000000'

/** Places of rows are read first, because a row has up to some MiB. */
const rowsPerRead = 20

/** Parameters after those of the patterns; null where the person has none. */
type Parameters = { readonly emails: string; readonly hash: string; readonly userId: string }

/** Rows that belong to the person, even if no text names the person. */
function ownRows(scope: Scope, { emails, hash, userId }: Parameters): Record<string, string> {
  const named = (column: string) => `lower(${column}) = any(${emails})`
  const isKey = `email_key = any(${emails})`
  const addresses = `select id from addresses where organization_id = ${organizationOf(scope)}
    and (${isKey} or email_key = ${hash})`
  const contacts = `select id from contacts where address_id in (${addresses})`
  const isUser = `${named('enduser_id')} or enduser_id = ${userId}`
  const users = `select id from endusers where project_id = any(${idsOf(scope)})
    and (${named('email')} or ${isUser})`
  return {
    addresses: `id in (${addresses})`,
    contacts: `address_id in (${addresses})`,
    contact_events: `contact_id in (${contacts})`,
    deliveries: `contact_id in (${contacts})`,
    tracking_hits: `contact_id in (${contacts})`,
    sends: `address_id in (${addresses})`,
    bounce_reports: `address_id in (${addresses})`,
    erased_opt_outs: `email_hash = ${hash}`,
    endusers: `${named('email')} or ${isUser}`,
    votes: `${named('email')} or enduser_id in (${users})`,
    ideas: `${named('author_email')} or author_id in (${users})`,
    comments: `${named('author_email')} or author_id in (${users})`,
    feedback: `${named('person_email')} or ${isUser}`,
    portal_notices: isKey,
    portal_optouts: isKey,
  }
}

type PersonScope = Scope & { readonly organizationId: string }

/** Rows of Postgres. */
export async function* personRows(
  pg: Database,
  scope: PersonScope,
  subject: PersonSubject,
): AsyncGenerator<PersonRow> {
  for await (const { table, part, values } of searchParts(pg, scope, subject)) {
    const { rows: found } = await pg.query<{ place: string }>(
      `select ctid::text as place from ${table.name} t where ${part}`,
      values,
    )
    const places = found.map(({ place }) => place)
    for (let from = 0; from < places.length; from += rowsPerRead) {
      const { rows } = await pg.query<{ row: Record<string, unknown> }>(
        `select to_jsonb(t) as row from ${table.name} t
         where ctid = any($${values.length + 1}::tid[]) and ${part}`,
        [...values, places.slice(from, from + rowsPerRead)],
      )
      for (const { row } of rows) yield { table: table.name, row: withoutSecrets(table, row) }
    }
  }
  yield* deadLetters(pg, scope, subject)
}

/** How many rows `personRows` has, by table. */
export async function countPersonRows(
  pg: Database,
  scope: PersonScope,
  subject: PersonSubject,
): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  const add = (table: string, count: number) => {
    if (count > 0) counts[table] = (counts[table] ?? 0) + count
  }
  for await (const { table, part, values } of searchParts(pg, scope, subject)) {
    const { rows } = await pg.query<{ count: number }>(
      `select count(*)::int as count from ${table.name} t where ${part}`,
      values,
    )
    add(table.name, rows[0]?.count ?? 0)
  }
  for await (const { table } of deadLetters(pg, scope, subject)) add(table, 1)
  return counts
}

/** A part of a table with the condition of the rows that name the person. */
async function* searchParts(
  pg: Database,
  scope: PersonScope,
  subject: PersonSubject,
): AsyncGenerator<{ table: PostgresTable; part: string; values: readonly unknown[] }> {
  const queryable = {
    query: <Row extends object>(text: string, values?: unknown[]) =>
      pg.query<Row & Record<string, unknown>>(text, values),
  }
  const searched = new Map(
    (await readSearchedTables(queryable)).map((entry) => [entry.table.name, entry]),
  )
  for (const table of postgresTables) {
    const query = queryOf({ table, searched: searched.get(table.name), scope, subject })
    if (query === undefined) continue
    const { condition, values } = query
    for await (const pages of tablePages(queryable, table.name)) {
      yield { table, part: `${pages} and ${condition}`, values }
    }
  }
}

function queryOf(options: {
  readonly table: PostgresTable
  readonly searched: SearchedTable | undefined
  readonly scope: PersonScope
  readonly subject: PersonSubject
}): { readonly condition: string; readonly values: readonly unknown[] } | undefined {
  const { table, searched, scope, subject } = options
  const sql = patternSql(personPatterns(subject), erasedText)
  const first = sql.values.length + 1
  const parameters = {
    emails: `$${first}::text[]`,
    hash: `$${first + 1}::text`,
    userId: `$${first + 2}::text`,
  }
  const own = ownRows(scope, parameters)[table.name]
  const matches = searched?.columns.flatMap((column) => sql.matches(column)) ?? []
  const found = own === undefined ? matches : [own, ...matches]
  if (found.length === 0) return undefined
  const { email } = subject
  // Postgres refuses parameters that the statement does not name.
  const patterns = sql.values.map((_, index) => `$${index + 1}::text`)
  const named = [...patterns, ...Object.values(parameters)].join(', ')
  return {
    condition: `${table.rows(scope)} and num_nulls(${named}) >= 0 and (${found.join(' or ')})`,
    values: [
      ...sql.values,
      email === undefined ? null : spellingsOf(email),
      email === undefined ? null : erasedKey(scope.organizationId, email),
      subject.user_id ?? null,
    ],
  }
}

function withoutSecrets(table: PostgresTable, row: Record<string, unknown>) {
  const secrets = new Set([...(table.secrets ?? []), 'sealed_secret', 'token_hash', 'bytes'])
  return Object.fromEntries(Object.entries(row).filter(([column]) => !secrets.has(column)))
}

/** Payloads that name the person; the other columns of dead letters are searched like all text. */
async function* deadLetters(
  pg: Database,
  scope: Scope,
  subject: PersonSubject,
): AsyncGenerator<PersonRow> {
  const patterns = personPatterns(subject)
  for (let after = 0; patterns.length > 0; ) {
    const { rows } = await pg.query<{ id: number; bytes: Buffer }>(
      `select id, bytes from dead_letters where id > $1 and project_id = any(${numbersOf(scope)})
       order by id limit ${deadLettersPerPage}`,
      [after],
    )
    for (const { id, bytes } of rows) {
      const text = bytes.toString('utf8')
      if (eraseInText(text, patterns, 'json') === text) continue
      yield { table: 'dead_letters', row: { id, payload: text } }
    }
    if (rows.length < deadLettersPerPage) return
    after = rows.at(-1)!.id
  }
}

interface PersonEvents {
  /** The condition of the events of the scope that name the person. */
  readonly condition: string
  readonly days: readonly string[]
}

/** Day by day, as the table is ordered, so that each query ends within its time. */
async function findEvents(
  clickhouse: ClickHouse,
  scope: Scope,
  subject: PersonSubject,
): Promise<PersonEvents> {
  const inScope = clickHouseScope(scope)
  const columns = await clickhouse.select<EventColumn>(
    `select name, type from system.columns where database = currentDatabase() and table = 'events'`,
    {},
  )
  const { found } = personEventSql(subject, columns)
  const days = await clickhouse.select<{ day: string }>(
    `select distinct toString(toDate(received_at)) as day from events where ${inScope} order by day`,
    {},
  )
  return {
    condition: `${inScope} and toDate(received_at) = {day: Date} and ${found}`,
    days: days.map(({ day }) => day),
  }
}

/** Without reading them: an event has up to 2 MiB. */
export async function countPersonEvents(
  clickhouse: ClickHouse,
  scope: Scope,
  subject: PersonSubject,
): Promise<number> {
  const { condition, days } = await findEvents(clickhouse, scope, subject)
  let count = 0
  for (const day of days) {
    const [row] = await clickhouse.select<{ count: number }>(
      `select toFloat64(count()) as count from events where ${condition}`,
      { day },
    )
    count += row?.count ?? 0
  }
  return count
}

export async function* personEvents(
  clickhouse: ClickHouse,
  scope: Scope,
  subject: PersonSubject,
): AsyncGenerator<PersonRow> {
  const { condition, days } = await findEvents(clickhouse, scope, subject)
  for (const day of days) {
    let after = { project_id: 0, fingerprint: noUuid, event_id: noUuid }
    while (true) {
      // In the order of the table, so that a page does not search the day again.
      const rows = await clickhouse.select<Record<string, unknown> & typeof after>(
        `select * from events where ${condition}
           and (project_id, fingerprint, event_id)
             > ({project_id: UInt64}, {fingerprint: UUID}, {event_id: UUID})
         order by project_id, toDate(received_at), fingerprint, event_id limit ${eventsPerPage}`,
        { day, ...after },
      )
      for (const row of rows) yield { table: personEventsTable, row }
      if (rows.length < eventsPerPage) break
      const { project_id, fingerprint, event_id } = rows.at(-1)!
      after = { project_id, fingerprint, event_id }
    }
  }
}
