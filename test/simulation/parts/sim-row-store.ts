/**
 * The product's row store on simulated tables. Only the reads for the id windows bypass it and read
 * the tables directly.
 */
import { type IdWindow, repeats, secondOf } from '../../../workers/dedup/id-window.ts'
import type { DigestedScope, KnownIds, LateId } from '../../../workers/dedup/known-ids.ts'
import type { RowStore, StoredPosition } from '../../../workers/partitions/ports.ts'
import { ClickHouseRowStore } from '../../../workers/rows/row-store.ts'
import type { Random } from '../../fixtures/random.ts'
import type { EventRow } from './row-binary-reader.ts'
import type { SimClickHouse } from './sim-clickhouse.ts'
import { simClickHouseClient } from './sim-clickhouse-client.ts'
import type { SimLink } from './sim-link.ts'
import type { SimProcess } from './sim-process.ts'

export function simRowStore(
  process: SimProcess,
  link: SimLink,
  tables: { clickhouse: SimClickHouse; random: Random },
): RowStore {
  const { clickhouse } = tables
  const store = new ClickHouseRowStore(simClickHouseClient(process, link, tables))
  const knownIds: KnownIds = {
    read: (scope, window) =>
      link.call(process, `read ids of ${scope.partition}`, () =>
        readIds(clickhouse, scope, window),
      ),
    among: (scope, ids) =>
      link.call(process, `look for ${ids.length} late ids`, () => among(clickhouse, scope, ids)),
  }
  return {
    insert: (insert) => store.insert(insert),
    check: (rows) => store.check(rows),
    undo: (range) => store.undo(range),
    note: (cursor, note) => store.note(cursor, note),
    newestPosition: (cursor) =>
      link.call(process, `newest position of ${cursor.partition}`, () =>
        newestPosition(clickhouse, cursor.partition),
      ),
    knownIds,
  }
}

function newestPosition(clickhouse: SimClickHouse, partition: number): StoredPosition | undefined {
  const positions = [
    ...clickhouse.notes,
    ...clickhouse.events.map((row) => ({ ...row, seq: row.streamSeq, isUndone: false })),
  ].filter((each) => each.partition === partition)
  const order = (a: StoredPosition, b: StoredPosition) =>
    a.generation - b.generation || a.seq - b.seq || Number(a.isUndone) - Number(b.isUndone)
  return positions.sort(order).at(-1)
}

function readIds(clickhouse: SimClickHouse, scope: DigestedScope, window: IdWindow): void {
  const { fingerprinter } = window
  for (const { projectId, id, second } of idsIn(clickhouse, scope)) {
    fingerprinter.ofBytes(projectId as never, Buffer.from(id, 'hex'), 0)
    window.enter(fingerprinter.a, fingerprinter.b, fingerprinter.c, second)
  }
}

function among(
  clickhouse: SimClickHouse,
  scope: DigestedScope,
  ids: readonly LateId[],
): readonly boolean[] {
  const known = [...idsIn(clickhouse, scope)]
  return ids.map((wanted) =>
    known.some(
      ({ projectId, id, second }) =>
        projectId === wanted.projectId &&
        id === wanted.recordId &&
        repeats(second, secondOf(wanted.receivedAtMs)),
    ),
  )
}

function* idsIn(clickhouse: SimClickHouse, scope: DigestedScope) {
  for (const row of clickhouse.events) {
    if (!isDigested(row, scope)) continue
    const { projectId, eventId, receivedAtMs, sampledIds, sampledReceivedAtSeconds } = row
    yield { projectId, id: eventId, second: secondOf(receivedAtMs) }
    for (const [index, id] of sampledIds.entries()) {
      yield { projectId, id, second: sampledReceivedAtSeconds[index] ?? 0 }
    }
  }
}

function isDigested(row: EventRow, scope: DigestedScope): boolean {
  if (row.partition !== scope.partition) return false
  if (row.generation !== scope.generation) return row.generation < scope.generation
  return row.streamSeq <= scope.committedSeq
}
