/**
 * Shared by the readers of a row: cells as text, lists and objects, and the error for an invalid
 * cell.
 */
import type { z } from 'zod'
import { checkValue } from '../../http/validation/validation-rules.ts'
import type { Told } from './check-idea.ts'

export type Row = Readonly<Record<string, unknown>>

/** An invalid cell. */
export class Problem extends Error {
  readonly told: Told
  readonly unknownStatus: string | undefined

  constructor(field: string, rule: string, unknownStatus?: string) {
    super(rule)
    this.told = { field, rule }
    this.unknownStatus = unknownStatus
  }
}

export function checkedPart<Shape extends z.ZodType>(
  schema: Shape,
  value: unknown,
  place: string,
): z.output<Shape> {
  const parsed = checkValue(schema, value, place)
  if (parsed.success) return parsed.data
  const { field, rule } = parsed.errors[0]
  throw new Problem(field === place || place === 'row' ? field : `${place}.${field}`, rule)
}

export type TimeOf = (field: string, value: unknown) => string | undefined

export function jsonArray(text: string): unknown[] | undefined {
  if (!text.trimStart().startsWith('[')) return undefined
  try {
    const parsed: unknown = JSON.parse(text)
    return Array.isArray(parsed) ? parsed : undefined
  } catch {
    return undefined
  }
}

export function splitAt(text: string, separator: string): string[] {
  return text
    .split(separator)
    .map((part) => part.trim())
    .filter((part) => part !== '')
}

export function personIn(
  value: unknown,
): { id?: unknown; name?: unknown; email?: unknown } | undefined {
  if (typeof value === 'string') return { name: value }
  if (!isObject(value)) return undefined
  return { id: value['enduser_id'] ?? value['id'], name: value['name'], email: value['email'] }
}

export function textOf(field: string, value: unknown): string | undefined {
  if (value === undefined || value === null || value === '') return undefined
  if (typeof value === 'number' && Number.isFinite(value)) return String(value)
  if (typeof value === 'string') return value.trim() === '' ? undefined : value.trim()
  throw new Problem(field, 'must be text')
}

/** An id of a user, which is not trimmed. */
export function exactText(field: string, value: unknown): string | undefined {
  return textOf(field, value) === undefined || typeof value !== 'string'
    ? textOf(field, value)
    : value
}

export function isObject(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
