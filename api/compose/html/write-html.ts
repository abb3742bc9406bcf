/** Serialises a tree whose texts and attribute values are escaped already. */
import { type ChildNode, type Element, isComment, isDirective, isTag, isText } from 'domhandler'

/** The place of a piece of output, which decides how a value must be escaped there. */
export type HtmlPlace = 'markup' | 'text' | 'style' | 'comment' | { readonly attribute: string }

export interface HtmlSyntax {
  readonly voidEnd: '>' | ' />'
  readonly emptyAlt: ' alt' | ' alt=""'
  /** The value to write for an attribute; undefined leaves the attribute out. */
  readonly attribute?: (element: Element, name: string, value: string) => string | undefined
}

/** The form for email clients. It has not changed since the first release. */
export const emailSyntax: HtmlSyntax = { voidEnd: '>', emptyAlt: ' alt' }
/** The form for archive pages and feeds, which XML parsers read as well. */
export const archiveSyntax: HtmlSyntax = { voidEnd: ' />', emptyAlt: ' alt=""' }

// biome-ignore format: one list.
const voidElements: ReadonlySet<string> = new Set([
  'area', 'base', 'br', 'col', 'embed', 'hr', 'img', 'input', 'link', 'meta', 'param', 'source', 'track', 'wbr',
])

export function serialiseHtml(nodes: readonly ChildNode[], syntax: HtmlSyntax): string {
  let html = ''
  writeHtml(nodes, syntax, (piece) => {
    html += piece
  })
  return html
}

/** Calls `write` for each piece of output, in order. */
export function writeHtml(
  nodes: readonly ChildNode[],
  syntax: HtmlSyntax,
  write: (piece: string, place: HtmlPlace) => void,
): void {
  for (const node of nodes) {
    if (isText(node)) write(escapeBrackets(node.data), 'text')
    else if (isTag(node)) writeElement(node, syntax, write)
    else if (isComment(node)) write(`<!--${node.data}-->`, 'comment')
    else if (isDirective(node)) write(`<${node.data}>`, 'markup')
    // The parser makes no other nodes of HTML, and no step adds one.
    else throw new Error(`an email must not contain a node of type ${node.type}`)
  }
}

function writeElement(
  element: Element,
  syntax: HtmlSyntax,
  write: (piece: string, place: HtmlPlace) => void,
): void {
  writeTag(element, syntax, write)
  if (voidElements.has(element.name)) return
  if (element.name === 'style') {
    for (const child of element.children) if (isText(child)) write(child.data, 'style')
  } else writeHtml(element.children, syntax, write)
  write(`</${element.name}>`, 'markup')
}

/** Texts in the tree are escaped already. This check protects against a step that broke one. */
function escapeBrackets(text: string): string {
  return text.includes('<') ? text.replaceAll('<', '&lt;') : text
}

function writeTag(
  element: Element,
  syntax: HtmlSyntax,
  write: (piece: string, place: HtmlPlace) => void,
): void {
  let tag = `<${element.name}`
  for (const name of Object.keys(element.attribs)) {
    const given = element.attribs[name]!
    const value = syntax.attribute === undefined ? given : syntax.attribute(element, name, given)
    if (value === undefined) continue
    if (value === '') {
      tag += name === 'alt' ? syntax.emptyAlt : ` ${name}`
      continue
    }
    write(`${tag} ${name}="`, 'markup')
    write(value.includes('"') ? value.replaceAll('"', '&quot;') : value, { attribute: name })
    tag = '"'
  }
  write(`${tag}${voidElements.has(element.name) ? syntax.voidEnd : '>'}`, 'markup')
}

/** How many `<` the tree has when it is written, which bounds the work of each step. */
export function countMarkup(nodes: readonly ChildNode[]): number {
  let count = 0
  for (const node of nodes) {
    if (isComment(node)) count += node.data.split('<').length
    else if (isDirective(node)) count += 1
    else if (isTag(node)) {
      count += (voidElements.has(node.name) ? 1 : 2) + countMarkup(node.children)
    }
  }
  return count
}
