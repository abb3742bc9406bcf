/**
 * Data for an explanation in addition to the hashed pieces. Grouping runs without a trace for
 * nearly every event; to explain, it runs a second time with one, so the explanation matches what
 * was hashed.
 */
export type TracedVariant = 'app' | 'system' | 'all'

export interface Trace {
  readonly skipped: {
    readonly variant: TracedVariant
    readonly what: string
    readonly why: string
  }[]
  readonly notes: Set<string>
  readonly rules: Set<string>
  readonly replaced: Map<string, number>
  libraryFrameCount: number
  foldedFrameCount: number
  messageIgnored: boolean
}

const skippedMax = 200
const rulesMax = 20

export function newTrace(): Trace {
  return {
    skipped: [],
    notes: new Set(),
    rules: new Set(),
    replaced: new Map(),
    libraryFrameCount: 0,
    foldedFrameCount: 0,
    messageIgnored: false,
  }
}

export function traceSkip(trace: Trace, variant: TracedVariant, what: string, why: string): void {
  if (trace.skipped.length < skippedMax) trace.skipped.push({ variant, what, why })
}

export function traceRule(trace: Trace, rule: string): void {
  if (trace.rules.size < rulesMax) trace.rules.add(rule)
}
