/** Types of ids. The brands exist only at compile time and prevent mixing up two kinds of ids. */
declare const brand: unique symbol
type Branded<T, Name extends string> = T & { readonly [brand]: Name }

/**
 * The decimal project id of a DSN, at most 2^48 - 1. The API identifies a project by `ProjectUuid`.
 */
export type ProjectId = Branded<number, 'ProjectId'>
export type ProjectUuid = Branded<string, 'ProjectUuid'>
/** 32 lowercase hex digits. */
export type EventId = Branded<string, 'EventId'>
/**
 * Number of a DSN key in Postgres (`dsn_keys.key_no`), with which a record names its key in four
 * bytes.
 */
export type DsnKeyNo = Branded<number, 'DsnKeyNo'>
/** The public half of a DSN: 32 lowercase hex digits. */
export type PublicKey = Branded<string, 'PublicKey'>

export const projectIdMax = 2 ** 48 - 1

const nilHex = '0'.repeat(32)
const hex32 = /^[0-9a-f]{32}$/

/**
 * Normalizes an event id in any form that clients send (32 hex digits or a dashed UUID, any case,
 * braces or `urn:uuid:`) to 32 lowercase hex digits. Undefined for the nil id and for invalid
 * values.
 */
export function normalizeEventId(raw: unknown): EventId | undefined {
  if (typeof raw !== 'string') return undefined
  if (hex32.test(raw)) return raw === nilHex ? undefined : (raw as EventId)
  if (raw.length > 64) return undefined
  const bare = raw
    .trim()
    .toLowerCase()
    .replace(/^urn:uuid:/, '')
    .replace(/^\{(.*)\}$/, '$1')
  const hex = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(bare)
    ? bare.replaceAll('-', '')
    : bare
  return hex32.test(hex) && hex !== nilHex ? (hex as EventId) : undefined
}

/** Formats 32 hex digits with dashes, as Postgres and ClickHouse print UUIDs. */
export function dashed(hex: string): string {
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

export function undashed(uuid: string): string {
  return uuid.replaceAll('-', '')
}
