/**
 * Limits free data (variables, extra, contexts) by nested levels, by the characters of one text and
 * by the characters of all texts together. A value that is too deep becomes a short marker, as SDKs
 * write it; a value that does not fit any more is left out.
 */

import type { DataBounds } from '../field-limits.ts'
import { isPrototypeKey } from './clean-json.ts'
import { cutText } from './clean-text.ts'
import type { Notes } from './notes.ts'

export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue }

export type StoredData = { readonly [key: string]: JsonValue }

interface Budget {
  readonly bounds: DataBounds
  charactersLeft: number
  cut: boolean
}

const keyCharactersMax = 256
/** Characters of a value in addition to its text: quotes, comma, colon. */
const valueCharacters = 4

export function boundValue(
  value: unknown,
  bounds: DataBounds,
  note: { readonly field: string; readonly notes: Notes },
): JsonValue {
  const budget: Budget = { bounds, charactersLeft: bounds.charactersMax, cut: false }
  const bounded = bound(value, budget, bounds.depthMax)
  if (budget.cut) note.notes.add(note.field, 'cut to its limits of length and depth')
  return bounded
}

/**
 * Like `boundValue`, for a value that must be an object. Returns undefined for other values and for
 * an empty object.
 */
export function boundObject(
  value: unknown,
  bounds: DataBounds,
  note: { readonly field: string; readonly notes: Notes },
): StoredData | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'object' || Array.isArray(value)) {
    note.notes.add(note.field, 'must be an object')
    return undefined
  }
  const bounded = boundValue(value, bounds, note) as StoredData
  return Object.keys(bounded).length === 0 ? undefined : bounded
}

function bound(value: unknown, budget: Budget, depthLeft: number): JsonValue {
  budget.charactersLeft -= valueCharacters
  if (typeof value === 'string') return boundText(value, budget)
  if (typeof value === 'number') {
    // An integer such as 1e20 gets longer when it is written again.
    budget.charactersLeft -= 8
    return Number.isFinite(value) ? value : null
  }
  if (typeof value === 'boolean') return value
  if (typeof value !== 'object' || value === null) return null
  if (depthLeft === 0) {
    budget.cut = true
    return Array.isArray(value) ? '[Array]' : '[Object]'
  }
  return Array.isArray(value)
    ? boundList(value, budget, depthLeft)
    : boundEntries(value as Readonly<Record<string, unknown>>, budget, depthLeft)
}

function boundText(text: string, budget: Budget): string {
  const trimmed = text.trim()
  const fits = Math.min(budget.bounds.textCharactersMax, Math.max(budget.charactersLeft, 1))
  if (trimmed.length > fits) budget.cut = true
  budget.charactersLeft -= Math.min(trimmed.length, fits)
  return cutText(trimmed, fits)
}

function boundList(list: readonly unknown[], budget: Budget, depthLeft: number): JsonValue {
  const bounded: JsonValue[] = []
  for (const item of list) {
    if (budget.charactersLeft <= 0) {
      budget.cut = true
      break
    }
    bounded.push(bound(item, budget, depthLeft - 1))
  }
  return bounded
}

function boundEntries(
  object: Readonly<Record<string, unknown>>,
  budget: Budget,
  depthLeft: number,
): JsonValue {
  const bounded: Record<string, JsonValue> = {}
  for (const key of Object.keys(object)) {
    if (budget.charactersLeft <= 0) {
      budget.cut = true
      break
    }
    if (isPrototypeKey(key)) continue
    const shortKey = cutText(key, keyCharactersMax)
    budget.charactersLeft -= shortKey.length
    bounded[shortKey] = bound(object[key], budget, depthLeft - 1)
  }
  return bounded
}
