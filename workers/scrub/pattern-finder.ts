/**
 * Finds what a person's pattern (`#platform/text-pattern.ts`) matches. All places of the pattern are followed at once, as bits of
 * one number, so that a text without a match is read once at the cost of a few operations a character. Where there
 * is one, a second walk remembers for each place where its match began. Neither ever goes back in the text.
 */
import { type PatternStep, parseTextPattern } from '#platform/text-pattern.ts'
import type { Span } from './spans.ts'

/** What the second walks over the texts of one event may still cost, in characters times steps. */
export interface PatternBudget {
  stepsLeft: number
}

/** Less than a second: many times what honest patterns take for the largest event. */
export const patternStepsPerEventMax = 20_000_000

/** Bits of one number, less the one behind the last step. */
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
    // Settings are checked when they are saved; one that is stored and no pattern any more finds nothing.
    this.#steps = parsed.kind === 'pattern' ? parsed.steps.map(withTable) : []
    this.#quickSteps = this.#steps.slice(0, quickStepsMax)
    for (const [index, step] of this.#quickSteps.entries()) {
      if (step.isOptional) this.#optional |= 1 << index
      if (step.repeats) this.#repeating |= 1 << index
    }
    for (let unit = 0; unit < tableUnits; unit += 1) this.#table[unit] = this.#stepsFor(unit)
  }

  /**
   * Every part that some match covers, in order and without overlap. A text whose walk would cost more than is left of the
   * budget is covered as a whole.
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

  /** Adds the places that are reached without a character. */
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
  /** Of each unit of Latin 1 whether the step takes it. */
  readonly latin: Uint8Array
}

function withTable(step: PatternStep): TabledStep {
  const latin = new Uint8Array(tableUnits)
  for (let unit = 0; unit < tableUnits; unit += 1) latin[unit] = step.takes(unit) ? 1 : 0
  return { ...step, latin }
}

const nowhere = -1

/** For each place of the pattern the earliest beginning of a match that has come so far. */
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
    // A place that was reached earlier stays so; a new match may begin at every character all the same.
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
