/** Punycode (RFC 3492), as mangled names of Rust use it; undefined for any other text. */

const base = 36
const tMin = 1
const tMax = 26
const skew = 38
const damp = 700
const codePointsMax = 256

export function decodePunycode(text: string): string | undefined {
  const dash = text.lastIndexOf('-')
  const out = [...text.slice(0, Math.max(dash, 0))].map((unit) => unit.codePointAt(0)!)
  let code = 128
  let bias = 72
  let index = 0
  let at = dash + 1
  while (at < text.length) {
    const oldIndex = index
    let weight = 1
    for (let k = base; ; k += base) {
      const digit = digitOf(text.charCodeAt(at++))
      if (digit === undefined) return undefined
      index += digit * weight
      const threshold = k <= bias ? tMin : k >= bias + tMax ? tMax : k - bias
      if (digit < threshold) break
      weight *= base - threshold
      if (weight > 2 ** 31 || index > 2 ** 31) return undefined
    }
    const count = out.length + 1
    bias = adapt(index - oldIndex, count, oldIndex === 0)
    code += Math.floor(index / count)
    index %= count
    const isText = code <= 0x10ffff && !(0xd800 <= code && code <= 0xdfff)
    if (!isText || count > codePointsMax) return undefined
    out.splice(index++, 0, code)
  }
  return String.fromCodePoint(...out)
}

function digitOf(unit: number): number | undefined {
  if (0x61 <= unit && unit <= 0x7a) return unit - 0x61
  if (0x30 <= unit && unit <= 0x39) return unit - 0x30 + 26
  return undefined
}

function adapt(delta: number, count: number, isFirst: boolean): number {
  let rest = isFirst ? Math.floor(delta / damp) : Math.floor(delta / 2)
  rest += Math.floor(rest / count)
  let k = 0
  for (; rest > ((base - tMin) * tMax) / 2; k += base) rest = Math.floor(rest / (base - tMin))
  return k + Math.floor(((base - tMin + 1) * rest) / (rest + skew))
}
