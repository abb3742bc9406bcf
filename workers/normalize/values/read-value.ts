/**
 * Typed readers of untrusted JSON values. A value of the wrong type is noted and treated as absent,
 * so that one invalid attribute never drops the event.
 */
import { cutText } from './clean-text.ts'
import type { Notes } from './notes.ts'

/**
 * An object from `JSON.parse`. Read it by fixed names only (no fixed name of the protocol exists on
 * `Object.prototype`), and list its keys with `Object.keys`.
 */
export type JsonObject = Readonly<Record<string, unknown>>

export function readObject(value: unknown): JsonObject | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  return value as JsonObject
}

export interface TextRule {
  readonly field: string
  readonly charactersMax: number
  readonly notes: Notes
}

/** Returns a string, trimmed and cut; empty when it is absent or no string. */
export function readText(value: unknown, rule: TextRule): string {
  if (typeof value === 'string') return fitText(value, rule)
  if (value !== undefined && value !== null) rule.notes.add(rule.field, 'must be a string')
  return ''
}

/** Like `readText`, but a number or boolean is taken as its text. */
export function readLenientText(value: unknown, rule: TextRule): string {
  return readText(scalarText(value) ?? value, rule)
}

/** Like `readText`, but anything that is not a string is taken as its JSON text. */
export function readAnyText(value: unknown, rule: TextRule): string {
  if (value === undefined || value === null) return ''
  return fitText(typeof value === 'string' ? value : jsonText(value), rule)
}

export function fitText(text: string, rule: TextRule): string {
  const trimmed = text.trim()
  if (trimmed.length <= rule.charactersMax) return trimmed
  rule.notes.add(rule.field, `cut to ${rule.charactersMax} characters`)
  return cutText(trimmed, rule.charactersMax)
}

/** Text of a string, number or boolean; undefined for everything else. */
export function scalarText(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  if (typeof value === 'number') return decimalText(value)
  if (typeof value === 'boolean') return value ? 'true' : 'false'
  return undefined
}

/** Returns undefined for an infinite number, which `JSON.parse` returns for `1e999`. */
function decimalText(value: number): string | undefined {
  if (!Number.isFinite(value)) return undefined
  // From 1e21 on a plain conversion writes an exponent.
  return Number.isInteger(value) && Math.abs(value) >= 1e21
    ? BigInt(value).toString()
    : String(value)
}

function jsonText(value: unknown): string {
  return scalarText(value) ?? JSON.stringify(value)
}

/**
 * A whole number from 1 to 2^32 - 1, also as a string of digits; otherwise 0, which means unknown.
 */
export function readPosition(value: unknown): number {
  const number = typeof value === 'string' && /^\d{1,10}$/.test(value) ? Number(value) : value
  if (typeof number !== 'number' || !Number.isInteger(number)) return 0
  return 0 < number && number <= 0xffff_ffff ? number : 0
}

export function readInteger(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : undefined
}

export function readBoolean(value: unknown): boolean | undefined {
  return typeof value === 'boolean' ? value : undefined
}

/**
 * The objects of `exception`, `threads` and `breadcrumbs`, which come as `{values: […]}`, as a bare
 * list, as one object, or empty.
 */
export function readValues(value: unknown, field: string, notes: Notes): JsonObject[] {
  const list = listOf(value)
  if (list === undefined) {
    if (value !== undefined && value !== null) notes.add(field, 'must be a list or an object')
    return []
  }
  const objects: JsonObject[] = []
  for (const item of list) {
    const object = readObject(item)
    if (object !== undefined) objects.push(object)
    else if (item !== null) notes.add(`${field}.values`, 'must hold objects only')
  }
  return objects
}

function listOf(value: unknown): readonly unknown[] | undefined {
  if (Array.isArray(value)) return value
  const object = readObject(value)
  if (object === undefined) return undefined
  const { values } = object
  if (Array.isArray(values)) return values
  if (readObject(values) !== undefined) return [values]
  if (Object.hasOwn(object, 'values') || Object.keys(object).length === 0) return []
  return [object]
}

/** Entries of a map or of a list of pairs, nulls skipped; undefined for any other value. */
export function readPairs(
  value: unknown,
): readonly (readonly [key: unknown, value: unknown])[] | undefined {
  const object = readObject(value)
  if (object !== undefined) return Object.entries(object)
  if (!Array.isArray(value)) return undefined
  const pairs: [unknown, unknown][] = []
  for (const entry of value as readonly unknown[]) {
    if (Array.isArray(entry)) pairs.push([entry[0], entry[1]])
    const { key, value: inner } = readObject(entry) ?? {}
    if (key !== undefined) pairs.push([key, inner])
  }
  return pairs
}
