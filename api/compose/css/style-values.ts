/** Reads the values of inlined styles on which visibility depends. */

export type Declarations = ReadonlyMap<string, string>

/** Reads a decoded `style` attribute. A later declaration replaces one that is not important. */
export function readDeclarations(style: string): Declarations {
  const read = new Map<string, string>()
  const important = new Set<string>()
  for (const declaration of withoutEscapes(style).toLowerCase().split(';')) {
    const colon = declaration.indexOf(':')
    if (colon < 1) continue
    const name = declaration.slice(0, colon).trim()
    const [value = '', ...flags] = declaration.slice(colon + 1).split('!')
    const isImportant = flags.some((flag) => flag.trim() === 'important')
    if (important.has(name) && !isImportant) continue
    if (isImportant) important.add(name)
    read.set(name, value.trim())
    const fontSize = name === 'font' ? fontSizeIn(value) : undefined
    if (fontSize === undefined || (important.has('font-size') && !isImportant)) continue
    if (isImportant) important.add('font-size')
    read.set('font-size', fontSize)
  }
  return read
}

/** `\6eone` is `none` to a browser. */
function withoutEscapes(style: string): string {
  return style.replace(
    /\\(?:([0-9a-f]{1,6})\s?|([^\n]))/gi,
    (_all, digits?: string, literal?: string) => {
      const code = Number.parseInt(digits ?? '', 16)
      if (Number.isNaN(code)) return literal ?? ''
      return code <= 0x10ffff ? String.fromCodePoint(code) : ''
    },
  )
}

/** The font size within the shorthand, as in `bold 0/1.2 Arial`. */
function fontSizeIn(font: string): string | undefined {
  return font
    .trim()
    .split(/[\s/]+/)
    .find((part) => /^[\d.]/.test(part) && !/^[1-9]00$/.test(part))
}

const remPx = 16
const unitsPx: Readonly<Record<string, number>> = { '': 1, px: 1, pt: 4 / 3, rem: remPx, cm: 37.8 }

/** A length in pixels, undefined for any other value. `emPx` is the font size of the parent. */
export function lengthPx(value: string | undefined, emPx: number): number | undefined {
  const match = /^([+-]?(?:\d+(?:\.\d+)?|\.\d+))(px|pt|rem|cm|em|%)?$/.exec(value ?? '')
  if (match === null) return undefined
  const [, digits, unit = ''] = match
  const amount = Number(digits)
  if (unit === 'em') return amount * emPx
  if (unit === '%') return (amount / 100) * emPx
  return amount * unitsPx[unit]!
}

/** Red, green and blue are 0 to 255, opacity is 0 to 1. */
export type Colour = readonly [red: number, green: number, blue: number, alpha: number]

const named: Readonly<Record<string, Colour>> = {
  transparent: [0, 0, 0, 0],
  white: [255, 255, 255, 1],
  black: [0, 0, 0, 1],
  snow: [255, 250, 250, 1],
  ivory: [255, 255, 240, 1],
  ghostwhite: [248, 248, 255, 1],
  whitesmoke: [245, 245, 245, 1],
  floralwhite: [255, 250, 240, 1],
  gray: [128, 128, 128, 1],
  grey: [128, 128, 128, 1],
  silver: [192, 192, 192, 1],
  red: [255, 0, 0, 1],
  green: [0, 128, 0, 1],
  blue: [0, 0, 255, 1],
  yellow: [255, 255, 0, 1],
  navy: [0, 0, 128, 1],
}

/** The first colour in a value such as `#fff url(…) no-repeat`; undefined if none is known. */
export function colourIn(value: string | undefined): Colour | undefined {
  const lower = value ?? ''
  const called = /\brgba?\([^()]{1,100}\)/.exec(lower)?.[0]
  if (called !== undefined) return functionColour(called)
  for (const word of lower.split(/[\s,]/)) {
    const colour = named[word] ?? hexColour(word)
    if (colour !== undefined) return colour
  }
  return undefined
}

function hexColour(word: string): Colour | undefined {
  const digits = /^#?([0-9a-f]{3,8})$/.exec(word)?.[1]
  if (digits === undefined || (!word.startsWith('#') && digits.length !== 6)) return undefined
  const long = digits.length <= 4 ? [...digits].map((digit) => digit + digit).join('') : digits
  if (long.length !== 6 && long.length !== 8) return undefined
  const byte = (at: number) => Number.parseInt(long.slice(at, at + 2), 16)
  return [byte(0), byte(2), byte(4), long.length === 8 ? byte(6) / 255 : 1]
}

function functionColour(word: string): Colour | undefined {
  const inside = /^rgba?\(([^()]{1,100})\)$/.exec(word)?.[1]
  if (inside === undefined) return undefined
  const parts = inside.split(/[\s,/]+/).map((part) => {
    const isPercent = part.endsWith('%')
    return isPercent
      ? { share: Number.parseFloat(part) / 100 }
      : { number: Number.parseFloat(part) }
  })
  const [red, green, blue, alpha] = parts
  const channel = (part: (typeof parts)[number] | undefined, full: number) =>
    part === undefined ? full : 'share' in part ? (part.share ?? 0) * full : (part.number ?? 0)
  if (blue === undefined) return undefined
  return [channel(red, 255), channel(green, 255), channel(blue, 255), channel(alpha, 1)]
}

/** Contrast ratio from 1 (equal colours) to 21 (WCAG 2). */
export function contrastOf(one: Colour, other: Colour): number {
  const [light, dark] = [luminanceOf(one), luminanceOf(other)].sort((a, b) => b - a)
  return (light! + 0.05) / (dark! + 0.05)
}

function luminanceOf([red, green, blue]: Colour): number {
  const linear = (byte: number) => {
    const share = byte / 255
    return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  }
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
}
