/**
 * Symbols of Rust in the older mangling: parts of a path with their lengths, and a hash of the
 * build. `_ZN4shop4cart3add17h0123456789abcdefE` is `shop::cart::add`.
 */

const escapes: Readonly<Record<string, string>> = {
  SP: '@',
  BP: '*',
  RF: '&',
  LT: '<',
  GT: '>',
  LP: '(',
  RP: ')',
  C: ',',
}

const hash = /^h[0-9a-f]{16}$/

/**
 * Expects the symbol behind `_ZN`. Undefined for a symbol of another language: only those of Rust
 * end in a hash.
 */
export function readRustLegacy(symbol: string): string | undefined {
  const parts: string[] = []
  let at = 0
  while (at < symbol.length && symbol[at] !== 'E') {
    const digits = /^[1-9]\d{0,4}/.exec(symbol.slice(at, at + 5))
    if (digits === null) return undefined
    at += digits[0].length
    const end = at + Number(digits[0])
    if (end > symbol.length) return undefined
    parts.push(symbol.slice(at, end))
    at = end
  }
  const last = parts.pop()
  if (last === undefined || !hash.test(last) || parts.length === 0) return undefined
  if (!/^E(?:$|[.@])/.test(symbol.slice(at, at + 2))) return undefined
  return parts.map(unescapePart).join('::') + rustSuffix(symbol.slice(at + 1))
}

/** What the compiler adds to parts of a function, but for the numbers of its own parts. */
export function rustSuffix(text: string): string {
  return text.replace(/\.llvm\.[0-9A-F@]+$/, '')
}

function unescapePart(part: string): string {
  let rest = part.startsWith('_$') ? part.slice(1) : part
  let out = ''
  while (rest !== '') {
    if (rest.startsWith('..')) {
      out += '::'
      rest = rest.slice(2)
    } else if (rest.startsWith('$')) {
      const sequence = /^\$([A-Z]{1,2}|u[0-9a-f]{1,6})\$/.exec(rest)
      const meant = sequence === null ? undefined : textOfEscape(sequence[1]!)
      // The compiler writes no other escape, so the rest is no escaped text.
      if (sequence === null || meant === undefined) return out + rest
      out += meant
      rest = rest.slice(sequence[0].length)
    } else {
      const stop = rest.slice(1).search(/[.$]/)
      const plain = stop === -1 ? rest : rest.slice(0, stop + 1)
      out += plain
      rest = rest.slice(plain.length)
    }
  }
  return out
}

function textOfEscape(name: string): string | undefined {
  if (!name.startsWith('u')) return escapes[name]
  const code = Number.parseInt(name.slice(1), 16)
  const isText = code >= 0x20 && !(0x7f <= code && code <= 0x9f) && code <= 0x10ffff
  return isText && !(0xd800 <= code && code <= 0xdfff) ? String.fromCodePoint(code) : undefined
}
