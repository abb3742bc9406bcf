/** Values and rates of metrics, of one process or of several together. */
import { printable } from '../text/printable.ts'
import type { Metrics, Sample } from './prometheus-text.ts'
import type { Scrape } from './scrape.ts'
import { SeriesHistory } from './series-history.ts'

/** A scrape with the counters of the same process before it. */
export interface Observed extends Scrape {
  readonly history: SeriesHistory
}

const counters = [
  'process_cpu_seconds_total',
  'ingest_replies_total',
  'ingest_frames_acknowledged_total',
  'ingest_log_errors_total',
  'ingest_frames_forgotten_total',
  'workers_events_digested_total',
  'workers_items_dropped_total',
  'mail_letters_total',
  'api_request_duration_seconds_count',
] as const
type Counter = (typeof counters)[number]

/** Short enough to follow what happens now, and long enough to be steady. */
export const rateMs = 10_000
export const minuteMs = 60_000
const labelCharactersMax = 80

export function newHistory(): SeriesHistory {
  return new SeriesHistory(counters)
}

/** NaN means that a process does not know the value. */
export function numbers(
  { metrics }: { readonly metrics: Metrics | undefined },
  name: string,
): Sample[] {
  return (metrics?.get(name) ?? []).filter(({ value }) => Number.isFinite(value))
}

export function first(one: Observed, name: string): number | null {
  return numbers(one, name)[0]?.value ?? null
}

export function has(all: readonly Observed[], name: string): boolean {
  return all.some((one) => numbers(one, name).length > 0)
}

export function sum(all: readonly Observed[], name: string): number {
  return all.flatMap((one) => numbers(one, name)).reduce((total, { value }) => total + value, 0)
}

export function largest(all: readonly Observed[], name: string): number | null {
  return all
    .flatMap((one) => numbers(one, name))
    .reduce<number | null>((most, { value }) => Math.max(most ?? value, value), null)
}

export function byLabel(one: Observed, name: string, label: string): Record<string, number> {
  return largestBy([one], name, label)
}

export function largestBy(
  all: readonly Observed[],
  name: string,
  label: string,
): Record<string, number> {
  const found = new Map<string, number>()
  for (const { labels, value } of all.flatMap((one) => numbers(one, name))) {
    const key = labelOf(labels, label)
    found.set(key, Math.max(found.get(key) ?? value, value))
  }
  return Object.fromEntries(found)
}

export function labelOf(labels: ReadonlyMap<string, string>, name: string): string {
  return printable(labels.get(name) ?? '', labelCharactersMax)
}

export function textOf(text: string | undefined): string | null {
  return text === undefined ? null : printable(text, labelCharactersMax)
}

export function ratesOf(all: readonly Observed[], name: Counter, windowMs: number) {
  return all.flatMap(({ history }) => history.rates(name, windowMs))
}

/** Whether a process was scraped twice. A counter with labels may have no series yet. */
export function hasRates(all: readonly Observed[]): boolean {
  return all.some(({ history }) => history.rates('process_cpu_seconds_total', rateMs).length > 0)
}

/** Null before the second scrape, or if no process has the counter. */
export function rateOf(all: readonly Observed[], name: Counter, windowMs: number): number | null {
  const found = ratesOf(all, name, windowMs)
  if (found.length === 0) return null
  return found.reduce((total, { perSecond }) => total + perSecond, 0)
}
