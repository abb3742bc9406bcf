/**
 * Turns the names that compilers give to functions in programs of machine code back into those of
 * the source: `_ZN4shop4Cart3addEi` is `shop::Cart::add(int)`. Clients that read the symbols of a
 * program send the one or the other, so that only this makes them one frame for grouping, search
 * and people.
 */
// cspell:ignore Msvc

import { readItanium } from './itanium-symbol.ts'
import { readMsvc } from './msvc-symbol.ts'
import { readRustLegacy, rustSuffix } from './rust-legacy-symbol.ts'
import { readRustV0 } from './rust-v0-symbol.ts'

/** A longer one is no name that a person could read. */
const symbolUnitsMax = 8192

/**
 * Returns the name unchanged when it is not mangled. Costs two comparisons for nearly every name.
 */
export function demangle(name: string): string {
  const first = name.charCodeAt(0)
  if (first === underscoreUnit) return demangled(name) ?? name
  if (first === questionUnit && name.length >= msvcUnitsMin && name.length <= symbolUnitsMax) {
    return readMsvc(name) ?? name
  }
  return name
}

const underscoreUnit = 0x5f
const questionUnit = 0x3f
/** `?f@@9`; many clients send `?` alone for a function that they do not know. */
const msvcUnitsMin = 5

function demangled(name: string): string | undefined {
  // Apple's linker puts one more underscore before each symbol, and Clang two before a block's.
  const prefix = /^_{1,4}(?=Z[\dA-Za-z]|R[A-Z])/.exec(name.slice(0, 8))
  if (prefix === null || name.length > symbolUnitsMax) return undefined
  const symbol = name.slice(prefix[0].length + 1)
  if (name[prefix[0].length] === 'R') {
    if (prefix[0].length > 2) return undefined
    if (!isAscii.test(symbol)) return undefined
    const end = symbol.search(/[.$@]|$/)
    const rust = readRustV0(symbol.slice(0, end))
    return rust === undefined ? undefined : rust + rustSuffix(symbol.slice(end))
  }
  if (symbol.startsWith('N')) {
    const rust = readRustLegacy(symbol.slice(1))
    if (rust !== undefined) return rust
  }
  if (isAscii.test(symbol)) return readItanium(symbol)
  // Lengths are numbers of bytes.
  const bytes = Buffer.from(symbol).toString('latin1')
  const read = readItanium(bytes)
  return read === undefined ? undefined : Buffer.from(read, 'latin1').toString()
}

const isAscii = /^[!-~]*$/
