/**
 * The event ids of one run. An id is the run's 16 hex digits and 16 more that stand for a counter,
 * mixed so that ids look random to indexes and hash tables, and can still be turned back into the
 * counter when the stored rows are compared with the answers.
 */
import assert from 'node:assert'

export const runIdDigits = 16
export const counterDigits = 16
export const eventIdDigits = runIdDigits + counterDigits

/** Counters are 32 bit: more events than any run sends. */
export const counterMax = 0xffff_ffff

const factor = 0x9e37_79b1
const factorInverse = inverseOf(factor)

/** First half of what stands for the counter. */
export function firstWord(counter: number): number {
  return Math.imul(counter ^ (counter >>> 16), factor) >>> 0
}

/** Second half: another mix, so that a damaged id is noticed. */
export function secondWord(counter: number): number {
  return Math.imul(counter ^ 0x5bd1_e995, 0x85eb_ca6b) >>> 0
}

export function eventIdOf(runId: string, counter: number): string {
  assert(runId.length === runIdDigits)
  assert(0 <= counter && counter <= counterMax)
  return runId + hexWord(firstWord(counter)) + hexWord(secondWord(counter))
}

/** The counter behind an id of this run; undefined for every other id. */
export function counterOf(runId: string, eventId: string): number | undefined {
  if (eventId.length !== eventIdDigits || !eventId.startsWith(runId)) return undefined
  const word = Number.parseInt(eventId.slice(runIdDigits, runIdDigits + 8), 16)
  const mixed = Math.imul(word, factorInverse) >>> 0
  const counter = (mixed ^ (mixed >>> 16)) >>> 0
  return eventIdOf(runId, counter) === eventId ? counter : undefined
}

function hexWord(word: number): string {
  return word.toString(16).padStart(8, '0')
}

/** Newton's iteration doubles the right bits with each step, from 3 to over 32. */
function inverseOf(odd: number): number {
  let inverse = odd
  for (let step = 0; step < 5; step += 1) {
    inverse = Math.imul(inverse, 2 - Math.imul(odd, inverse))
  }
  return inverse >>> 0
}
