/**
 * Looks through JSON text before it is parsed. `JSON.parse` accepts a million levels, and the first
 * recursive function after it would overflow the stack, so the depth is checked here. The same pass
 * finds whether any text could need cleaning, so clean events are not traversed again, and the
 * frames of stack traces that are known from earlier events.
 */
import type { KnownFrames } from '../known-frames/known-frames.ts'
import type { SharedFrame } from '../known-frames/shared-frame.ts'

export interface JsonScan {
  readonly tooDeep: boolean
  readonly keyCount: number
  /**
   * Whether there is a `\u` escape (NUL and lone surrogates can only be sent that way) or a key
   * that names a prototype.
   */
  readonly needsCleaning: boolean
  /** Known frames, in the order of the text. */
  readonly cuts: readonly FrameCut[]
}

/** A known frame, which takes the bytes from `start` to `end`. */
export interface FrameCut {
  readonly start: number
  readonly end: number
  readonly frame: SharedFrame
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

export function scanJson(bytes: Buffer, depthMax: number, known?: KnownFrames): JsonScan {
  const scanner = new JsonScanner(bytes, depthMax, known)
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
  /** Undefined: no frame may be cut. */
  #cuts: FrameCut[] | undefined
  #frameEnd = 0
  /** Whether the latest text has a backslash. */
  #isEscaped = false

  constructor(bytes: Buffer, depthMax: number, known: KnownFrames | undefined) {
    this.#bytes = bytes
    this.#depthMax = depthMax
    this.#known = known
    this.#cuts = known === undefined ? undefined : []
  }

  get cuts(): readonly FrameCut[] {
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
        if (textEnd - textStart === 6 && this.#cuts !== undefined && depth <= pathLevels) {
          if (this.#isFramesOfStack(textStart, depth)) at = this.#cutFrames(at, depth)
        }
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
    return (
      end - start === text.length && this.#bytes.compare(text, 0, text.length, start, end) === 0
    )
  }

  /**
   * Takes known frames out of the list that follows. Each becomes a number, so if the list holds
   * anything but objects, nothing is cut from the event.
   *
   * @param start after the name of the list.
   * @returns where the scan goes on.
   */
  #cutFrames(start: number, depth: number): number {
    const bytes = this.#bytes
    let at = this.#skipSpace(start)
    if (bytes[at] !== colon) return start
    at = this.#skipSpace(at + 1)
    const keyCount = this.keyCount
    this.keyCount += 1
    if (bytes[at] === openList) {
      let before: SharedFrame | undefined
      do {
        at = this.#skipSpace(at + 1)
        // An empty list, or an error that `JSON.parse` finds.
        if (bytes[at] === closeList) return at + 1
        if (bytes[at] !== openObject) break
        const frame = this.#takeFrame(at, before, depth + 1)
        if (this.tooDeep) return bytes.length
        if (before !== undefined) before.next = frame
        before = frame
        at = this.#skipSpace(this.#frameEnd)
        if (bytes[at] === closeList) return at + 1
      } while (bytes[at] === comma)
    }
    this.#cutNothing()
    this.keyCount = keyCount
    return start
  }

  /** The frames that were cut are parsed with the rest of the event. */
  #cutNothing(): void {
    this.needsCleaning ||= needCleaning(this.cuts)
    this.#cuts = undefined
  }

  /** Cuts the frame that starts at `start` if it is known. Sets `#frameEnd`. */
  #takeFrame(
    start: number,
    before: SharedFrame | undefined,
    depth: number,
  ): SharedFrame | undefined {
    const expected = before?.next
    let frame: SharedFrame | undefined
    if (expected !== undefined && this.#startsWith(expected.bytes, start)) {
      frame = expected
      this.#frameEnd = start + frame.bytes.length
      this.keyCount += frame.scan.keyCount
      this.tooDeep = depth + frame.scan.depth > this.#depthMax
    } else {
      frame = this.#scanFrame(start, depth)
    }
    if (frame !== undefined) this.#cuts?.push({ start, end: this.#frameEnd, frame })
    return frame
  }

  #startsWith(frame: Buffer, start: number): boolean {
    const end = start + frame.length
    const bytes = this.#bytes
    // The last character before the brace differs often, and costs no call.
    if (end > bytes.length || bytes[end - 2] !== frame[frame.length - 2]) return false
    return bytes.compare(frame, 0, frame.length, start, end) === 0
  }

  /** Scans the frame like any other object, and looks it up unless it has variables. */
  #scanFrame(start: number, depth: number): SharedFrame | undefined {
    const bytes = this.#bytes
    const keyCount = this.keyCount
    const neededCleaning = this.needsCleaning
    this.needsCleaning = false
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
    this.#frameEnd = at
    this.tooDeep = depth + levelsMax > this.#depthMax
    const scan = {
      keyCount: this.keyCount - keyCount,
      depth: levelsMax,
      needsCleaning: this.needsCleaning,
    }
    // Variables differ in nearly every event.
    const frame =
      hasVariables || this.tooDeep ? undefined : this.#known?.find(bytes, start, at, scan)
    this.needsCleaning = neededCleaning || (frame === undefined && scan.needsCleaning)
    return frame
  }

  #skipSpace(start: number): number {
    let at = start
    while (isSpace(this.#bytes[at])) at += 1
    return at
  }
}

export function needCleaning(cuts: readonly FrameCut[]): boolean {
  return cuts.some(({ frame }) => frame.scan.needsCleaning)
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
}

const prototypeNames = ['__proto__', 'prototype', 'constructor'].map((name) => Buffer.from(name))

function namesPrototype(bytes: Uint8Array, start: number, length: number): boolean {
  for (const name of prototypeNames) {
    // The first character excludes nearly every text.
    if (bytes[start] !== name[0] || length !== name.length) continue
    if (name.every((byte, index) => bytes[start + index] === byte)) return true
  }
  return false
}
