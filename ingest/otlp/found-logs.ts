/**
 * What a scan finds: how many records are to be dropped, and where those stand that become events. Resource and scope are
 * ranges too, because they are decoded only for a record that needs them, and may stand behind it.
 */

/** `bytes[start, end)`. A list, since protobuf merges a message that is sent in several parts. */
export type Ranges = readonly (readonly [start: number, end: number])[]

export interface FoundRecord {
  readonly start: number
  readonly end: number
  readonly owner: FoundOwner
}

/** The resource and scope of a record; the same object for all records of one `scope_logs`. */
export interface FoundOwner {
  resource: Ranges
  scope: Ranges
}

export interface FoundLogs {
  readonly kind: 'logs'
  readonly droppedCount: number
  readonly records: readonly FoundRecord[]
}

export interface MalformedLogs {
  readonly kind: 'malformed'
  /** Which rule the body breaks, for whoever wrote the exporter. */
  readonly cause: string
}

export const noRanges: Ranges = []
