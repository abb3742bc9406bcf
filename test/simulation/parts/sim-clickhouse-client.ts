/**
 * Runs the statements of the product's row store (workers/rows/row-store.ts) on the tables of
 * `SimClickHouse`. An unknown statement is an error, so that a new statement is noticed.
 */
import { ClickHouseError } from '@clickhouse/client'
import type { ClickHouseClient } from '#platform/clickhouse.ts'
import { probeTokenPrefix } from '../../../workers/partitions/probe-stores.ts'
import type { Random } from '../../fixtures/random.ts'
import { clickHouseRefusesMark } from './marks.ts'
import type { SimClickHouse } from './sim-clickhouse.ts'
import type { SimLink } from './sim-link.ts'
import type { SimProcess } from './sim-process.ts'

interface Settings {
  readonly insert_deduplication_token?: string
}

interface Exec {
  readonly query: string
  readonly values: AsyncIterable<Buffer>
  readonly clickhouse_settings?: Settings
}

interface Insert {
  readonly table: string
  readonly values: readonly (Readonly<
    Record<'received_at' | 'partition' | 'stream_generation' | 'stream_seq' | 'planned_seq', number>
  > & { readonly kind?: string })[]
  readonly clickhouse_settings: Settings
}

interface Command {
  readonly query: string
  readonly query_params: Readonly<
    Record<'partition' | 'generation' | 'committedSeq' | 'plannedSeq', number>
  >
}

/** Share of inserts during store faults that stop between two parts of the table. */
const interruptedShare = 0.2

export function simClickHouseClient(
  process: SimProcess,
  link: SimLink,
  { clickhouse, random }: { clickhouse: SimClickHouse; random: Random },
): ClickHouseClient {
  const interrupter = () => {
    const { failShare, lostAnswerShare } = link.trouble
    const isInTrouble = failShare > 0 || lostAnswerShare > 0
    return () => isInTrouble && random.chance(interruptedShare)
  }
  const client = {
    exec: async ({ query, values, clickhouse_settings }: Exec) => {
      const table = /^insert into (\w+) \([\w, ]+\) format RowBinary$/.exec(query)?.[1]
      const isCheck = /^insert into function null\('[^']*'\) format RowBinary$/.test(query)
      const token = isCheck ? 'check' : tokenOf(clickhouse_settings)
      const chunks: Buffer[] = []
      for await (const chunk of values) chunks.push(chunk)
      const rows = Buffer.concat(chunks)
      await link.call(process, `insert ${token}`, () => {
        refuseRows(rows)
        if (isCheck) return
        // Only a real insert checks the constraints of a table.
        if (clickhouse.refusesAll) throw brokenConstraint()
        if (token.startsWith(probeTokenPrefix)) return
        if (table === 'events') clickhouse.insertEvents(rows, token, interrupter())
        else if (table === 'sessions') clickhouse.insertSessions(rows, token, interrupter())
        else if (table === 'outcomes') clickhouse.insertOutcomes(rows, token, interrupter())
        else throw new Error(`unknown statement: ${query}`)
      })
      return { stream: { resume: () => undefined } }
    },
    insert: ({ table, values, clickhouse_settings }: Insert) => {
      const token = tokenOf(clickhouse_settings)
      return link.call(process, `insert ${token}`, () => {
        if (table === 'ranges') {
          for (const { partition, stream_generation, planned_seq, kind } of values) {
            clickhouse.notes.push({
              partition,
              generation: stream_generation,
              seq: planned_seq,
              isUndone: kind === 'undone',
            })
          }
          return
        }
        if (table !== 'events') throw new Error(`a placeholder in ${table}`)
        for (const row of values) {
          if (interrupter()()) throw new Error('the insert was interrupted')
          clickhouse.insertPlaceholder(
            {
              receivedAtMs: row.received_at,
              partition: row.partition,
              generation: row.stream_generation,
              streamSeq: row.stream_seq,
            },
            token,
          )
        }
      })
    },
    // Answers the query for the column types of a table; nothing here uses them.
    query: async () => ({ json: async () => [] }),
    command: ({ query, query_params }: Command) => {
      const week = /^alter table events delete in partition '(\d{4}-\d\d-\d\d)'/.exec(query)?.[1]
      const { partition, generation, committedSeq, plannedSeq } = query_params
      return link.call(process, `delete ${partition}: ${committedSeq}-${plannedSeq}`, () => {
        if (week === undefined) throw new Error(`unknown statement: ${query}`)
        clickhouse.deleteEvents(Date.parse(week) / 1000, (row) => {
          return (
            row.partition === partition &&
            row.generation === generation &&
            committedSeq < row.streamSeq &&
            row.streamSeq <= plannedSeq
          )
        })
      })
    },
  }
  return client as unknown as ClickHouseClient
}

function refuseRows(rows: Buffer): void {
  if (!rows.includes(clickHouseRefusesMark)) return
  throw new ClickHouseError({ code: '27', type: 'CANNOT_PARSE_INPUT', message: 'cannot parse' })
}

function brokenConstraint(): ClickHouseError {
  const message = 'a constraint is violated'
  return new ClickHouseError({ code: '469', type: 'VIOLATED_CONSTRAINT', message })
}

function tokenOf(settings: Settings | undefined): string {
  const token = settings?.insert_deduplication_token
  if (token === undefined) throw new Error('an insert without a token')
  return token
}
