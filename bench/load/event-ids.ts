/**
 * Event ids of one run: the 16 hex digits of the run, and 16 that encode a counter. They are mixed
 * so that ids look random to indexes and hash tables, and can be converted back to the counter when
 * stored rows are compared with answers.
 */
import assert from 'node:assert'

export const runIdDigits = 16
export const counterDigits = 16
export const eventIdDigits = runIdDigits + counterDigits

/** Counters have 32 bits, which is more than the events of any run. */
export const counterMax = 0xffff_ffff

const factor = 0x9e37_79b1
const factorInverse = inverseOf(factor)

/** First half of the encoded counter. */
export function firstWord(counter: number): number {
  return Math.imul(counter ^ (counter >>> 16), factor) >>> 0
}

/** Second half of the encoded counter, mixed differently to detect damaged ids. */
export function secondWord(counter: number): number {
  return Math.imul(counter ^ 0x5bd1_e995, 0x85eb_ca6b) >>> 0
}

export function eventIdOf(runId: string, counter: number): string {
  assert(runId.length === runIdDigits)
  assert(0 <= counter && counter <= counterMax)
  return runId + hexWord(firstWord(counter)) + hexWord(secondWord(counter))
}

/** The counter of an id of this run; undefined for every other id. */
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

/** Newton's iteration doubles the number of correct bits with each step, from 3 to more than 32. */
function inverseOf(odd: number): number {
  let inverse = odd
  for (let step = 0; step < 5; step += 1) {
    inverse = Math.imul(inverse, 2 - Math.imul(odd, inverse))
  }
  return inverse >>> 0
}
