/**
 * Filters the CSS of emails. Styles cannot run anything in an email client or under the archive's
 * content security policy, so this removes what loads anything but images and fonts from the web,
 * what old engines executed, and what could end the surrounding style element or attribute.
 */

/** Characters of one sheet or attribute; the rest is cut off. */
export const cssCharactersMax = 256 * 1024

const levelsMax = 10

const forbidden =
  /@import|@charset|@namespace|expression\s*\(|javascript:|vbscript:|behaviou?r\s*:|-moz-binding/i
const addresses = /(?:url|image|image-set|src)\s*\(\s*['"]?\s*([^'")\s]*)/gi
const allowedAddress =
  /^(?:https?:\/\/|data:image\/(?:png|gif|jpeg|webp)$|data:image\/(?:png|gif|jpeg|webp)[;,])/i
const declarationPattern = /^[*_-]{0,2}[a-z][\w-]*\s*:\s*\S/i
const escapes = /\\(?:([0-9a-f]{1,6})\s?|([^\n]))/gi

/** Filters the content of a `style` element. */
export function filterStyleSheet(css: string): string {
  const bare = css
    .slice(0, cssCharactersMax)
    .replace(/\/\*[\s\S]*?(?:\*\/|$)/g, '')
    .replace(/<!--|-->|<\/?/g, '')
  // The inliner's parser goes down one level for each brace.
  if (levelsMax < levelsOf(bare)) return ''
  // A piece between braces and semicolons is a selector, the head of a rule or a declaration. Each
  // piece is kept or removed on its own.
  return bare.replace(/[^{};]+/g, (piece) => (isAllowed(piece) ? piece : ''))
}

/**
 * Filters a `style` attribute; undefined when nothing is left. The result needs no entity, because
 * the inliner does not decode them.
 */
export function filterDeclarations(style: string): string | undefined {
  const bare = style.slice(0, cssCharactersMax).replace(/\/\*[\s\S]*?(?:\*\/|$)/g, '')
  const kept = splitDeclarations(bare)
    .map((declaration) => declaration.trim())
    .filter((declaration) => !/[{}\\]/.test(declaration) && isAllowed(declaration))
    .map(withoutMarkup)
    .filter(isDeclaration)
  return kept.length === 0 ? undefined : kept.join('; ')
}

function levelsOf(css: string): number {
  let level = 0
  let deepest = 0
  for (const brace of css.match(/[{}]/g) ?? []) {
    level = brace === '{' ? level + 1 : Math.max(level - 1, 0)
    deepest = Math.max(deepest, level)
  }
  return deepest
}

/** A semicolon within brackets or quotes is part of a value: `url(data:image/png;base64,…)`. */
function splitDeclarations(style: string): string[] {
  const declarations: string[] = []
  let from = 0
  let isWithinBrackets = false
  let quote = ''
  for (let index = 0; index < style.length; index += 1) {
    const character = style[index]!
    if (quote !== '') {
      if (character === quote) quote = ''
    } else if (character === '"' || character === "'") quote = character
    else if (character === '(') isWithinBrackets = true
    else if (character === ')') isWithinBrackets = false
    else if (character === ';' && !isWithinBrackets) {
      declarations.push(style.slice(from, index))
      from = index + 1
    }
  }
  declarations.push(style.slice(from))
  return declarations
}

/**
 * A name and a value, whose quotes and brackets are closed. The inliner's parser would read an open
 * one to the end of its text, and throws where it finds no declaration at all.
 */
function isDeclaration(text: string): boolean {
  if (!declarationPattern.test(text)) return false
  const bare = text.replace(/'[^'\n\r\f]*'/g, '')
  return !bare.includes("'") && bare.split('(').length === bare.split(')').length
}

function isAllowed(piece: string): boolean {
  const read = piece.replace(escapes, (_, code: string | undefined, character: string) => {
    return code === undefined ? character : characterOf(Number.parseInt(code, 16))
  })
  if (forbidden.test(read)) return false
  return [...read.matchAll(addresses)].every(([, address]) => allowedAddress.test(address ?? ''))
}

function characterOf(code: number): string {
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : ''
}

/** Writes the characters of markup as CSS escapes. */
function withoutMarkup(declaration: string): string {
  return declaration
    .replace(/"/g, "'")
    .replace(/[&<>]/g, (found) => `\\${found.charCodeAt(0).toString(16)} `)
}
