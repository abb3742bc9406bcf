/**
 * Looks through JSON text before it is parsed. `JSON.parse` accepts a million levels, and the first
 * recursive function after it would overflow the stack, so the depth is checked here. The same pass
 * finds whether any text could need cleaning, so clean events are not traversed again, and the
 * parts that need not be parsed.
 */
import { type Cut, type Cuttable, PartCutter, pathLevels } from './cut-parts.ts'
import {
  closeList,
  closeObject,
  colon,
  JsonBytes,
  openList,
  openObject,
  quote,
} from './json-bytes.ts'

export interface JsonScan {
  readonly tooDeep: boolean
  readonly keyCount: number
  /** Whether a text may hold NUL or a lone surrogate, or a key may name a prototype. */
  readonly needsCleaning: boolean
  /** In the order of the text. */
  readonly cuts: readonly Cut[]
}

// Typed arrays are costly to make, and no scan calls another one.
const path = {
  nameStarts: new Int32Array(pathLevels + 1),
  nameEnds: new Int32Array(pathLevels + 1),
  areLists: new Uint8Array(pathLevels + 1),
}

export function scanJson(bytes: Buffer, depthMax: number, cuttable: Cuttable = {}): JsonScan {
  const json = new JsonBytes(bytes, depthMax)
  for (const levels of [path.nameStarts, path.nameEnds, path.areLists]) levels.fill(0)
  const cutter = new PartCutter(json, path, cuttable)
  scanAll(json, cutter)
  const { tooDeep, keyCount, needsCleaning } = json
  return { tooDeep, keyCount, needsCleaning, cuts: cutter.cuts }
}

function scanAll(json: JsonBytes, cutter: PartCutter): void {
  const { bytes, depthMax } = json
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
      at = json.endOfText(at)
      textEnd = at - 1
      at = cutter.cutAfter(textStart, at, depth)
    } else if (byte === colon) {
      json.keyCount += 1
      // With an escape, a name may be one that parts are put back under.
      if (json.isEscaped) cutter.cutNothing()
    } else if (byte === openObject || byte === openList) {
      depth += 1
      if (depth > depthMax) {
        json.tooDeep = true
        return
      }
      if (depth <= pathLevels) {
        path.nameStarts[depth] = textStart
        path.nameEnds[depth] = textEnd
        path.areLists[depth] = byte === openList ? 1 : 0
      }
    } else if (byte === closeObject || byte === closeList) {
      depth -= 1
    }
  }
}
