/**
 * The part of a file name that survives a rebuild and a move to another machine: base name, lowercase, no query,
 * no content hash. Part of g1: frozen once shipped, a change is g2.
 */
import { cutText } from './cut-text.ts'

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
  let start = end
  while (start > 0) {
    const unit = path.charCodeAt(start - 1)
    if (unit === 0x2f || unit === 0x5c) break
    start--
  }
  return path.slice(start, end)
}

/** `main.4f3c2a1b.js` becomes `main.*.js`, `chunk-abcd1234.mjs` becomes `chunk-*.mjs`. Expects lowercase. */
export function cutContentHash(name: string): string {
  // A hash has eight characters, and either digits or only the letters of hex. Most names stop here.
  if (name.length < 8) return name
  if (!/[0-9]|[a-f]{8}/.test(name)) return name
  return name.replace(/[a-z0-9_]{8,}/g, (part, offset: number) => {
    const before = offset === 0 ? '' : name[offset - 1]!
    const after = name[offset + part.length]
    if (after !== undefined && after !== '.' && after !== '-') return part
    const isHex = /^[0-9a-f]+$/.test(part)
    // A name may begin with a word that has a digit in it (`oauth2client.py`): there only hex counts.
    if (before === '') return isHex && /[0-9]/.test(part) ? '*' : part
    if (before !== '.' && before !== '-') return part
    if (isHex) return '*'
    return /[0-9]/.test(part) && /[a-z]/.test(part) && !part.startsWith('_') ? '*' : part
  })
}
