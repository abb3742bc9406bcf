/**
 * The part of Markdown that comments and ideas use, as a tree: paragraphs, headings, lists, quotes,
 * code, bold, italic, strikethrough and links. There is no HTML in it: what looks like a tag stays
 * text.
 */

export type Block =
  | { readonly kind: 'paragraph' | 'heading'; readonly inlines: readonly Inline[] }
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'quote'; readonly blocks: readonly Block[] }
  | {
      readonly kind: 'list'
      readonly isOrdered: boolean
      readonly items: readonly (readonly Inline[])[]
    }
  | { readonly kind: 'rule' }

export type Inline =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'break' }
  | { readonly kind: 'strong' | 'emphasis' | 'deleted'; readonly inlines: readonly Inline[] }
  | { readonly kind: 'link'; readonly href: string; readonly inlines: readonly Inline[] }

const depthMax = 5
const bullet = /^ {0,3}[-*+] (.*)$/
const ordered = /^ {0,3}\d{1,9}[.)] (.*)$/
const fence = /^ {0,3}(`{3,}|~{3,})/
const quote = /^ {0,3}> ?(.*)$/
const heading = /^ {0,3}#{1,6} (.*)$/
const rule = /^ {0,3}(?:(?:- *){3,}|(?:\* *){3,}|(?:_ *){3,})$/
const blockStarts = [fence, quote, bullet, ordered, rule]

/** The portal shows `# title` as it was typed. */
export type Dialect = 'issue comments' | 'portal'

export function parseMarkdown(text: string, dialect: Dialect = 'issue comments'): readonly Block[] {
  const starts = dialect === 'portal' ? blockStarts : [...blockStarts, heading]
  return parseBlocks(text.replaceAll('\r\n', '\n').split('\n'), { depth: 0, starts })
}

interface Place {
  /** Of quotes in quotes. */
  readonly depth: number
  /** What ends a paragraph. */
  readonly starts: readonly RegExp[]
}

function parseBlocks(lines: readonly string[], place: Place): readonly Block[] {
  const blocks: Block[] = []
  let at = 0
  while (at < lines.length) {
    const line = lines[at]!
    if (line.trim() === '') {
      at += 1
      continue
    }
    const [block, next] = readBlock(lines, at, place)
    blocks.push(block)
    at = next
  }
  return blocks
}

type ReadBlock = readonly [block: Block, next: number]

function readBlock(lines: readonly string[], at: number, place: Place): ReadBlock {
  const line = lines[at]!
  const open = fence.exec(line)?.[1]
  if (open !== undefined) return readCode(lines, at, open)
  if (rule.test(line)) return [{ kind: 'rule' }, at + 1]
  const title = place.starts.includes(heading) ? heading.exec(line)?.[1] : undefined
  if (title !== undefined)
    return [{ kind: 'heading', inlines: parseInlines(headingText(title)) }, at + 1]
  if (quote.test(line) && place.depth < depthMax) return readQuote(lines, at, place)
  if (bullet.test(line)) return readList(lines, at, bullet)
  if (ordered.test(line)) return readList(lines, at, ordered)
  return readParagraph(lines, at, place)
}

function readCode(lines: readonly string[], at: number, open: string): ReadBlock {
  let end = at + 1
  while (end < lines.length && !lines[end]!.trimStart().startsWith(open)) end += 1
  return [{ kind: 'code', text: lines.slice(at + 1, end).join('\n') }, end + 1]
}

function readQuote(lines: readonly string[], at: number, place: Place): ReadBlock {
  let end = at
  while (end < lines.length && quote.test(lines[end]!)) end += 1
  const inside = lines.slice(at, end).map((line) => quote.exec(line)?.[1] ?? '')
  const blocks = parseBlocks(inside, { ...place, depth: place.depth + 1 })
  return [{ kind: 'quote', blocks }, end]
}

/** Lists have one level; indented lines continue their item. */
function readList(lines: readonly string[], at: number, marker: RegExp): ReadBlock {
  const items: string[] = []
  let end = at
  while (end < lines.length) {
    const line = lines[end]!
    const item = marker.exec(line)?.[1]
    if (item !== undefined) items.push(item.trimStart())
    else if (/^\s+\S/.test(line)) items.push(`${items.pop() ?? ''}\n${line.trim()}`)
    else break
    end += 1
  }
  const list = { kind: 'list', isOrdered: marker === ordered } as const
  return [{ ...list, items: items.map((item) => parseInlines(item)) }, end]
}

function readParagraph(lines: readonly string[], at: number, { starts }: Place): ReadBlock {
  let end = at + 1
  while (end < lines.length && continuesParagraph(lines[end]!, starts)) end += 1
  return [{ kind: 'paragraph', inlines: parseInlines(lines.slice(at, end).join('\n')) }, end]
}

function continuesParagraph(line: string, starts: readonly RegExp[]): boolean {
  return line.trim() !== '' && !starts.some((start) => start.test(line))
}

const marks = [
  ['**', 'strong'],
  ['__', 'strong'],
  ['~~', 'deleted'],
  ['*', 'emphasis'],
  ['_', 'emphasis'],
] as const

// Every form is bounded, and none can be read in two ways, so that no text takes long.
const linkAt = /\[([^[\]\n]{1,500})\]\(([^()\s]{1,2000})\)/y
const addressAt = /https?:\/\/[^\s<>"'`]{1,2000}/y
const codeAt = /(`{1,10})([^`\n](?:[^\n]{0,2000}?[^`\n])?)\1(?!`)/y

export function parseInlines(text: string, depth = 0): readonly Inline[] {
  const found: Inline[] = []
  let plain = ''
  let at = 0
  const flush = () => {
    if (plain !== '') found.push({ kind: 'text', text: plain })
    plain = ''
  }
  while (at < text.length) {
    const read = readInline(text, at, depth)
    if (read === undefined) {
      plain += text[at]
      at += 1
      continue
    }
    const [inline, next] = read
    if (inline.kind === 'text') plain += inline.text
    else {
      flush()
      found.push(inline)
    }
    at = next
  }
  flush()
  return found
}

type ReadInline = readonly [inline: Inline, next: number]

function readInline(text: string, at: number, depth: number): ReadInline | undefined {
  const character = text[at]!
  if (character === '\n') return [{ kind: 'break' }, at + 1]
  if (character === '\\' && /[!-/:-@[-`{-~]/.test(text[at + 1] ?? '')) {
    return [{ kind: 'text', text: text[at + 1]! }, at + 2]
  }
  if (character === '`') return readCodeSpan(text, at)
  if (character === '[') return readLink(text, at, depth)
  if (character === 'h') return readAddress(text, at)
  return '*_~'.includes(character) && depth < depthMax ? readMark(text, at, depth) : undefined
}

function readCodeSpan(text: string, at: number): ReadInline | undefined {
  codeAt.lastIndex = at
  const found = codeAt.exec(text)
  return found === null ? undefined : [{ kind: 'code', text: found[2]! }, codeAt.lastIndex]
}

function readLink(text: string, at: number, depth: number): ReadInline | undefined {
  linkAt.lastIndex = at
  const found = linkAt.exec(text)
  const href = found === null ? undefined : safeHref(found[2]!)
  if (href === undefined || depth >= depthMax) return undefined
  const inlines = [{ kind: 'text', text: found![1]! }] as const
  return [{ kind: 'link', href, inlines }, linkAt.lastIndex]
}

function readAddress(text: string, at: number): ReadInline | undefined {
  addressAt.lastIndex = at
  const [found] = addressAt.exec(text) ?? []
  if (found === undefined) return undefined
  const address = withoutEnd(found, ').,;:!?')
  const href = safeHref(address)
  if (href === undefined) return undefined
  return [{ kind: 'link', href, inlines: [{ kind: 'text', text: address }] }, at + address.length]
}

function readMark(text: string, at: number, depth: number): ReadInline | undefined {
  const mark = marks.find(([sign]) => text.startsWith(sign, at))
  if (mark === undefined) return undefined
  const [sign, kind] = mark
  const isWordBefore = /\w/.test(text[at - 1] ?? '')
  if (sign.startsWith('_') && isWordBefore) return undefined
  const start = at + sign.length
  if (/\s/.test(text[start] ?? ' ')) return undefined
  const end = text.indexOf(sign, start + 1)
  if (end === -1 || /\s/.test(text[end - 1]!)) return undefined
  return [{ kind, inlines: parseInlines(text.slice(start, end), depth + 1) }, end + sign.length]
}

/** Addresses of web pages and mailboxes; everything else, such as `javascript:`, is no link. */
export function safeHref(address: string): string | undefined {
  if (address.startsWith('/') && !/^\/[/\\]/.test(address)) return address
  if (!URL.canParse(address)) return undefined
  const { protocol, href } = new URL(address)
  return ['http:', 'https:', 'mailto:'].includes(protocol) ? href : undefined
}

/** `Title ##` is `Title`: number signs at the end are decoration. */
function headingText(text: string): string {
  const rest = withoutEnd(text.trim(), '#')
  return rest === '' || rest.endsWith(' ') ? rest.trim() : text.trim()
}

/** A loop, because an expression for it takes quadratic time. */
function withoutEnd(text: string, characters: string): string {
  let end = text.length
  while (end > 0 && characters.includes(text[end - 1]!)) end--
  return text.slice(0, end)
}
