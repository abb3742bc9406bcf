/**
 * Finds what a user-defined pattern (`#platform/text/text-pattern.ts`) matches. All positions of
 * the pattern are tracked at once as bits of one number, so a text without a match is read once
 * with a few operations per character. When there is a match, a second pass tracks where it began.
 * Neither pass goes back in the text.
 */
import { type PatternStep, parseTextPattern } from '#platform/text/text-pattern.ts'
import type { Span } from './spans.ts'

/** Budget of the second passes over the texts of one event, in characters times steps. */
export interface PatternBudget {
  stepsLeft: number
}

/**
 * Less than a second of CPU time, and many times what usual patterns need for the largest event.
 */
export const patternStepsPerEventMax = 20_000_000

/** Bits of one number, minus the one for the end of the pattern. */
const quickStepsMax = 30
const tableUnits = 256

export class PatternFinder {
  readonly #steps: readonly TabledStep[]
  /** For each UTF-16 unit of Latin 1, the steps among the first that take it. */
  readonly #table = new Int32Array(tableUnits)
  readonly #otherUnits = new Map<number, number>()
  readonly #quickSteps: readonly TabledStep[]
  #optional = 0
  #repeating = 0

  constructor(pattern: string) {
    const parsed = parseTextPattern(pattern)
    // Settings are validated when they are saved. A stored pattern that is no longer valid finds
    // nothing.
    this.#steps = parsed.kind === 'pattern' ? parsed.steps.map(withTable) : []
    this.#quickSteps = this.#steps.slice(0, quickStepsMax)
    for (const [index, step] of this.#quickSteps.entries()) {
      if (step.isOptional) this.#optional |= 1 << index
      if (step.repeats) this.#repeating |= 1 << index
    }
    for (let unit = 0; unit < tableUnits; unit += 1) this.#table[unit] = this.#stepsFor(unit)
  }

  /**
   * Returns every part that some match covers, in order and without overlap. A text that exceeds
   * the remaining budget is covered as a whole.
   */
  find(text: string, budget: PatternBudget): readonly Span[] {
    if (this.#steps.length === 0 || !this.#mayMatch(text)) return []
    budget.stepsLeft -= this.#steps.length * text.length
    if (budget.stepsLeft < 0) return [{ start: 0, end: text.length }]
    return findSpans(this.#steps, text)
  }

  #mayMatch(text: string): boolean {
    const end = 1 << this.#quickSteps.length
    const start = this.#withSkipped(1)
    let places = start
    for (let index = 0; index < text.length; index += 1) {
      const unit = text.charCodeAt(index)
      const taken = places & (unit < tableUnits ? this.#table[unit]! : this.#otherFor(unit))
      places = start
      if (taken === 0) continue
      places |= this.#withSkipped((taken << 1) | (taken & this.#repeating))
      if ((places & end) !== 0) return true
    }
    return false
  }

  /** Adds the positions that are reached by skipping optional steps. */
  #withSkipped(places: number): number {
    let all = places
    while (true) {
      const more = all | ((all & this.#optional) << 1)
      if (more === all) return all
      all = more
    }
  }

  #otherFor(unit: number): number {
    const known = this.#otherUnits.get(unit)
    if (known !== undefined) return known
    const steps = this.#stepsFor(unit)
    this.#otherUnits.set(unit, steps)
    return steps
  }

  #stepsFor(unit: number): number {
    let bits = 0
    for (const [index, step] of this.#quickSteps.entries()) {
      if (unit < tableUnits ? step.latin[unit] === 1 : step.takes(unit)) bits |= 1 << index
    }
    return bits
  }
}

interface TabledStep extends PatternStep {
  /** 1 for each UTF-16 unit of Latin 1 that the step matches. */
  readonly latin: Uint8Array
}

function withTable(step: PatternStep): TabledStep {
  const latin = new Uint8Array(tableUnits)
  for (let unit = 0; unit < tableUnits; unit += 1) latin[unit] = step.takes(unit) ? 1 : 0
  return { ...step, latin }
}

const nowhere = -1

/** Tracks for each position of the pattern the earliest start of a match that has reached it. */
function findSpans(steps: readonly TabledStep[], text: string): readonly Span[] {
  const spans: Span[] = []
  let begins = new Int32Array(steps.length + 1).fill(nowhere)
  let next = new Int32Array(steps.length + 1)
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index)
    if (begins[0] === nowhere) begins[0] = index
    next.fill(nowhere)
    for (let place = 0; place < steps.length; place += 1) {
      const begin = begins[place]!
      if (begin === nowhere) continue
      const step = steps[place]!
      if (step.isOptional) keepEarlier(begins, place + 1, begin)
      if (unit < tableUnits ? step.latin[unit] === 0 : !step.takes(unit)) continue
      keepEarlier(next, place + 1, begin)
      if (step.repeats) keepEarlier(next, place, begin)
    }
    for (let place = 0; place < steps.length; place += 1) {
      if (steps[place]!.isOptional && next[place] !== nowhere)
        keepEarlier(next, place + 1, next[place]!)
    }
    const begin = next[steps.length]!
    if (begin !== nowhere) addSpan(spans, begin, index + 1)
    ;[begins, next] = [next, begins]
    // Only the end position is cleared; a new match may start at every character.
    begins[steps.length] = nowhere
  }
  return spans
}

function keepEarlier(begins: Int32Array, place: number, begin: number): void {
  const known = begins[place]!
  if (known === nowhere || begin < known) begins[place] = begin
}

function addSpan(spans: Span[], start: number, end: number): void {
  let from = start
  while (spans.length > 0 && from <= spans.at(-1)!.end) from = Math.min(from, spans.pop()!.start)
  spans.push({ start: from, end })
}
