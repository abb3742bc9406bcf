/**
 * Reads everything of an organization, one bounded page at a time: Postgres in one snapshot, then
 * ClickHouse up to the time of the snapshot.
 */
import { tablePages } from '#platform/person-data/table-pages.ts'
import { type PostgresTable, postgresTables } from '#schemas/stored-data/postgres-tables.ts'
import type { Scope } from '#schemas/stored-data/scope.ts'
import type { ClickHouse, Database } from '../database.ts'

export interface ExportedRow {
  readonly table: string
  readonly row: Readonly<Record<string, unknown>>
}

const rowsPerFetch = 200
/** An event has up to 2 MiB. */
const eventsPerPage = 50
const sessionsPerPage = 5_000
const outcomesPerPage = 5_000
/** A reader that takes no row for this long loses the export. */
const idleSeconds = 60

/** Call it first in the transaction of the export. */
export async function beginSnapshot(client: Database): Promise<void> {
  await client.query('set transaction isolation level repeatable read, read only')
  await client.query(`set local idle_in_transaction_session_timeout = '${idleSeconds}s'`)
}

export async function* postgresRows(
  client: Database,
  scope: Scope & { readonly organizationId: string },
): AsyncGenerator<ExportedRow> {
  const members = `id in (select person_id from memberships where organization_id = $1)`
  const people = await client.query<{ row: Record<string, unknown> }>(
    `select to_jsonb(p) - 'password_hash' as row from people p where ${members} order by id`,
    [scope.organizationId],
  )
  for (const { row } of people.rows) yield { table: 'people', row }
  for (const table of postgresTables) {
    if (table.notExported === undefined) yield* rowsOfTable(client, table, scope)
  }
}

async function* rowsOfTable(
  client: Database,
  table: PostgresTable,
  scope: Scope,
): AsyncGenerator<ExportedRow> {
  const secrets = (table.secrets ?? []).map((column) => ` - '${column}'`).join('')
  const queryable = {
    query: <Row extends object>(text: string, values?: unknown[]) =>
      client.query<Row & Record<string, unknown>>(text, values),
  }
  const parts = table.isScanned ? tablePages(queryable, table.name) : ['true']
  for await (const part of parts) {
    await client.query(
      `declare exported no scroll cursor for
         select to_jsonb(t)${secrets} as row from ${table.name} t where ${part} and ${table.rows(scope)}`,
    )
    while (true) {
      const { rows } = await client.query<{ row: Record<string, unknown> }>(
        `fetch ${rowsPerFetch} from exported`,
      )
      for (const { row } of rows) yield { table: table.name, row }
      if (rows.length < rowsPerFetch) break
    }
    await client.query('close exported')
  }
}

type Row = Record<string, unknown>

export async function* clickHouseRows(
  clickhouse: ClickHouse,
  { projectNumbers }: Scope,
  until: Date,
): AsyncGenerator<ExportedRow> {
  for (const project of projectNumbers) {
    const range = { project, until: Math.floor(until.getTime() / 1000) }
    yield* eventRows(clickhouse, range)
    yield* sessionRows(clickhouse, range)
    yield* outcomeRows(clickhouse, range)
  }
}

interface Range {
  readonly project: number
  /** Seconds. */
  readonly until: number
}

async function daysOf(
  clickhouse: ClickHouse,
  { table, time }: { table: string; time: string },
  range: Range,
): Promise<string[]> {
  const rows = await clickhouse.select<{ day: string }>(
    `select distinct toString(toDate(${time})) as day from ${table}
     where project_id = {project: UInt64} and ${time} <= fromUnixTimestamp({until: Int64}) order by day`,
    { ...range },
  )
  return rows.map(({ day }) => day)
}

/** In the order of the table, so that a page reads little more than its rows. */
async function* eventRows(clickhouse: ClickHouse, range: Range): AsyncGenerator<ExportedRow> {
  const none = '00000000-0000-0000-0000-000000000000'
  for (const day of await daysOf(clickhouse, { table: 'events', time: 'received_at' }, range)) {
    let after = { fingerprint: none, event_id: none }
    while (true) {
      const rows = await clickhouse.select<Row & typeof after>(
        `select * from events
         where project_id = {project: UInt64} and toDate(received_at) = {day: Date}
           and received_at <= fromUnixTimestamp({until: Int64})
           and (fingerprint, event_id) > ({fingerprint: UUID}, {event_id: UUID})
         order by fingerprint, event_id limit ${eventsPerPage}`,
        { ...range, day, ...after },
      )
      for (const row of rows) yield { table: 'clickhouse.events', row }
      if (rows.length < eventsPerPage) break
      const { fingerprint, event_id } = rows.at(-1)!
      after = { fingerprint, event_id }
    }
  }
}

async function* sessionRows(clickhouse: ClickHouse, range: Range): AsyncGenerator<ExportedRow> {
  for (const day of await daysOf(clickhouse, { table: 'sessions', time: 'hour' }, range)) {
    let after = '00000000-0000-0000-0000-000000000000'
    while (true) {
      const rows = await clickhouse.select<Row & { sid: string }>(
        `select {project: UInt64} as project_id, sid, min(hour) as hour, any(release) as release, any(environment) as environment,
           max(status) as status, max(errored) as errored, max(weight) as weight,
           max(duration_ms) as duration_ms
         from (
           select * from sessions
           where project_id = {project: UInt64} and toDate(hour) = {day: Date}
             and hour <= fromUnixTimestamp({until: Int64}) and sid > {after: UUID}
         )
         group by sid order by sid limit ${sessionsPerPage}`,
        { ...range, day, after },
      )
      for (const row of rows) yield { table: 'clickhouse.sessions', row }
      if (rows.length < sessionsPerPage) break
      after = rows.at(-1)!.sid
    }
  }
}

async function* outcomeRows(clickhouse: ClickHouse, range: Range): AsyncGenerator<ExportedRow> {
  for (const day of await daysOf(clickhouse, { table: 'outcomes', time: 'hour' }, range)) {
    for (let offset = 0; ; offset += outcomesPerPage) {
      const rows = await clickhouse.select<Row>(
        `select hour, dsn_key_no, component, outcome, reason, category, sdk, sum(quantity) as quantity
         from outcomes
         where project_id = {project: UInt64} and toDate(hour) = {day: Date}
           and hour <= fromUnixTimestamp({until: Int64})
         group by hour, dsn_key_no, component, outcome, reason, category, sdk
         order by hour, dsn_key_no, component, outcome, reason, category, sdk
         limit ${outcomesPerPage} offset {offset: UInt64}`,
        { ...range, day, offset },
      )
      for (const row of rows) {
        yield { table: 'clickhouse.outcomes', row: { project_id: range.project, ...row } }
      }
      if (rows.length < outcomesPerPage) break
    }
  }
}
