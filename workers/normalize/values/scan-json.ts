/**
 * Scans the bytes of a payload once before it is parsed. `JSON.parse` accepts a million levels, and
 * the first recursive function after it would overflow the stack, so the depth is checked here. The
 * same pass finds whether any text could need cleaning, so clean events are not traversed again.
 */
export interface JsonScan {
  readonly tooDeep: boolean
  readonly keyCount: number
  /**
   * Whether there is a `\u` escape (NUL and lone surrogates can only be sent that way) or a key
   * that names a prototype.
   */
  readonly needsCleaning: boolean
}

const quote = 0x22
const backslash = 0x5c
const characterU = 0x75
const colon = 0x3a

export function scanJson(bytes: Uint8Array, depthMax: number): JsonScan {
  const end = bytes.length
  let at = 0
  let depth = 0
  let keyCount = 0
  let needsCleaning = false
  while (at < end) {
    const byte = bytes[at]
    at += 1
    if (byte === quote) {
      const start = at
      while (at < end) {
        const inner = bytes[at]
        at += 1
        if (inner === quote) break
        if (inner === backslash) {
          if (bytes[at] === characterU) needsCleaning = true
          at += 1
        }
      }
      const length = at - 1 - start
      if ((length === 9 || length === 11) && namesPrototype(bytes, start, length)) {
        needsCleaning = true
      }
    } else if (byte === colon) {
      keyCount += 1
    } else if (byte === 0x7b || byte === 0x5b) {
      depth += 1
      if (depth > depthMax) return { tooDeep: true, keyCount, needsCleaning }
    } else if (byte === 0x7d || byte === 0x5d) {
      depth -= 1
    }
  }
  return { tooDeep: false, keyCount, needsCleaning }
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
