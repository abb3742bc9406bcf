/**
 * The bytes of JSON text, with what a scan of them finds for the limits of the whole event. It
 * trusts nothing: text that is no JSON is scanned to its end, and `JSON.parse` refuses it.
 */

import { isAt } from '#platform/text/is-at.ts'

export const quote = 0x22
export const comma = 0x2c
export const colon = 0x3a
export const openList = 0x5b
export const closeList = 0x5d
export const openObject = 0x7b
export const closeObject = 0x7d
export const backslash = 0x5c
const characterU = 0x75

export class JsonBytes {
  readonly bytes: Buffer
  readonly depthMax: number
  tooDeep = false
  keyCount = 0
  /**
   * Whether there is a `\u` escape (NUL and lone surrogates can only be sent that way) or a key
   * that names a prototype.
   */
  needsCleaning = false
  /** Whether the latest text has a backslash. */
  isEscaped = false
  /** The index after the latest object that was scanned. */
  itemEnd = 0

  constructor(bytes: Buffer, depthMax: number) {
    this.bytes = bytes
    this.depthMax = depthMax
  }

  /** @returns the index after the closing quote. */
  endOfText(start: number): number {
    const bytes = this.bytes
    const end = bytes.length
    let at = start
    this.isEscaped = false
    while (at < end) {
      const inner = bytes[at]
      at += 1
      if (inner === quote) break
      if (inner === backslash) {
        this.isEscaped = true
        if (bytes[at] === characterU) this.needsCleaning = true
        at += 1
      }
    }
    const length = at - 1 - start
    if ((length === 9 || length === 11) && this.#namesPrototype(start, start + length)) {
      this.needsCleaning = true
    }
    return at
  }

  /**
   * Scans an object that is not searched for names. Sets `itemEnd`.
   *
   * @param depth the levels around it.
   */
  scanObject(start: number, depth: number): { levels: number; hasVariables: boolean } {
    const bytes = this.bytes
    let hasVariables = false
    let levels = 0
    let levelsMax = 0
    let at = start
    while (at < bytes.length) {
      const byte = bytes[at]!
      at += 1
      if (byte === quote) {
        const textStart = at
        at = this.endOfText(at)
        if (levels === 1 && this.holds(textStart, at - 1, 'vars')) hasVariables = true
      } else if (byte === colon) {
        this.keyCount += 1
      } else if (byte === openObject || byte === openList) {
        levels += 1
        if (levels > levelsMax) levelsMax = levels
      } else if (byte === closeObject || byte === closeList) {
        levels -= 1
        if (levels === 0) break
      }
    }
    this.itemEnd = at
    this.tooDeep = depth + levelsMax > this.depthMax
    return { levels: levelsMax, hasVariables }
  }

  /** The names of `isPrototypeKey`. */
  #namesPrototype(start: number, end: number): boolean {
    return (
      this.holds(start, end, '__proto__') ||
      this.holds(start, end, 'prototype') ||
      this.holds(start, end, 'constructor')
    )
  }

  /** Whether the text from `start` to `end` is the word. */
  holds(start: number, end: number, word: string): boolean {
    return end - start === word.length && isAt(this.bytes, start, word)
  }

  skipSpace(start: number): number {
    let at = start
    while (isSpace(this.bytes[at])) at += 1
    return at
  }
}

/** RFC 8259, section 2. */
function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09
}
