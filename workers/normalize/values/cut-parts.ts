/**
 * Cuts parts out of an event's text that need not be parsed: frames of stack traces that are known
 * from earlier events, lists of modules that are, and plain data. The scan of the text calls it
 * after each text that may be the name of such a part.
 */
import { extraBounds } from '../field-limits.ts'
import type { KnownFrames } from '../known-frames/known-frames.ts'
import { SharedFrame } from '../known-frames/shared-frame.ts'
import type { KnownModules } from '../plain-data/known-modules.ts'
import { PlainAttribute, type PlainCrumb } from '../plain-data/plain-data.ts'
import { PlainReader } from '../plain-data/plain-reader.ts'
import type { PlainRules } from '../plain-data/plain-rules.ts'
import {
  closeList,
  closeObject,
  colon,
  comma,
  type JsonBytes,
  openList,
  openObject,
} from './json-bytes.ts'

/** What may be cut; by default nothing is. */
export interface Cuttable {
  readonly knownFrames?: KnownFrames | undefined
  readonly plainRules?: PlainRules | undefined
  readonly knownModules?: KnownModules | undefined
}

/** A part that need not be parsed, which takes the bytes from `start` to `end`. */
export interface Cut {
  readonly start: number
  readonly end: number
  readonly value: SharedFrame | PlainCrumb | PlainAttribute
}

/** The objects and lists around a place in the text. */
export interface JsonPath {
  /** By depth: where the name of the object or list starts and ends, and whether it is a list. */
  readonly nameStarts: Int32Array
  readonly nameEnds: Int32Array
  readonly areLists: Uint8Array
}

/** Levels whose names and kinds must be known: those of the deepest list of frames. */
export const pathLevels = 6

/** The attributes of an event that are cut; each has a bit. */
const extraBit = 1
const breadcrumbsBit = 2
const modulesBit = 4

export class PartCutter {
  readonly #json: JsonBytes
  readonly #path: JsonPath
  readonly #known: KnownFrames | undefined
  readonly #plainRules: PlainRules | undefined
  readonly #knownModules: KnownModules | undefined
  #plainReader: PlainReader | undefined
  /** Bits of the attributes that were sent. */
  #attributes = 0
  /** In the order of the text; undefined: nothing may be cut. */
  #cuts: Cut[] | undefined = []

  constructor(json: JsonBytes, path: JsonPath, cuttable: Cuttable) {
    this.#json = json
    this.#path = path
    this.#known = cuttable.knownFrames
    this.#plainRules = cuttable.plainRules
    this.#knownModules = cuttable.knownModules
  }

  get cuts(): readonly Cut[] {
    return this.#cuts ?? []
  }

  /**
   * Cuts what follows the text if it is the name of something that may be cut.
   *
   * @param at after the text.
   * @returns where the scan goes on.
   */
  cutAfter(textStart: number, at: number, depth: number): number {
    if (this.#cuts === undefined || depth > pathLevels) return at
    const length = at - 1 - textStart
    if (length === 6 && this.#known !== undefined && this.#isFramesOfStack(textStart, depth))
      return this.#cutValue(at, (start) => this.#cutFrames(start, depth + 1))
    if (depth !== 1 || this.#path.areLists[1] === 1) return at
    if (
      length === 7 &&
      this.#knownModules !== undefined &&
      this.#json.holds(textStart, at - 1, 'modules')
    )
      return this.#cutValue(at, (start) => this.#cutModules(start))
    if (this.#plainRules === undefined) return at
    if (length === 5 && this.#json.holds(textStart, at - 1, 'extra'))
      return this.#cutValue(at, (start) => this.#cutExtra(start))
    if (length === 11 && this.#json.holds(textStart, at - 1, 'breadcrumbs'))
      return this.#cutValue(at, (start) => this.#cutCrumbs(start))
    return at
  }

  /** @param cut returns the index after the value, or undefined to scan it like any other. */
  #cutValue(nameEnd: number, cut: (start: number) => number | undefined): number {
    const colonAt = this.#json.skipSpace(nameEnd)
    if (this.#json.bytes[colonAt] !== colon) return nameEnd
    const { keyCount } = this.#json
    this.#json.keyCount += 1
    const end = cut(this.#json.skipSpace(colonAt + 1))
    if (end !== undefined) return end
    this.#json.keyCount = keyCount
    return nameEnd
  }

  /**
   * Whether the text is the name `frames` in one of the stack traces in which `putBackFrames` takes
   * numbers for known frames. Both must agree, or a client's number would be taken for a frame.
   */
  #isFramesOfStack(textStart: number, depth: number): boolean {
    if (!this.#json.holds(textStart, textStart + 6, 'frames')) return false
    if (!this.#isObject(depth, 'stacktrace') || this.#path.areLists[1] === 1) return false
    if (depth === 2) return true
    // The object before is one of a list, which has a name or is the `values` of one that has.
    if (this.#path.areLists[depth - 1] === 1 || this.#path.areLists[depth - 2] !== 1) return false
    const isInValues = depth === 5 && this.#isNamed(3, 'values') && this.#path.areLists[2] === 0
    if (depth !== 4 && !isInValues) return false
    return this.#isNamed(2, 'exception') || this.#isNamed(2, 'threads')
  }

  #isObject(depth: number, name: string): boolean {
    return (
      this.#path.areLists[depth] === 0 &&
      this.#path.areLists[depth - 1] === 0 &&
      this.#isNamed(depth, name)
    )
  }

  #isNamed(depth: number, name: string): boolean {
    return this.#json.holds(this.#path.nameStarts[depth]!, this.#path.nameEnds[depth]!, name)
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
    if (!this.#isFirst(breadcrumbsBit)) return undefined
    const hasValues = this.#json.holds(start, start + valuesHead.length, valuesHead)
    if (hasValues && !this.#plain().isPlainName(start + 1)) return undefined
    const list = hasValues ? start + valuesHead.length : start
    const depth = hasValues ? 3 : 2
    const end = this.#cutItems(list, (at) => this.#takeCrumb(at, depth))
    if (!hasValues || end === undefined) return end
    this.#json.keyCount += 1
    if (this.#json.bytes[end] === closeObject) return end + 1
    this.cutNothing()
    return undefined
  }

  #cutExtra(start: number): number | undefined {
    const reader = this.#plain()
    if (!this.#isFirst(extraBit) || !reader.object(start, extraBounds)) return undefined
    this.#cut(start, reader.end, new PlainAttribute('extra', reader.text(start, reader.end)))
    this.#json.keyCount += reader.keyCount
    return reader.end
  }

  #cutModules(start: number): number | undefined {
    if (!this.#isFirst(modulesBit) || this.#json.bytes[start] !== openObject) return undefined
    const { keyCount, needsCleaning } = this.#json
    this.#json.needsCleaning = false
    this.#json.scanObject(start, 1)
    const end = this.#json.itemEnd
    const sent = { bytes: this.#json.bytes, start, end, needsCleaning: this.#json.needsCleaning }
    const stored = this.#json.tooDeep ? undefined : this.#knownModules?.find(sent)
    if (stored !== undefined) this.#cut(start, end, stored)
    else this.#json.keyCount = keyCount
    this.#json.needsCleaning = needsCleaning || sent.needsCleaning
    return stored === undefined ? undefined : end
  }

  /** @returns the index after the list; undefined if it holds anything but objects. */
  #cutItems(list: number, takeItem: (start: number) => void): number | undefined {
    const bytes = this.#json.bytes
    let at = list
    if (bytes[at] === openList) {
      do {
        at = this.#json.skipSpace(at + 1)
        // An empty list, or an error that `JSON.parse` finds.
        if (bytes[at] === closeList) return at + 1
        if (bytes[at] !== openObject) break
        takeItem(at)
        if (this.#json.tooDeep) return bytes.length
        at = this.#json.skipSpace(this.#json.itemEnd)
        if (bytes[at] === closeList) return at + 1
      } while (bytes[at] === comma)
    }
    this.cutNothing()
    return undefined
  }

  /** What was cut is parsed with the rest of the event. */
  cutNothing(): void {
    this.#json.needsCleaning ||= needCleaning(this.cuts)
    this.#cuts = undefined
  }

  #cut(start: number, end: number, value: Cut['value']): void {
    this.#cuts?.push({ start, end, value })
  }

  /** Cuts the breadcrumb that starts at `start` if it is plain. Sets `itemEnd`. */
  #takeCrumb(start: number, depth: number): void {
    const reader = this.#plain()
    const crumb = reader.crumb(start)
    if (crumb === undefined) {
      this.#json.scanObject(start, depth)
      return
    }
    this.#json.itemEnd = reader.end
    this.#json.keyCount += reader.keyCount
    this.#cut(start, reader.end, crumb)
  }

  /** Cuts the frame that starts at `start` if it is known. Sets `itemEnd`. */
  #takeFrame(
    start: number,
    before: SharedFrame | undefined,
    depth: number,
  ): SharedFrame | undefined {
    const expected = before?.next
    let frame: SharedFrame | undefined
    if (expected !== undefined && this.#startsWith(expected.bytes, start)) {
      frame = expected
      this.#json.itemEnd = start + frame.bytes.length
      this.#json.keyCount += frame.scan.keyCount
      this.#json.tooDeep = depth + frame.scan.depth > this.#json.depthMax
    } else {
      frame = this.#scanFrame(start, depth)
    }
    if (frame !== undefined) this.#cut(start, this.#json.itemEnd, frame)
    return frame
  }

  #startsWith(frame: Buffer, start: number): boolean {
    const end = start + frame.length
    const bytes = this.#json.bytes
    // The last character before the brace differs often, and costs no call.
    if (end > bytes.length || bytes[end - 2] !== frame[frame.length - 2]) return false
    return bytes.compare(frame, 0, frame.length, start, end) === 0
  }

  /** Scans the frame, and looks it up unless it has variables. */
  #scanFrame(start: number, depth: number): SharedFrame | undefined {
    const { keyCount, needsCleaning } = this.#json
    this.#json.needsCleaning = false
    const { levels, hasVariables } = this.#json.scanObject(start, depth)
    const scan = {
      keyCount: this.#json.keyCount - keyCount,
      depth: levels,
      needsCleaning: this.#json.needsCleaning,
    }
    // Variables differ in nearly every event.
    const frame =
      hasVariables || this.#json.tooDeep
        ? undefined
        : this.#known?.find(this.#json.bytes, start, this.#json.itemEnd, scan)
    this.#json.needsCleaning = needsCleaning || (frame === undefined && scan.needsCleaning)
    return frame
  }

  #plain(): PlainReader {
    this.#plainReader ??= new PlainReader(this.#json.bytes, this.#plainRules!)
    return this.#plainReader
  }

  /** If an attribute is sent twice, nothing is cut from the event, and `JSON.parse` decides. */
  #isFirst(bit: number): boolean {
    const isFirst = (this.#attributes & bit) === 0
    this.#attributes |= bit
    if (!isFirst) this.cutNothing()
    return isFirst
  }
}

export function needCleaning(cuts: readonly Cut[]): boolean {
  return cuts.some(({ value }) => value instanceof SharedFrame && value.scan.needsCleaning)
}

const valuesHead = '{"values":'
