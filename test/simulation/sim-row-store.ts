/** The tables of `SimClickHouse` as one worker reaches them; an insert or an undo may stop anywhere between its steps. */
import { dashed } from '#schemas/ids.ts'
import { type IdWindow, repeats, secondOf } from '../../workers/dedup/id-window.ts'
import type { DigestedScope, KnownIds, LateId } from '../../workers/dedup/known-ids.ts'
import {
  type RowInsert,
  type RowStore,
  rangeToken,
  type UndoneRange,
} from '../../workers/partitions/ports.ts'
import type { Random } from './random.ts'
import type { EventRow } from './row-binary-reader.ts'
import type { SimClickHouse } from './sim-clickhouse.ts'
import type { SimLink } from './sim-link.ts'
import type { SimProcess } from './sim-process.ts'

/** Of the inserts that meet trouble so many stop halfway. */
const interruptedShare = 0.2

export class SimRowStore implements RowStore {
  readonly knownIds: KnownIds
  readonly #process: SimProcess
  readonly #link: SimLink
  readonly #clickhouse: SimClickHouse
  readonly #random: Random

  constructor(process: SimProcess, link: SimLink, clickhouse: SimClickHouse, random: Random) {
    this.#process = process
    this.#link = link
    this.#clickhouse = clickhouse
    this.#random = random
    this.knownIds = {
      read: (scope, window) =>
        link.call(process, `read ids of ${scope.partition}`, () => this.#readIds(scope, window)),
      among: (scope, ids) =>
        link.call(process, `look for ${ids.length} late ids`, () => this.#among(scope, ids)),
    }
  }

  insert({ table, rows, token }: RowInsert): Promise<void> {
    return this.#link.call(this.#process, `insert ${token}`, () => {
      if (table === 'events') this.#clickhouse.insertEvents(rows, token, this.#interrupter())
      else this.#clickhouse.insertOutcomes(rows, token, this.#interrupter())
    })
  }

  async undo({ cursor, plan }: UndoneRange): Promise<void> {
    const { partition, generation, committedSeq, plannedSeq } = cursor
    const outcomesToken = rangeToken(cursor, 'outcomes')
    const eventsToken = rangeToken(cursor, 'events')
    const step = (what: string, execute: () => void) =>
      this.#link.call(this.#process, `undo ${eventsToken}: ${what}`, execute)
    if (plan.outcomeRows.length > 0) {
      await step('outcomes in', () => {
        this.#clickhouse.insertOutcomes(plan.outcomeRows, outcomesToken, this.#interrupter())
      })
      await step('outcomes out', () => {
        const isInterrupted = this.#interrupter()
        this.#clickhouse.insertNegation(plan.outcomeRows, `${outcomesToken}:undo`, isInterrupted)
      })
    }
    for (const week of plan.settings.weeks) {
      await step('burn', () => this.#clickhouse.burnEventToken(week, eventsToken))
    }
    await step('delete', () => {
      this.#clickhouse.deleteEvents(
        (row) =>
          row.partition === partition &&
          row.generation === generation &&
          committedSeq < row.streamSeq &&
          row.streamSeq <= plannedSeq,
      )
    })
  }

  #readIds(scope: DigestedScope, window: IdWindow): void {
    for (const { projectId, id, second } of this.#idsIn(scope)) {
      const { fingerprinter } = window
      fingerprinter.ofBytes(projectId as never, Buffer.from(id, 'hex'), 0)
      window.enter(fingerprinter.a, fingerprinter.b, fingerprinter.c, second)
    }
  }

  #among(scope: DigestedScope, ids: readonly LateId[]): boolean[] {
    const known = [...this.#idsIn(scope)]
    return ids.map((wanted) =>
      known.some(
        ({ projectId, id, second }) =>
          projectId === wanted.projectId &&
          dashed(id) === dashed(wanted.recordId) &&
          repeats(second, secondOf(wanted.receivedAtMs)),
      ),
    )
  }

  *#idsIn(scope: DigestedScope) {
    for (const row of this.#clickhouse.events) {
      if (!isDigested(row, scope)) continue
      const { projectId, eventId, receivedAtMs, sampledIds, sampledReceivedAtSeconds } = row
      yield { projectId, id: eventId, second: secondOf(receivedAtMs) }
      for (const [index, id] of sampledIds.entries()) {
        yield { projectId, id, second: sampledReceivedAtSeconds[index] ?? 0 }
      }
    }
  }

  #interrupter(): () => boolean {
    const { failShare, lostAnswerShare } = this.#link.trouble
    const isInTrouble = failShare > 0 || lostAnswerShare > 0
    return () => isInTrouble && this.#random.chance(interruptedShare)
  }
}

function isDigested(row: EventRow, scope: DigestedScope): boolean {
  if (row.partition !== scope.partition) return false
  if (row.generation !== scope.generation) return row.generation < scope.generation
  return row.streamSeq <= scope.committedSeq
}
