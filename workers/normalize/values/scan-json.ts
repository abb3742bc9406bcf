/**
 * Looks through JSON text before it is parsed. `JSON.parse` accepts a million levels, and the first
 * recursive function after it would overflow the stack, so the depth is checked here. The same pass
 * finds whether any text could need cleaning, so clean events are not traversed again, and the
 * parts that need not be parsed: frames of stack traces that are known from earlier events, and
 * plain data.
 */

import { extraBounds } from '../field-limits.ts'
import type { KnownFrames } from '../known-frames/known-frames.ts'
import { SharedFrame } from '../known-frames/shared-frame.ts'
import type { KnownModules } from '../plain-data/known-modules.ts'
import { PlainAttribute, type PlainCrumb } from '../plain-data/plain-data.ts'
import { PlainReader } from '../plain-data/plain-reader.ts'
import type { PlainRules } from '../plain-data/plain-rules.ts'

/** What may be cut; by default nothing is. */
export interface Cuttable {
  readonly knownFrames?: KnownFrames | undefined
  readonly plainRules?: PlainRules | undefined
  readonly knownModules?: KnownModules | undefined
}

export interface JsonScan {
  readonly tooDeep: boolean
  readonly keyCount: number
  /**
   * Whether there is a `\u` escape (NUL and lone surrogates can only be sent that way) or a key
   * that names a prototype.
   */
  readonly needsCleaning: boolean
  /** In the order of the text. */
  readonly cuts: readonly Cut[]
}

/** A part that need not be parsed, which takes the bytes from `start` to `end`. */
export interface Cut {
  readonly start: number
  readonly end: number
  readonly value: SharedFrame | PlainCrumb | PlainAttribute
}

const quote = 0x22
const comma = 0x2c
const colon = 0x3a
const openList = 0x5b
const backslash = 0x5c
const closeList = 0x5d
const characterU = 0x75
const openObject = 0x7b
const closeObject = 0x7d

export function scanJson(bytes: Buffer, depthMax: number, cuttable: Cuttable = {}): JsonScan {
  const scanner = new JsonScanner(bytes, depthMax, cuttable)
  scanner.run()
  return scanner
}

/** Levels whose names and kinds are kept: those of the deepest list of frames. */
const pathLevels = 6

class JsonScanner implements JsonScan {
  readonly #bytes: Buffer
  readonly #depthMax: number
  readonly #known: KnownFrames | undefined
  /** By depth: where the name of the object or list starts, and whether it is a list. */
  readonly #nameStarts = new Int32Array(pathLevels + 1)
  readonly #nameEnds = new Int32Array(pathLevels + 1)
  readonly #areLists = new Uint8Array(pathLevels + 1)
  tooDeep = false
  keyCount = 0
  needsCleaning = false
  readonly #plainRules: PlainRules | undefined
  readonly #knownModules: KnownModules | undefined
  #plainReader: PlainReader | undefined
  /** Bits of the attributes that were sent. */
  #attributes = 0
  /** Undefined: nothing may be cut. */
  #cuts: Cut[] | undefined = []
  #itemEnd = 0
  /** Whether the latest text has a backslash. */
  #isEscaped = false

  constructor(
    bytes: Buffer,
    depthMax: number,
    { knownFrames, plainRules, knownModules }: Cuttable,
  ) {
    this.#bytes = bytes
    this.#depthMax = depthMax
    this.#known = knownFrames
    this.#plainRules = plainRules
    this.#knownModules = knownModules
  }

  get cuts(): readonly Cut[] {
    return this.#cuts ?? []
  }

  run(): void {
    const bytes = this.#bytes
    const end = bytes.length
    let at = 0
    let depth = 0
    let textStart = 0
    let textEnd = 0
    while (at < end) {
      const byte = bytes[at]!
      at += 1
      if (byte === quote) {
        textStart = at
        at = this.#endOfText(at)
        textEnd = at - 1
        if (this.#cuts !== undefined && depth <= pathLevels)
          at = this.#cutAfter(textStart, at, depth)
      } else if (byte === colon) {
        this.keyCount += 1
        // With an escape, a name may be one that frames are put back under.
        if (this.#isEscaped) this.#cutNothing()
      } else if (byte === openObject || byte === openList) {
        depth += 1
        if (depth > this.#depthMax) {
          this.tooDeep = true
          return
        }
        if (depth <= pathLevels) {
          this.#nameStarts[depth] = textStart
          this.#nameEnds[depth] = textEnd
          this.#areLists[depth] = byte === openList ? 1 : 0
        }
      } else if (byte === closeObject || byte === closeList) {
        depth -= 1
      }
    }
  }

  /** @returns the index after the closing quote. */
  #endOfText(start: number): number {
    const bytes = this.#bytes
    const end = bytes.length
    let at = start
    this.#isEscaped = false
    while (at < end) {
      const inner = bytes[at]
      at += 1
      if (inner === quote) break
      if (inner === backslash) {
        this.#isEscaped = true
        if (bytes[at] === characterU) this.needsCleaning = true
        at += 1
      }
    }
    const length = at - 1 - start
    if ((length === 9 || length === 11) && namesPrototype(bytes, start, length)) {
      this.needsCleaning = true
    }
    return at
  }

  /**
   * Cuts what follows the text if it is the name of something that may be cut.
   *
   * @param at after the text.
   * @returns where the scan goes on.
   */
  #cutAfter(textStart: number, at: number, depth: number): number {
    const length = at - 1 - textStart
    if (length === 6 && this.#known !== undefined && this.#isFramesOfStack(textStart, depth))
      return this.#cutValue(at, (start) => this.#cutFrames(start, depth + 1))
    if (depth !== 1 || this.#areLists[1] === 1) return at
    if (
      length === 7 &&
      this.#knownModules !== undefined &&
      this.#holds(textStart, at - 1, names.modules)
    )
      return this.#cutValue(at, (start) => this.#cutModules(start))
    if (this.#plainRules === undefined) return at
    if (length === 5 && this.#holds(textStart, at - 1, names.extra))
      return this.#cutValue(at, (start) => this.#cutExtra(start))
    if (length === 11 && this.#holds(textStart, at - 1, names.breadcrumbs))
      return this.#cutValue(at, (start) => this.#cutCrumbs(start))
    return at
  }

  /** @param cut returns the index after the value, or undefined to scan it like any other. */
  #cutValue(nameEnd: number, cut: (start: number) => number | undefined): number {
    const colonAt = this.#skipSpace(nameEnd)
    if (this.#bytes[colonAt] !== colon) return nameEnd
    const { keyCount } = this
    this.keyCount += 1
    const end = cut(this.#skipSpace(colonAt + 1))
    if (end !== undefined) return end
    this.keyCount = keyCount
    return nameEnd
  }
  /**
   * Whether the text is the name `frames` in one of the stack traces in which `putBackFrames` takes
   * numbers for known frames. Both must agree, or a client's number would be taken for a frame.
   */
  #isFramesOfStack(textStart: number, depth: number): boolean {
    if (!this.#holds(textStart, textStart + 6, names.frames)) return false
    if (!this.#isObject(depth, names.stacktrace) || this.#areLists[1] === 1) return false
    if (depth === 2) return true
    // The object before is one of a list, which has a name or is the `values` of one that has.
    if (this.#areLists[depth - 1] === 1 || this.#areLists[depth - 2] !== 1) return false
    const isInValues = depth === 5 && this.#isNamed(3, names.values) && this.#areLists[2] === 0
    if (depth !== 4 && !isInValues) return false
    return this.#isNamed(2, names.exception) || this.#isNamed(2, names.threads)
  }

  #isObject(depth: number, name: Buffer): boolean {
    return (
      this.#areLists[depth] === 0 && this.#areLists[depth - 1] === 0 && this.#isNamed(depth, name)
    )
  }

  #isNamed(depth: number, name: Buffer): boolean {
    return this.#holds(this.#nameStarts[depth]!, this.#nameEnds[depth]!, name)
  }

  #holds(start: number, end: number, text: Buffer): boolean {
    const { length } = text
    if (end - start !== length) return false
    // Faster than a call for so few bytes.
    for (let at = 0; at < length; at += 1) if (this.#bytes[start + at] !== text[at]) return false
    return true
  }

  /**
   * Takes known frames out of a list. Each becomes a number, so if the list holds anything but
   * objects, nothing is cut from the event.
   */
  #cutFrames(start: number, depth: number): number | undefined {
    let before: SharedFrame | undefined
    return this.#cutItems(start, (at) => {
      const frame = this.#takeFrame(at, before, depth)
      if (before !== undefined) before.next = frame
      before = frame
    })
  }

  #cutCrumbs(start: number): number | undefined {
    if (!this.#isFirst(1)) return undefined
    const hasValues = this.#holds(start, start + valuesHead.length, valuesHead)
    if (hasValues && !this.#plain().isPlainName(start + 1)) return undefined
    const list = hasValues ? start + valuesHead.length : start
    const depth = hasValues ? 3 : 2
    const end = this.#cutItems(list, (at) => this.#takeCrumb(at, depth))
    if (!hasValues || end === undefined) return end
    this.keyCount += 1
    if (this.#bytes[end] === closeObject) return end + 1
    this.#cutNothing()
    return undefined
  }

  #cutExtra(start: number): number | undefined {
    const reader = this.#plain()
    if (!this.#isFirst(0) || !reader.object(start, extraBounds)) return undefined
    this.#cut(start, reader.end, new PlainAttribute('extra', reader.text(start, reader.end)))
    this.keyCount += reader.keyCount
    return reader.end
  }

  #cutModules(start: number): number | undefined {
    if (!this.#isFirst(2) || this.#bytes[start] !== openObject) return undefined
    const { keyCount, needsCleaning } = this
    this.needsCleaning = false
    this.#scanObject(start, 1)
    const end = this.#itemEnd
    const sent = { bytes: this.#bytes, start, end, needsCleaning: this.needsCleaning }
    const stored = this.tooDeep ? undefined : this.#knownModules?.find(sent)
    if (stored !== undefined) this.#cut(start, end, stored)
    else this.keyCount = keyCount
    this.needsCleaning = needsCleaning || sent.needsCleaning
    return stored === undefined ? undefined : end
  }

  /** @returns the index after the list; undefined if it holds anything but objects. */
  #cutItems(list: number, takeItem: (start: number) => void): number | undefined {
    const bytes = this.#bytes
    let at = list
    if (bytes[at] === openList) {
      do {
        at = this.#skipSpace(at + 1)
        // An empty list, or an error that `JSON.parse` finds.
        if (bytes[at] === closeList) return at + 1
        if (bytes[at] !== openObject) break
        takeItem(at)
        if (this.tooDeep) return bytes.length
        at = this.#skipSpace(this.#itemEnd)
        if (bytes[at] === closeList) return at + 1
      } while (bytes[at] === comma)
    }
    this.#cutNothing()
    return undefined
  }

  /** What was cut is parsed with the rest of the event. */
  #cutNothing(): void {
    this.needsCleaning ||= needCleaning(this.cuts)
    this.#cuts = undefined
  }

  #cut(start: number, end: number, value: Cut['value']): void {
    this.#cuts?.push({ start, end, value })
  }

  /** Cuts the breadcrumb that starts at `start` if it is plain. Sets `#itemEnd`. */
  #takeCrumb(start: number, depth: number): void {
    const reader = this.#plain()
    const crumb = reader.crumb(start)
    if (crumb === undefined) {
      this.#scanObject(start, depth)
      return
    }
    this.#itemEnd = reader.end
    this.keyCount += reader.keyCount
    this.#cut(start, reader.end, crumb)
  }

  /** Cuts the frame that starts at `start` if it is known. Sets `#itemEnd`. */
  #takeFrame(
    start: number,
    before: SharedFrame | undefined,
    depth: number,
  ): SharedFrame | undefined {
    const expected = before?.next
    let frame: SharedFrame | undefined
    if (expected !== undefined && this.#startsWith(expected.bytes, start)) {
      frame = expected
      this.#itemEnd = start + frame.bytes.length
      this.keyCount += frame.scan.keyCount
      this.tooDeep = depth + frame.scan.depth > this.#depthMax
    } else {
      frame = this.#scanFrame(start, depth)
    }
    if (frame !== undefined) this.#cut(start, this.#itemEnd, frame)
    return frame
  }

  #startsWith(frame: Buffer, start: number): boolean {
    const end = start + frame.length
    const bytes = this.#bytes
    // The last character before the brace differs often, and costs no call.
    if (end > bytes.length || bytes[end - 2] !== frame[frame.length - 2]) return false
    return bytes.compare(frame, 0, frame.length, start, end) === 0
  }

  /** Scans the frame, and looks it up unless it has variables. */
  #scanFrame(start: number, depth: number): SharedFrame | undefined {
    const { keyCount, needsCleaning } = this
    this.needsCleaning = false
    const { levels, hasVariables } = this.#scanObject(start, depth)
    const scan = {
      keyCount: this.keyCount - keyCount,
      depth: levels,
      needsCleaning: this.needsCleaning,
    }
    // Variables differ in nearly every event.
    const frame =
      hasVariables || this.tooDeep
        ? undefined
        : this.#known?.find(this.#bytes, start, this.#itemEnd, scan)
    this.needsCleaning = needsCleaning || (frame === undefined && scan.needsCleaning)
    return frame
  }

  /** Scans an object of a list like any other. Sets `#itemEnd`. */
  #scanObject(start: number, depth: number): { levels: number; hasVariables: boolean } {
    const bytes = this.#bytes
    let hasVariables = false
    let levels = 0
    let levelsMax = 0
    let at = start
    while (at < bytes.length) {
      const byte = bytes[at]!
      at += 1
      if (byte === quote) {
        const textStart = at
        at = this.#endOfText(at)
        if (levels === 1 && this.#holds(textStart, at - 1, names.vars)) hasVariables = true
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
    this.#itemEnd = at
    this.tooDeep = depth + levelsMax > this.#depthMax
    return { levels: levelsMax, hasVariables }
  }

  #plain(): PlainReader {
    this.#plainReader ??= new PlainReader(this.#bytes, this.#plainRules!)
    return this.#plainReader
  }

  /** If an attribute is sent twice, nothing is cut from the event, and `JSON.parse` decides. */
  #isFirst(attribute: number): boolean {
    const bit = 1 << attribute
    const isFirst = (this.#attributes & bit) === 0
    this.#attributes |= bit
    if (!isFirst) this.#cutNothing()
    return isFirst
  }

  #skipSpace(start: number): number {
    let at = start
    while (isSpace(this.#bytes[at])) at += 1
    return at
  }
}

export function needCleaning(cuts: readonly Cut[]): boolean {
  return cuts.some(({ value }) => value instanceof SharedFrame && value.scan.needsCleaning)
}

/** RFC 8259, section 2. */
function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09
}

const names = {
  frames: Buffer.from('frames'),
  stacktrace: Buffer.from('stacktrace'),
  exception: Buffer.from('exception'),
  threads: Buffer.from('threads'),
  values: Buffer.from('values'),
  vars: Buffer.from('vars'),
  extra: Buffer.from('extra'),
  modules: Buffer.from('modules'),
  breadcrumbs: Buffer.from('breadcrumbs'),
}
const valuesHead = Buffer.from('{"values":')

const prototypeNames = ['__proto__', 'prototype', 'constructor'].map((name) => Buffer.from(name))

function namesPrototype(bytes: Uint8Array, start: number, length: number): boolean {
  for (const name of prototypeNames) {
    // The first character excludes nearly every text.
    if (bytes[start] !== name[0] || length !== name.length) continue
    if (name.every((byte, index) => bytes[start + index] === byte)) return true
  }
  return false
}
