/**
 * Inserts rows under a token: a second insert with the same token changes nothing, so retries are
 * harmless. ClickHouse keeps tokens per part of a table (week of receipt for events, month for
 * outcomes), so an insert may have reached one part and not the next, and a token that must be used
 * up has to be used in each part.
 */
import { Readable } from 'node:stream'
import { ClickHouseError } from '@clickhouse/client'
import type { ClickHouseClient } from '#platform/clickhouse.ts'
import { rangeToken, tokenSettings } from '#platform/clickhouse-token.ts'
import { failpoint } from '#platform/failpoint.ts'
import type { RangeNote } from '#schemas/range-note.ts'
import { negateOutcomes } from '../commit/negate-outcomes.ts'
import type { KnownIds } from '../dedup/known-ids.ts'
import { ClickHouseKnownIds } from '../dedup/known-ids-store.ts'
import { outcomeColumns } from '../digest/outcome-tally.ts'
import {
  type Cursor,
  DataRefusedError,
  type RowInsert,
  type RowStore,
  type StoredPosition,
  type UndoneRange,
} from '../partitions/ports.ts'
import { probeInserts } from '../partitions/probe-stores.ts'
import { sessionColumns } from '../release-health/session-row.ts'
import { eventColumns } from './event-row.ts'
import { readNewestPosition } from './newest-position-store.ts'
import { SentOnce } from './sent-once.ts'

export class ClickHouseRowStore implements RowStore {
  readonly knownIds: KnownIds
  readonly #clickhouse: ClickHouseClient
  readonly #sentOnce = new SentOnce()

  constructor(clickhouse: ClickHouseClient) {
    this.#clickhouse = clickhouse
    this.knownIds = new ClickHouseKnownIds(clickhouse)
  }

  insert(insert: RowInsert): Promise<void> {
    this.#sentOnce.note(insert.rows)
    return insertRows(this.#clickhouse, insert)
  }

  release(rows: Uint8Array): void {
    this.#sentOnce.release(rows)
  }

  /** The table function `null` parses the rows as the table's columns and drops them. */
  async check({ table, rows }: Omit<RowInsert, 'token'>): Promise<void> {
    this.#sentOnce.note(rows)
    const result = await this.#clickhouse.query({
      query: `select name, type from system.columns where database = currentDatabase() and table = {table: String}`,
      query_params: { table },
      format: 'JSONEachRow',
    })
    const types = new Map(
      (await result.json<{ name: string; type: string }>()).map(({ name, type }) => [name, type]),
    )
    const structure = columns[table].map((name) => `${name} ${types.get(name)}`).join(', ')
    await sendRows(this.#clickhouse, {
      statement: `insert into function null(${sqlString(structure)}) format RowBinary`,
      rows,
    })
  }

  /**
   * Undoes an insert. Outcomes: the planned rows are inserted again, so that they are certainly
   * present, and then their negation. Events: a row is inserted under their token unless the token
   * is used, and then all rows of the range are deleted.
   */
  async undo({ cursor, plan: { outcomeRows, settings } }: UndoneRange): Promise<void> {
    await this.#insertNote(cursor, 'undone', '')
    if (outcomeRows.length > 0) {
      const token = rangeToken(cursor, 'outcomes')
      // mutant: negate-inserted-outcomes
      if (await this.#isInserted({ table: 'outcomes', rows: outcomeRows, token })) {
        const rows = negateOutcomes(outcomeRows)
        await this.insert({ table: 'outcomes', rows, token: `${token}:undo` })
      }
    }
    failpoint('workers.during_undo')
    if (settings.weeks.length === 0) return
    // mutant: use-event-token
    await this.#useEventToken(cursor, settings.weeks)
    // mutant: delete-events
    for (const week of settings.weeks) await this.#deleteEvents(cursor, week)
  }

  note(cursor: Cursor, note: RangeNote): Promise<void> {
    return this.#insertNote(cursor, 'planned', JSON.stringify(note))
  }

  newestPosition(cursor: Cursor): Promise<StoredPosition | undefined> {
    return readNewestPosition(this.#clickhouse, cursor)
  }

  async #insertNote(cursor: Cursor, kind: 'planned' | 'undone', note: string): Promise<void> {
    const { partition, generation, committedSeq, plannedSeq } = cursor
    const token = rangeToken(cursor, kind === 'planned' ? 'note' : 'undone')
    await this.#clickhouse.insert({
      table: 'ranges',
      format: 'JSONEachRow',
      columns: ['partition', 'stream_generation', 'committed_seq', 'planned_seq', 'kind', 'note'],
      values: [
        {
          partition,
          stream_generation: generation,
          committed_seq: committedSeq,
          planned_seq: plannedSeq,
          kind,
          note,
        },
      ],
      clickhouse_settings: tokenSettings(token),
    })
  }

  /**
   * Returns false when the table refuses these rows but accepts others: then every earlier attempt
   * was refused too, and none of the rows is stored. Throws `DataRefusedError` when the table
   * refuses all rows, which is no evidence about earlier attempts.
   */
  async #isInserted(insert: RowInsert): Promise<boolean> {
    if (await this.#takes(insert)) return true
    // mutant: probe-before-undo
    for (const probe of probeInserts()) if (probe.table === insert.table) await this.insert(probe)
    // The table may have been repaired just before the probe.
    return this.#takes(insert)
  }

  async #takes(insert: RowInsert): Promise<boolean> {
    try {
      await this.insert(insert)
      return true
    } catch (error) {
      if (error instanceof DataRefusedError) return false
      throw error
    }
  }

  async #useEventToken(cursor: Cursor, weeks: readonly number[]): Promise<void> {
    const { partition, generation, plannedSeq } = cursor
    await this.#clickhouse.insert({
      table: 'events',
      format: 'JSONEachRow',
      columns: ['received_at', 'retention_days', 'partition', 'stream_generation', 'stream_seq'],
      values: weeks.map((second) => ({
        // ClickHouse reads a number in a column of this type as milliseconds.
        received_at: second * 1000,
        retention_days: placeholderDays,
        partition,
        stream_generation: generation,
        // The row is within the range, so it is deleted with the others.
        stream_seq: plannedSeq,
      })),
      clickhouse_settings: tokenSettings(rangeToken(cursor, 'events')),
    })
  }

  async #deleteEvents(cursor: Cursor, week: number): Promise<void> {
    const { partition, generation, committedSeq, plannedSeq } = cursor
    const day = new Date(week * 1000).toISOString().slice(0, 10)
    await this.#clickhouse.command({
      query: `alter table events delete in partition '${day}'
        where partition = {partition: UInt16} and stream_generation = {generation: UInt32}
          and stream_seq > {committedSeq: UInt64} and stream_seq <= {plannedSeq: UInt64}`,
      query_params: { partition, generation, committedSeq, plannedSeq },
      // Waits until no replica shows the rows.
      clickhouse_settings: { mutations_sync: '2' },
    })
  }
}

const columns = { events: eventColumns, sessions: sessionColumns, outcomes: outcomeColumns }
/** The row is deleted at once; its retention must not delete it before that. */
const placeholderDays = 3_650

export function insertRows(clickhouse: ClickHouseClient, insert: RowInsert): Promise<void> {
  const { table, rows, token } = insert
  return sendRows(clickhouse, {
    statement: `insert into ${table} (${columns[table].join(', ')}) format RowBinary`,
    rows,
    token,
  })
}

async function sendRows(
  clickhouse: ClickHouseClient,
  sent: { readonly statement: string; readonly rows: Uint8Array; readonly token?: string },
): Promise<void> {
  const { statement, rows, token } = sent
  try {
    const { stream } = await clickhouse.exec({
      query: statement,
      values: Readable.from([Buffer.from(rows.buffer, rows.byteOffset, rows.byteLength)]),
      ...(token === undefined ? {} : { clickhouse_settings: tokenSettings(token) }),
    })
    stream.resume()
  } catch (error) {
    if (isAboutRows(error)) {
      const message = error instanceof Error ? error.message : String(error)
      throw new DataRefusedError(`ClickHouse refused rows: ${message}`, { cause: error })
    }
    throw error
  }
}

function sqlString(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}

/**
 * Error codes for bytes that are not rows of these columns, and for values that do not fit or
 * violate a constraint (469). Code 33 (data ends too soon) is not among them, because a broken
 * connection looks the same. Code 252 has two meanings: too many parts is temporary, too many
 * partitions in one insert is not.
 */
const rowCodes = new Set(['6', '26', '27', '38', '41', '53', '72', '117', '130', '131', '469'])

function isAboutRows(error: unknown): boolean {
  if (!(error instanceof ClickHouseError)) return false
  return rowCodes.has(error.code) || (error.code === '252' && /partitions/i.test(error.message))
}
