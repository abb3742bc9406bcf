/**
 * The result of a scan: the number of records to drop, and the positions of those that become
 * events. Resource and scope are ranges too, because they are decoded only for records that need
 * them and may follow them.
 */

/** `bytes[start, end)`. A list, because protobuf merges a message that is sent in several parts. */
export type Ranges = readonly (readonly [start: number, end: number])[]

export interface FoundRecord {
  readonly start: number
  readonly end: number
  readonly owner: FoundOwner
}

/** Resource and scope of a record; one object for all records of a `scope_logs`. */
export interface FoundOwner {
  resource: Ranges
  scope: Ranges
}

export interface FoundLogs {
  readonly kind: 'logs'
  readonly droppedCount: number
  readonly records: readonly FoundRecord[]
  /** The first resource of the body, whose SDK records are counted for that are not decoded. */
  readonly resource: Ranges
}

export interface MalformedLogs {
  readonly kind: 'malformed'
  /** The rule that the body violates, for the author of the exporter. */
  readonly cause: string
}

export const noRanges: Ranges = []
