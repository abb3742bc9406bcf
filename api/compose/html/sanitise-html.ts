/**
 * Reduces an author's HTML to the allow-list of emails: anything that runs, loads, takes input or
 * navigates without a click is removed. Style sheets are moved out of the body, so that they can be
 * inlined.
 *
 * This is the only place that reads an author's HTML as text. The library reads a string and writes
 * a string, whose regular syntax is then parsed into the tree that all later steps work on. Those
 * steps add our own nodes and values only, so the allow-list holds for the email that is sent.
 */
import type { Document, Element } from 'domhandler'
import sanitizeHtml from 'sanitize-html'
import { filterDeclarations, filterStyleSheet } from '../css/filter-css.ts'
import {
  imageSchemes,
  linkSchemes,
  mailAttributes,
  mailTags,
  removedWithContent,
} from './allowed-html.ts'
import { ConditionalComments } from './conditional-comments.ts'
import { eachElement, parseHtml, setChildren } from './html-tree.ts'

export interface SanitisedHtml {
  readonly tree: Document
  /** The rules of all style elements, filtered. */
  readonly css: string
}

const depthMax = 100
const dataImageCharactersMax = 64 * 1024
const dataImage = /^data:image\/(?:png|gif|jpeg|webp);base64,[A-Za-z0-9+/=\s]*$/i

const options: sanitizeHtml.IOptions = {
  allowedTags: [...mailTags],
  allowedAttributes: Object.fromEntries(
    Object.entries(mailAttributes).map(([tag, names]) => [tag, [...names]]),
  ),
  // `style`, whose content is filtered below.
  allowVulnerableTags: true,
  allowedSchemes: [...linkSchemes],
  allowedSchemesByTag: { img: [...imageSchemes] },
  allowProtocolRelative: false,
  selfClosing: ['img', 'br', 'hr', 'col', 'wbr'],
  nonTextTags: [...removedWithContent],
  nestingLimit: depthMax,
  // Style attributes are filtered below, because the library's parser rejects what emails need.
  parseStyleAttributes: false,
  transformTags: {
    // The background of the author's page becomes the background of the content.
    body: 'div',
    '*': (tagName, given) => ({ tagName, attribs: filterAttributes(tagName, given) }),
  },
}

/** Archive pages are on our own origin, so conditional comments are left out there. */
export function sanitiseHtml(html: string, target: 'mail' | 'archive'): SanitisedHtml {
  const comments = target === 'mail' ? new ConditionalComments(html) : undefined
  const tree = parseHtml(sanitizeHtml(comments?.html ?? html, options))
  const css = takeStyleSheets(tree)
  comments?.restore(tree)
  return { tree, css: filterStyleSheet(comments?.withoutMarks(css) ?? css).trim() }
}

function filterAttributes(
  tagName: string,
  given: sanitizeHtml.Attributes,
): sanitizeHtml.Attributes {
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

function takeStyleSheets(tree: Document): string {
  let css = ''
  const parents = new Set<Element | Document>()
  eachElement(tree, (element) => {
    if (element.name !== 'style') return
    css += `${styleSheetOf(element)}\n`
    parents.add(element.parent as Element | Document)
  })
  for (const parent of parents) {
    setChildren(
      parent,
      parent.children.filter((child) => !('name' in child && child.name === 'style')),
    )
  }
  return css
}

/** The query of a `media` attribute becomes a rule around the sheet, to make one sheet of all. */
function styleSheetOf({ attribs, children }: Element): string {
  const css = children.map((child) => ('data' in child ? child.data : '')).join('')
  const media = attribs['media']
  const isQuery = media !== undefined && /^[\w\s().:,-]+$/.test(media)
  return isQuery ? `@media ${media} {${css}}` : css
}
