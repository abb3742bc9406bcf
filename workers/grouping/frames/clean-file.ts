/**
 * The part of a file name that survives a rebuild and a move to another machine: base name,
 * lowercase, no query, no content hash. Part of g1: a change of any hash must be meant.
 */
import { cutText } from '../text/cut-text.ts'
import { remember } from './remember.ts'

// cspell:ignore jsbundle

const fileUnitsMax = 1024

export function cleanFile(path: string): string {
  return path === '' ? '' : rememberedFile(path)
}

const rememberedFile = remember((path) => {
  const base = baseName(cutText(path, fileUnitsMax))
  const lower = base.toLowerCase()
  if (lower === '' || lower === '<anonymous>' || lower === '[native code]' || lower === 'native') {
    return ''
  }
  return scriptFile.test(lower) ? cleanScript(base, path) : cutContentHash(lower)
})

const scriptFile = /\.(?:[cm]?js|css|bundle|jsbundle)$/
const appBundles = /^(?:index\.(?:android|ios|windows|macos)\.bundle|main\.jsbundle|index\.bundle)$/

/** A file that a bundler may have written: its numbers and short hashes change with every build. */
function cleanScript(base: string, path: string): string {
  const lower = base.toLowerCase()
  if (appBundles.test(lower)) return '*.bundle'
  const dot = base.lastIndexOf('.')
  let stem = base.slice(0, dot).replace(/[.-]min$/i, '')
  if (mayBeHashed.test(stem)) {
    stem = stem.replace(version, '').replace(sharedChunk, '$1*')
    // The 8 characters that Rollup and Vite append may themselves have a dash or no digit.
    const hash = rollupHash.exec(stem)
    if (hash !== null && isRollupHash(hash[2]!, path)) stem = `${hash[1]!}*`
    stem = cutContentHash(stem.toLowerCase())
      .replace(shortHash, '*')
      .replace(/(?<=\.js_)\d{1,6}(?=\.part$)/, '*')
      .replace(/(?:^|(?<=[.~-]))\d{1,9}(?=[.~-]|$)/g, '*')
  }
  return `${stem.toLowerCase()}${lower.slice(dot)}`
}

/** `jquery-3.6.0` */
const version = /(?<=\w)[-.@_]v?\d{1,4}(?:\.\d{1,6}){1,3}(?=[.-]|$)/
const mayBeHashed = /[\dA-Z]/
/** Rolldown and esbuild name a shared chunk by a short hash alone. */
const sharedChunk = /^(chunk[-.])(?=.*[\dA-Z])[\w-]{5,12}$/
const rollupHash = /^((?:.{0,200}-)?)([\w-]{8})$/
/** Six or seven hex digits, at least one of them a digit, as short hashes of commits have. */
const shortHash = /(?<=[.-])(?=[a-f]{0,6}\d)[a-f\d]{6,7}(?=[.-]|$)/g

/** `_a-1B2xQ` and `BxYkLmNo` are hashes, `Checkout` and `MyAppBar` are words. */
function isRollupHash(text: string, path: string): boolean {
  const upperCount = text.replace(/[^A-Z]/g, '').length
  const hasDigit = /\d/.test(text)
  if (/^[A-Z]?[a-z]+$/.test(text)) return false
  if (hasDigit && upperCount > 0 && /[a-z]/.test(text)) return true
  const isMixed = upperCount >= 3 && /[A-Z]{2}/.test(text) && /[a-z]/.test(text)
  return isMixed || (path.includes('assets/') && upperCount > 0 && /[A-Z_-]/.test(text.slice(1)))
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
