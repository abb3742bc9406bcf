/**
 * Rows go in under a token: the same token a second time changes nothing, which makes a retry harmless. The engine keeps
 * tokens for each part of a table by itself (week of receipt for events, month for outcomes), so an insert may be in
 * one part and not yet in the next, and a token that must be used up has to be used in each part.
 */
import { Readable } from 'node:stream'
import { ClickHouseError } from '@clickhouse/client'
import type { ClickHouseClient } from '#platform/clickhouse.ts'
import { failpoint } from '#platform/failpoint.ts'
import { negateOutcomes } from '../commit/negate-outcomes.ts'
import type { KnownIds } from '../dedup/known-ids.ts'
import { ClickHouseKnownIds } from '../dedup/known-ids-store.ts'
import { outcomeColumns } from '../digest/outcome-tally.ts'
import {
  type Cursor,
  DataRefusedError,
  type RowInsert,
  type RowStore,
  rangeToken,
  type UndoneRange,
} from '../partitions/ports.ts'
import { probeInserts } from '../partitions/probe-stores.ts'
import { sessionColumns } from '../release-health/session-row.ts'
import { eventColumns } from './event-row.ts'

export class ClickHouseRowStore implements RowStore {
  readonly knownIds: KnownIds
  readonly #clickhouse: ClickHouseClient

  constructor(clickhouse: ClickHouseClient) {
    this.#clickhouse = clickhouse
    this.knownIds = new ClickHouseKnownIds(clickhouse)
  }

  insert(insert: RowInsert): Promise<void> {
    return insertRows(this.#clickhouse, insert)
  }

  /** The table function `null` parses the rows as the table's columns and drops them. */
  async check({ table, rows }: Omit<RowInsert, 'token'>): Promise<void> {
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
   * Outcomes: the planned rows are inserted again, so that they are surely in, and then their opposite. Events: a row is
   * inserted under their token, unless the token is used, and then whatever stands in the range is deleted.
   */
  async undo({ cursor, plan: { outcomeRows, settings } }: UndoneRange): Promise<void> {
    if (outcomeRows.length > 0) {
      const token = rangeToken(cursor, 'outcomes')
      if (await this.#isInserted({ table: 'outcomes', rows: outcomeRows, token })) {
        const rows = negateOutcomes(outcomeRows)
        await this.insert({ table: 'outcomes', rows, token: `${token}:undo` })
      }
    }
    failpoint('workers.during_undo')
    if (settings.weeks.length === 0) return
    await this.#useEventToken(cursor, settings.weeks)
    for (const week of settings.weeks) await this.#deleteEvents(cursor, week)
  }

  /**
   * False: the rows are refused although the table takes others, so they were refused in every earlier attempt, and none of them
   * is in. Throws `DataRefusedError` when the table refuses all rows, which says nothing of earlier attempts.
   */
  async #isInserted(insert: RowInsert): Promise<boolean> {
    if (await this.#takes(insert)) return true
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
        // A number is milliseconds to a column of this type.
        received_at: second * 1000,
        retention_days: placeholderDays,
        partition,
        stream_generation: generation,
        // Within the range, so that it is deleted with what is there of it.
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
/** It is deleted at once; until then the table's own limit of age must not be what deletes it. */
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

export function tokenSettings(token: string) {
  return {
    insert_deduplicate: 1,
    insert_deduplication_token: token,
    deduplicate_blocks_in_dependent_materialized_views: 1,
    // On by default in new servers; a retry of a batched insert would not be recognised.
    async_insert: 0,
  } as const
}

/**
 * Bytes that are no rows of these columns, or values that do not fit them or break a constraint (469). Not 33, bytes that end too soon: a connection that
 * was cut looks like that. 252 stands for two things: too many parts passes, too many partitions in one insert does not.
 */
const rowCodes = new Set(['6', '26', '27', '38', '41', '53', '72', '117', '130', '131', '469'])

function isAboutRows(error: unknown): boolean {
  if (!(error instanceof ClickHouseError)) return false
  return rowCodes.has(error.code) || (error.code === '252' && /partitions/i.test(error.message))
}
