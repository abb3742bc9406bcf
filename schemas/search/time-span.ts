/**
 * Parses times in a search: a date, a time with an offset, or an age such as `-24h` (newer) and
 * `+7d` (older). `2026-11-01..2026-11-20` has both ends.
 */
import { type FieldTerm, plainText, type SearchError } from './search-query.ts'

/** A time range. Both bounds are optional; `before` is exclusive. */
export interface TimeSpan {
  readonly kind: 'span'
  readonly fromMs?: number
  readonly beforeMs?: number
}

const unitMs = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 7 * 86_400_000 } as const
const dayMs = unitMs.d
const rule =
  'must have a time here: a date (2026-11-20), a time with its zone (2026-11-20T10:00:00Z), an age (-24h, +7d), or a range (2026-11-01..2026-11-20)'

export function parseTimeSpan(term: FieldTerm, nowMs: number): TimeSpan | SearchError {
  const { values, operator, valuePosition, end } = term
  const [value, ...others] = values
  const text = value && plainText(value)
  const error = { kind: 'error', position: valuePosition, end, rule } as const
  if (text === undefined || others.length > 0) return error
  const [first, last, ...rest] = text.split('..')
  if (last !== undefined) {
    if (operator !== '=' || rest.length > 0) return error
    const side = (bound: '>=' | '<=', at = '') =>
      parseTimeSpan({ ...term, operator: bound, values: [{ pieces: [at] }] }, nowMs)
    const from = side('>=', first)
    if (from.kind === 'error') return from
    const to = side('<=', last)
    return to.kind === 'error' ? to : { ...from, ...to }
  }
  const age = /^([+-])(\d{1,6})([mhdw])$/.exec(text)
  if (age !== null) {
    const [, sign, count, unit] = age
    const instantMs = clamped(nowMs - Number(count) * unitMs[unit as keyof typeof unitMs])
    if (operator !== '=') return spanOf(operator, instantMs, 1)
    const isYounger = sign === '-'
    return { kind: 'span', ...(isYounger ? { fromMs: instantMs } : { beforeMs: instantMs + 1 }) }
  }
  const isDate = /^\d{4}-\d\d-\d\d$/.test(text)
  const isInstant =
    /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:[Zz]|[+-]\d\d:\d\d)$/.test(text)
  const instantMs =
    (isDate || isInstant) && isDay(text.slice(0, 10)) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(instantMs)) return error
  return spanOf(operator, instantMs, isDate ? dayMs : text.includes('.') ? 1 : 1_000)
}

/** Refuses days that do not exist: Date would turn 30 February into 2 March. */
function isDay(date: string): boolean {
  const ms = Date.parse(date)
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(date)
}

/** The times that both stores can hold. */
function clamped(ms: number): number {
  return Math.min(Math.max(0, ms), 9_999_999_999_999)
}

/** @param widthMs the precision of the text: a date means the whole day. */
function spanOf(operator: FieldTerm['operator'], atMs: number, widthMs: number): TimeSpan {
  const instantMs = clamped(atMs)
  const kind = 'span'
  switch (operator) {
    case '=':
      return { kind, fromMs: instantMs, beforeMs: instantMs + widthMs }
    case '>':
      return { kind, fromMs: instantMs + widthMs }
    case '>=':
      return { kind, fromMs: instantMs }
    case '<':
      return { kind, beforeMs: instantMs }
    case '<=':
      return { kind, beforeMs: instantMs + widthMs }
  }
}
