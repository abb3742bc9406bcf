/**
 * CSS as letters may carry it. Styles cannot run anything in a mail client or under the archive's policy, so this removes what loads
 * from elsewhere, what old engines executed, and whatever could end the style element or the attribute it stands in.
 */

/** Longer styles are no styles of a letter. */
export const cssCharactersMax = 256 * 1024

const levelsMax = 10

const forbidden =
  /@import|@charset|@namespace|expression\s*\(|javascript:|vbscript:|behaviou?r\s*:|-moz-binding/i
const addresses = /(?:url|image|image-set|src)\s*\(\s*['"]?\s*([^'")\s]*)/gi
const allowedAddress =
  /^(?:https?:\/\/|data:image\/(?:png|gif|jpeg|webp)$|data:image\/(?:png|gif|jpeg|webp)[;,])/i
const escapes = /\\(?:([0-9a-f]{1,6})\s?|([^\n]))/gi

/** For a `style` element. */
export function filterStyleSheet(css: string): string {
  const bare = css
    .slice(0, cssCharactersMax)
    .replace(/\/\*[\s\S]*?(?:\*\/|$)/g, '')
    .replace(/<!--|-->|<\/?/g, '')
  // The inliner's parser goes down one level for each brace.
  if (levelsMax < levelsOf(bare)) return ''
  // What a brace or semicolon ends is a selector, a rule's head or a declaration: each stands or goes alone.
  return bare.replace(/[^{};]+/g, (piece) => (isAllowed(piece) ? piece : ''))
}

/** For a `style` attribute; undefined when nothing is left. No entity may be needed in it, since inlining does not read them. */
export function filterDeclarations(style: string): string | undefined {
  const bare = style.slice(0, cssCharactersMax).replace(/\/\*[\s\S]*?(?:\*\/|$)/g, '')
  const kept = splitDeclarations(bare)
    .map((declaration) => declaration.trim())
    .filter((declaration) => declaration !== '' && !/[{}\\]/.test(declaration))
    .filter(isAllowed)
    .map(withoutMarkup)
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

/** A semicolon within brackets is part of an address: `url(data:image/png;base64,…)`. */
function splitDeclarations(style: string): string[] {
  const declarations: string[] = []
  let from = 0
  let isWithinBrackets = false
  for (let index = 0; index < style.length; index += 1) {
    const character = style[index]
    if (character === '(') isWithinBrackets = true
    else if (character === ')') isWithinBrackets = false
    else if (character === ';' && !isWithinBrackets) {
      declarations.push(style.slice(from, index))
      from = index + 1
    }
  }
  declarations.push(style.slice(from))
  return declarations
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

/** CSS can name any character by its number. */
function withoutMarkup(declaration: string): string {
  return declaration
    .replace(/"/g, "'")
    .replace(/[&<>]/g, (found) => `\\${found.charCodeAt(0).toString(16)} `)
}
