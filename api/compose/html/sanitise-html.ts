/**
 * An allow-list made for letters: structure, tables, text and pictures stay; what runs, loads, asks for input or leaves the page does
 * not. Styles are taken out of the body, so that they can be inlined and put into the head. Conditional comments stay for Outlook,
 * which lays letters out by them, as long as they hold nothing but layout; the archive is read in browsers and drops them.
 */
import sanitizeHtml from 'sanitize-html'
import { filterDeclarations, filterStyleSheet } from '../css/filter-css.ts'
import { unusedNumber } from '../unused-number.ts'
import { piecesOf } from './html-pieces.ts'

export interface SanitisedHtml {
  readonly body: string
  /** Of all its style elements. */
  readonly css: string
}

const depthMax = 100
const dataImageCharactersMax = 64 * 1024
const dataImage = /^data:image\/(?:png|gif|jpeg|webp);base64,[A-Za-z0-9+/=\s]*$/i

// biome-ignore format: one line for each kind.
const tags = [
  'address', 'article', 'aside', 'footer', 'header', 'main', 'nav', 'section', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6',
  'blockquote', 'center', 'dd', 'div', 'dl', 'dt', 'figcaption', 'figure', 'hr', 'li', 'ol', 'p', 'pre', 'ul',
  'a', 'abbr', 'b', 'bdi', 'bdo', 'big', 'br', 'cite', 'code', 'del', 'dfn', 'em', 'font', 'i', 'img', 'ins', 'kbd', 'mark', 'q',
  's', 'samp', 'small', 'span', 'strike', 'strong', 'sub', 'sup', 'time', 'tt', 'u', 'var', 'wbr',
  'caption', 'col', 'colgroup', 'table', 'tbody', 'td', 'tfoot', 'th', 'thead', 'tr',
  'style',
]

// biome-ignore format: one line for each kind.
const attributes = {
  '*': ['style', 'class', 'id', 'align', 'valign', 'bgcolor', 'width', 'height', 'dir', 'lang', 'title', 'role', 'aria-hidden', 'aria-label'],
  a: ['href', 'name', 'data-no-track'],
  img: ['src', 'alt', 'border', 'hspace', 'vspace'],
  table: ['border', 'cellpadding', 'cellspacing', 'background', 'bordercolor', 'summary'],
  td: ['colspan', 'rowspan', 'background', 'nowrap', 'headers', 'scope'],
  th: ['colspan', 'rowspan', 'background', 'nowrap', 'headers', 'scope'],
  tr: ['background'],
  col: ['span'],
  colgroup: ['span'],
  font: ['color', 'face', 'size'],
  ol: ['start', 'type', 'reversed'],
  ul: ['type'],
  li: ['value', 'type'],
  hr: ['size', 'color', 'noshade'],
  time: ['datetime'],
  style: ['media'],
}

const options: sanitizeHtml.IOptions = {
  allowedTags: tags,
  allowedAttributes: attributes,
  // Its content is filtered below.
  allowVulnerableTags: true,
  allowedSchemes: ['http', 'https', 'mailto', 'tel', 'sms'],
  allowedSchemesByTag: { img: ['http', 'https', 'data'] },
  allowProtocolRelative: false,
  selfClosing: ['img', 'br', 'hr', 'col', 'wbr'],
  nonTextTags: [
    'script',
    'textarea',
    'option',
    'select',
    'button',
    'title',
    'noscript',
    'xmp',
    'svg',
    'math',
    'template',
    'object',
    'iframe',
    'noembed',
    'noframes',
    'plaintext',
  ],
  nestingLimit: depthMax,
  // Our own filter knows what a letter may say in a style.
  parseStyleAttributes: false,
  transformTags: {
    // A page's own background belongs to its content here.
    body: 'div',
    '*': (tagName, given) => ({ tagName, attribs: attributesOf(tagName, given) }),
  },
}

export function sanitiseHtml(html: string, contact: 'mail' | 'archive'): SanitisedHtml {
  const comments = contact === 'mail' ? new ConditionalComments(html) : undefined
  const clean = sanitizeHtml(comments?.html ?? html, options)
  let css = ''
  let body = ''
  for (const piece of piecesOf(clean)) {
    if (piece.kind === 'style') css += `${styleSheetOf(piece.html)}\n`
    else body += piece.html
  }
  return { body: comments?.restore(body) ?? body, css: filterStyleSheet(css).trim() }
}

function attributesOf(tagName: string, given: sanitizeHtml.Attributes): sanitizeHtml.Attributes {
  const { style, src, ...attribs } = given
  const kept = style === undefined ? undefined : filterDeclarations(style)
  if (kept !== undefined) attribs['style'] = kept
  if (src !== undefined && (tagName !== 'img' || isAllowedSource(src))) attribs['src'] = src
  return attribs
}

function isAllowedSource(src: string): boolean {
  if (!/^\s*data:/i.test(src)) return true
  return src.length <= dataImageCharactersMax && dataImage.test(src)
}

/** The style of a `media` attribute becomes a rule around it, so that one sheet holds all. */
function styleSheetOf(element: string): string {
  const [, head, css] = /^<style([^>]*)>([\s\S]*)<\/style>$/i.exec(element) ?? []
  const media = /media="([\w\s().:,-]*)"/.exec(head ?? '')?.[1]
  return media === undefined ? (css ?? '') : `@media ${media} {${css ?? ''}}`
}

const opening = /<!--\[if [^\]<>]{1,100}\]>/y
const revealed = '<!-->'
const closing = '<![endif]-->'
const revealedClosing = `<!--${closing}`
const conditionalCharactersMax = 20_000
const suspect =
  /<\s*(?:\/\s*)?(?:script|iframe|object|embed|form|input|button|meta|base|link|svg|math|xml|style)\b|\son[a-z]+\s*=|javascript:|vbscript:|data:/i

function isSuspect(comment: string): boolean {
  if (suspect.test(comment)) return true
  const lines = comment.split(/[\n\r\u2028\u2029]/)
  return lines.some((line) => line.indexOf('<!--') !== line.lastIndexOf('<!--'))
}

/** Index behind each conditional comment that starts at one of ascending positions; undefined where none does. */
function conditionalCommentEnds(html: string): (start: number) => number | undefined {
  let closingAt = 0
  return (start) => {
    if (html.startsWith(revealedClosing, start)) return start + revealedClosing.length
    opening.lastIndex = start
    if (!opening.test(html)) return undefined
    const inside = opening.lastIndex
    if (html.startsWith(revealed, inside)) return inside + revealed.length
    if (closingAt < inside) closingAt = indexOrEnd(html, closing, inside)
    const isClosed = closingAt < html.length && closingAt - inside <= conditionalCharactersMax
    return isClosed ? closingAt + closing.length : undefined
  }
}

function indexOrEnd(text: string, wanted: string, from: number): number {
  const index = text.indexOf(wanted, from)
  return index < 0 ? text.length : index
}

/** The sanitiser knows no comments, so marks stand for them while it works. */
class ConditionalComments {
  readonly html: string
  readonly #kept: string[] = []
  readonly #prefix: string

  constructor(html: string) {
    this.#prefix = `zc${unusedNumber(html, /zc(\d{1,9})c/g)}c`
    const endOf = conditionalCommentEnds(html)
    let marked = ''
    let from = 0
    let start = html.indexOf('<!--')
    while (start >= 0) {
      const end = endOf(start)
      if (end !== undefined) {
        marked += html.slice(from, start) + this.#markFor(html.slice(start, end))
        from = end
      }
      start = html.indexOf('<!--', end ?? start + 1)
    }
    this.html = marked + html.slice(from)
  }

  #markFor(comment: string): string {
    if (isSuspect(comment)) return ''
    this.#kept.push(comment)
    return `${this.#prefix}${this.#kept.length - 1}z`
  }

  /** Only where text may stand: a mark within an attribute had no comment there. */
  restore(html: string): string {
    if (this.#kept.length === 0) return html
    const pattern = new RegExp(`${this.#prefix}(\\d+)z`, 'g')
    let restored = ''
    for (const piece of piecesOf(html)) {
      const isText = piece.kind === 'text'
      restored += piece.html.replace(pattern, (_, no: string) => {
        return isText ? (this.#kept[Number(no)] ?? '') : ''
      })
    }
    return restored
  }
}
