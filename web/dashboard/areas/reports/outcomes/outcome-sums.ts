/** Sums of an outcome report, for the chart, the table and the answer in one sentence. */
import { countOf, formatNumber, formatShare } from '../../../design/content/format.ts'
import { categoryNames, outcomeNames, reasonWords } from './reason-words.ts'

export interface OutcomeRow {
  readonly at?: string
  readonly outcome?: string
  readonly reason?: string | null
  readonly category?: string
  readonly key?: string | null
  readonly component?: string | null
  readonly sdk?: string | null
  readonly quantity: number
}

export interface ReasonRow {
  /** `outcome:reason`, also in the address. */
  readonly id: string
  readonly outcome: string
  readonly reason: string | null
  readonly quantity: number
  /** Most frequent first: `58 sessions`. */
  readonly categories: readonly { readonly category: string; readonly quantity: number }[]
  /** One for each time of the chart. */
  readonly values: readonly number[]
}

export interface Sums {
  readonly accepted: number
  /** Received and not stored. Duplicates are stored once, so they are none. */
  readonly dropped: number
  readonly duplicates: number
  /** Dropped before they were sent. */
  readonly neverSent: number
  readonly received: number
  readonly reasons: readonly ReasonRow[]
}

/** Drawn in this order; the numbers are those of the palette. */
export const dropOutcomes: readonly { readonly outcome: string; readonly color: number }[] = [
  { outcome: 'over_quota', color: 4 },
  { outcome: 'rejected', color: 3 },
  { outcome: 'filtered', color: 2 },
  { outcome: 'unsupported', color: 5 },
  { outcome: 'duplicate', color: 1 },
  { outcome: 'client_discard', color: 6 },
]

export function timesOf(
  since: string,
  untilMs: number,
  interval: 'hour' | 'day',
): readonly string[] {
  const stepMs = interval === 'hour' ? 3_600_000 : 86_400_000
  const firstMs = Math.floor(Date.parse(since) / stepMs) * stepMs
  const count = Math.max(0, Math.ceil((untilMs - firstMs) / stepMs))
  return Array.from({ length: count }, (_, index) =>
    new Date(firstMs + index * stepMs).toISOString(),
  )
}

export function sumOutcomes(items: readonly OutcomeRow[], times: readonly string[]): Sums {
  const places = new Map(times.map((time, index) => [time, index]))
  const rows = new Map<
    string,
    { row: ReasonRow; values: number[]; categories: Map<string, number> }
  >()
  let [accepted, duplicates, dropped, neverSent] = [0, 0, 0, 0]
  for (const { at, outcome = '', reason = null, category = 'unknown', quantity } of items) {
    if (outcome === 'accepted') {
      accepted += quantity
      continue
    }
    if (outcome === 'duplicate') duplicates += quantity
    else if (outcome === 'client_discard') neverSent += quantity
    else dropped += quantity
    const id = `${outcome}:${reason ?? ''}`
    let entry = rows.get(id)
    if (entry === undefined) {
      const values = new Array<number>(times.length).fill(0)
      const row = { id, outcome, reason, quantity: 0, categories: [], values }
      entry = { row, values, categories: new Map() }
      rows.set(id, entry)
    }
    entry.row = { ...entry.row, quantity: entry.row.quantity + quantity }
    entry.categories.set(category, (entry.categories.get(category) ?? 0) + quantity)
    const place = places.get(at ?? '')
    if (place !== undefined) entry.values[place] = (entry.values[place] ?? 0) + quantity
  }
  const reasons = [...rows.values()]
    .map(({ row, categories }) => ({
      ...row,
      categories: [...categories]
        .map(([category, quantity]) => ({ category, quantity }))
        .sort((a, b) => b.quantity - a.quantity),
    }))
    .sort((a, b) => b.quantity - a.quantity)
  const received = accepted + dropped + duplicates
  return { accepted, dropped, duplicates, neverSent, received, reasons }
}

export interface OutcomeSeries {
  readonly name: string
  readonly values: readonly number[]
  readonly color: number
}

/** One series for each outcome that occurs. */
export function dropSeries({ reasons }: Sums): readonly OutcomeSeries[] {
  return dropOutcomes.flatMap(({ outcome, color }) => {
    const rows = reasons.filter((row) => row.outcome === outcome)
    if (rows.length === 0) return []
    const values = (rows[0]?.values ?? []).map((_, index) =>
      rows.reduce((sum, row) => sum + (row.values[index] ?? 0), 0),
    )
    return [{ name: outcomeNames[outcome] ?? outcome, values, color }]
  })
}

/** What was accepted beside all that was dropped after it was received. */
export function receivedSeries(
  items: readonly OutcomeRow[],
  times: readonly string[],
): readonly OutcomeSeries[] {
  const places = new Map(times.map((time, index) => [time, index]))
  const sumOf = (matches: (outcome: string) => boolean) => {
    const values = new Array<number>(times.length).fill(0)
    for (const { at, outcome = '', quantity } of items) {
      const place = places.get(at ?? '')
      if (place !== undefined && matches(outcome)) values[place] = (values[place] ?? 0) + quantity
    }
    return values
  }
  const kept = new Set(['accepted', 'client_discard', 'duplicate'])
  return [
    { name: 'Accepted', values: sumOf((outcome) => outcome === 'accepted'), color: 1 },
    { name: 'Dropped', values: sumOf((outcome) => !kept.has(outcome)), color: 4 },
  ]
}

export const splits = ['component', 'sdk', 'key'] as const
export type SplitBy = (typeof splits)[number]
export const splitNames = { component: 'component', sdk: 'SDK', key: 'DSN key' } as const

/** The palette has six colors; the last one is of all others together. */
const splitSeriesMax = 6

/** One series for each value that has the most items, and one for the others. */
export function splitSeries(
  items: readonly OutcomeRow[],
  times: readonly string[],
  by: SplitBy,
  nameOf: (value: string) => string,
): readonly OutcomeSeries[] {
  const places = new Map(times.map((time, index) => [time, index]))
  const totals = new Map<string, number>()
  for (const row of items) {
    const value = row[by] ?? 'none'
    totals.set(value, (totals.get(value) ?? 0) + row.quantity)
  }
  const values = [...totals].sort((a, b) => b[1] - a[1]).map(([value]) => value)
  const own = values.slice(0, values.length > splitSeriesMax ? splitSeriesMax - 1 : splitSeriesMax)
  const names = own.map(nameOf)
  if (own.length < values.length) names.push('Others')
  const series = names.map((name, index) => ({
    name,
    values: new Array<number>(times.length).fill(0),
    color: index + 1,
  }))
  for (const row of items) {
    const place = places.get(row.at ?? '')
    const found = own.indexOf(row[by] ?? 'none')
    const target = series[found === -1 ? own.length : found]?.values
    if (place !== undefined && target !== undefined) {
      target[place] = (target[place] ?? 0) + row.quantity
    }
  }
  return series
}

/** The answer to "what was dropped, and why", in the first line of the page. */
export function answerWords(sums: Sums, range: string): string {
  const { received, dropped, reasons } = sums
  if (received === 0 && sums.neverSent === 0) return `Nothing was received in the last ${range}`
  const what = `${countOf(received, 'item')} received in the last ${range}`
  if (dropped === 0) return `${what}, and nothing was dropped.`
  const top = reasons.filter(
    ({ outcome }) => outcome !== 'duplicate' && outcome !== 'client_discard',
  )[0]
  const start = `${what}, ${formatNumber(dropped)} of them dropped (${formatShare(dropped / received)})`
  if (top === undefined) return `${start}.`
  const { title } = reasonWords(top.outcome, top.reason)
  const part = top.quantity * 2 > dropped ? 'Most of them' : 'The largest part'
  const most = top.quantity === dropped ? 'All of them' : `${part}, ${formatNumber(top.quantity)}`
  return `${start}. ${most}: ${lowerFirst(title)} (${categoriesWords(top)}).`
}

export function categoriesWords({ categories }: Pick<ReasonRow, 'categories'>): string {
  return categories.map(({ category }) => categoryNames[category] ?? category).join(', ')
}

/** `JSON` stays as it is. */
function lowerFirst(text: string): string {
  return /^[A-Z][a-z]/.test(text) ? text.slice(0, 1).toLowerCase() + text.slice(1) : text
}
