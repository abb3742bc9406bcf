/**
 * Metrics as code sees them: a sample needs every label of its definition, and a metric without
 * labels accepts none.
 */
type Labels<Label extends string> = Readonly<Record<Label, string | number>>

interface Readable<Label extends string> {
  get(): Promise<{ values: { labels: Partial<Labels<Label>>; value: number }[] }>
  /** Removes all samples; a metric without labels returns to 0. */
  reset(): void
}

export interface PlainCounter extends Readable<never> {
  inc(value?: number): void
}

export interface LabelledCounter<Label extends string> extends Readable<Label> {
  inc(labels: Labels<Label>, value?: number): void
}

export interface PlainGauge extends Readable<never> {
  set(value: number): void
}

export interface LabelledGauge<Label extends string> extends Readable<Label> {
  set(labels: Labels<Label>, value: number): void
  remove(labels: Labels<Label>): void
}

export interface PlainHistogram extends Readable<never> {
  observe(value: number): void
}

export interface LabelledHistogram<Label extends string> extends Readable<Label> {
  observe(labels: Labels<Label>, value: number): void
}

export type CounterOf<Label extends string> = [Label] extends [never]
  ? PlainCounter
  : LabelledCounter<Label>
export type GaugeOf<Label extends string> = [Label] extends [never]
  ? PlainGauge
  : LabelledGauge<Label>
export type HistogramOf<Label extends string> = [Label] extends [never]
  ? PlainHistogram
  : LabelledHistogram<Label>
