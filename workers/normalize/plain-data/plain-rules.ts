/**
 * What scrubbing and normalising say about the names and texts of plain data: none is removed,
 * changed or read. Names repeat between events, so what is said about them is kept.
 */
import type { Scrubber } from '#platform/scrub/scrubber.ts'
import { isAt } from '#platform/text/is-at.ts'
import { isPrototypeKey } from '../values/clean-json.ts'

/** The fields of a breadcrumb, in the order in which they are stored. */
export const crumbFields = [
  'timestamp',
  'type',
  'level',
  'category',
  'message',
  'data',
  'event_id',
  'origin',
] as const

export interface PlainName {
  readonly text: string
  readonly hash: number
  /** Whether a value under this name is stored as it was sent, if it is plain itself. */
  readonly isPlain: boolean
  /** Index in `crumbFields`, or -1. */
  readonly crumbField: number
}

/** A power of two. A name takes the place of another one with the same last bits of its hash. */
const keptNames = 1024
/** Scrubbing reads an object with one of these names as a frame. */
const frameNames: ReadonlySet<string> = new Set([
  'function',
  'filename',
  'instruction_addr',
  'abs_path',
])

export class PlainRules {
  readonly #scrubber: Scrubber
  readonly #names: (PlainName | undefined)[] = new Array(keptNames).fill(undefined)
  /** Whether every text must be searched, because addresses are removed, too. */
  readonly searchesAll: boolean

  /** @param scrubber has no patterns, because these have a budget for the whole event. */
  constructor(scrubber: Scrubber) {
    this.#scrubber = scrubber
    this.searchesAll = scrubber.removesAddresses
  }

  /**
   * The name from `start` to `end`, of printable ASCII.
   * @param hash of these characters; equal for equal names.
   */
  nameAt(bytes: Buffer, start: number, end: number, hash: number): PlainName {
    const slot = hash & (keptNames - 1)
    const kept = this.#names[slot]
    if (kept?.hash === hash && kept.text.length === end - start && isAt(bytes, start, kept.text))
      return kept
    const name = this.#read(bytes.toString('latin1', start, end), hash)
    this.#names[slot] = name
    return name
  }

  /** Whether scrubbing leaves the text as it is. */
  isHarmless(text: string): boolean {
    return this.#scrubber.scrubText(text) === text
  }

  #read(text: string, hash: number): PlainName {
    // JSON.parse puts names that are indexes before the others.
    const isIndex = /^\d/.test(text)
    const isPlain =
      !isIndex &&
      !isPrototypeKey(text) &&
      !frameNames.has(text) &&
      this.#scrubber.meaningOf(text) === 'none'
    return { text, hash, isPlain, crumbField: (crumbFields as readonly string[]).indexOf(text) }
  }
}
