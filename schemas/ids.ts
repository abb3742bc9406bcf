/**
 * Identities as they travel. A brand costs nothing at run time and keeps two ids from being
 * swapped.
 */
declare const brand: unique symbol
type Branded<T, Name extends string> = T & { readonly [brand]: Name }

/**
 * The decimal project id of a DSN, at most 2^48 - 1. The API's UUID of a project is `ProjectUuid`.
 */
export type ProjectId = Branded<number, 'ProjectId'>
export type ProjectUuid = Branded<string, 'ProjectUuid'>
/** 32 lowercase hex digits. */
export type EventId = Branded<string, 'EventId'>
/**
 * Number of a DSN key in Postgres (`dsn_keys.key_no`), so that a record names its key in four
 * bytes.
 */
export type DsnKeyNo = Branded<number, 'DsnKeyNo'>
/** The public half of a DSN: 32 lowercase hex digits. */
export type PublicKey = Branded<string, 'PublicKey'>

export const projectIdMax = 2 ** 48 - 1

const nilHex = '0'.repeat(32)
const hex32 = /^[0-9a-f]{32}$/

/**
 * An event id in any form clients send (32 hex digits or a dashed UUID, any case, braces or
 * `urn:uuid:`), as 32 lowercase hex digits. The nil id counts as missing, as does anything
 * unusable.
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

/** `abcdef…` (32 hex digits) as the dashed form Postgres and ClickHouse print. */
export function dashed(hex: string): string {
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

export function undashed(uuid: string): string {
  return uuid.replaceAll('-', '')
}
