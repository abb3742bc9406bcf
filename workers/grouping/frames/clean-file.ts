/**
 * The part of a file name that survives a rebuild and a move to another machine: base name,
 * lowercase, no query, no content hash. Part of g1: frozen once shipped, a change is g2.
 */
import { cutText } from '../text/cut-text.ts'

const fileUnitsMax = 1024

export function cleanFile(path: string): string {
  if (path === '') return ''
  const base = baseName(cutText(path, fileUnitsMax)).toLowerCase()
  if (base === '' || base === '<anonymous>' || base === '[native code]' || base === 'native') {
    return ''
  }
  return cutContentHash(base)
}

/** The last segment of a path or URL, with either kind of slash. */
export function baseName(path: string): string {
  let end = path.length
  const query = path.indexOf('?')
  if (query !== -1) end = query
  const fragment = path.indexOf('#')
  if (fragment !== -1 && fragment < end) end = fragment
  // `lastIndexOf` with a negative start would still look at the first character.
  if (end === 0) return ''
  const slash = path.lastIndexOf('/', end - 1)
  const backslash = path.lastIndexOf('\\', end - 1)
  return path.slice(Math.max(slash, backslash) + 1, end)
}

/**
 * `main.4f3c2a1b.js` becomes `main.*.js`, `chunk-abcd1234.mjs` becomes `chunk-*.mjs`. Expects
 * lowercase.
 */
export function cutContentHash(name: string): string {
  let out = ''
  let copied = 0
  let start = 0
  // Plain comparisons, because nearly every name is read to its end and stays unchanged.
  while (start < name.length) {
    let end = start
    let digitCount = 0
    let hexCount = 0
    let otherCount = 0
    for (; end < name.length; end++) {
      const unit = name.charCodeAt(end)
      if (unit === dotUnit || unit === dashUnit) break
      if (0x30 <= unit && unit <= 0x39) digitCount++
      else if (0x61 <= unit && unit <= 0x66) hexCount++
      else if ((0x67 <= unit && unit <= 0x7a) || unit === underscoreUnit) otherCount++
      else otherCount = Number.NEGATIVE_INFINITY
    }
    if (hashUnitsMin <= digitCount + hexCount + otherCount) {
      // The first part may be a word with a digit (`oauth2client.py`), so there only hex counts.
      const isHash =
        otherCount === 0
          ? start > 0 || digitCount > 0
          : start > 0 && digitCount > 0 && name.charCodeAt(start) !== underscoreUnit
      if (isHash) {
        out += `${name.slice(copied, start)}*`
        copied = end
      }
    }
    start = end + 1
  }
  return copied === 0 ? name : out + name.slice(copied)
}

const dotUnit = 0x2e
const dashUnit = 0x2d
const underscoreUnit = 0x5f
const hashUnitsMin = 8
