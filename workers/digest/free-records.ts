/**
 * What the records that are no events come to, each read by a parser of its own. A record whose payload is refused is
 * counted and leaves nothing else behind. Ids are kept of those kinds that would count twice if they came twice.
 */
import type { RecordView } from '#schemas/bus/frame.ts'
import type { ProjectId } from '#schemas/ids.ts'
import type { Category, RejectReason } from '#schemas/outcome.ts'
import { type FreeKind, itemTypeOf } from '#schemas/wire/item-types.ts'
import { parseClientReport } from '../client-reports/parse-client-report.ts'
import type { OutcomeTally } from './outcome-tally.ts'

export type FreeRecord = RecordView & { readonly kind: FreeKind }

/** The id of a record that was taken, to be known for as long as copies of it are looked for. */
export interface ItemId {
  readonly projectId: ProjectId
  /** 32 lowercase hex digits. */
  readonly recordId: string
  readonly receivedAtMs: number
}

/** `kept`: its id has to be known from now on. `idempotent`: a copy of it would change nothing. */
export type FreeFate =
  | { readonly kind: 'kept' }
  | { readonly kind: 'idempotent' }
  | { readonly kind: 'rejected'; readonly reason: RejectReason }

const kept: FreeFate = { kind: 'kept' }

/** The outcome category of a record, by the item it was. */
export function categoryOf({ kind, header }: RecordView): Category {
  return kind === 'outcomes' ? 'unknown' : itemTypeOf(header.item ?? kind).category
}

export class FreeRecords {
  readonly #tally: OutcomeTally
  readonly itemIds: ItemId[] = []

  constructor(tally: OutcomeTally) {
    this.#tally = tally
  }

  take(record: FreeRecord): FreeFate {
    const fate = this.#takeByKind(record)
    if (fate.kind === 'kept') {
      const { projectId, recordId, receivedAtMs } = record
      this.itemIds.push({ projectId, recordId, receivedAtMs })
    }
    return fate
  }

  #takeByKind(record: FreeRecord): FreeFate {
    switch (record.kind) {
      case 'client_report':
        return this.#takeClientReport(record)
      case 'session':
      case 'check_in':
      case 'feedback':
        throw new Error(`records of kind ${record.kind} are not expected on the bus`)
    }
  }

  #takeClientReport({ payload, projectId, dsnKeyNo, receivedAtMs, header }: FreeRecord): FreeFate {
    const report = parseClientReport(payload)
    if (report.kind === 'rejected') return report
    const { component = '' } = header
    for (const { quantity, ...fate } of report.discards) {
      const key = { projectId, dsnKeyNo, component, receivedAtMs, ...fate }
      this.#tally.add({ ...key, outcome: 'client_discard' }, quantity)
    }
    return kept
  }
}
