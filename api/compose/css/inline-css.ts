/**
 * Copies the rules of a style sheet into `style` attributes, because many email clients read
 * nothing else; what cannot be inlined (media queries, states) stays in the head. juice works on
 * the tree itself, through the query function of its own DOM library, and fetches nothing.
 */
import { load } from 'cheerio'
import type { Document } from 'domhandler'
import juice from 'juice'
import { countMarkup } from '../html/write-html.ts'

/** Each rule is matched against each element; an email has some hundred of both. */
const matchesMax = 500_000

const options: juice.Options = {
  applyAttributesTableElements: false,
  applyHeightAttributes: false,
  applyWidthAttributes: false,
  inlinePseudoElements: false,
  preserveFontFaces: true,
  preserveImportant: true,
  preserveKeyFrames: false,
  preserveMediaQueries: true,
  preservePseudos: true,
  decodeStyleAttributes: false,
  resolveCSSVariables: false,
}

export function canInline(tree: Document, css: string): boolean {
  const elementCount = 1 + countMarkup(tree.children)
  const ruleCount = css.split(/[,{]/).length
  return elementCount * ruleCount <= matchesMax
}

/** `page`: a whole document, with its styles in the head. */
export function inlineCss(page: Document): void {
  juice.juiceDocument(queryOf(page), options)
}

/** Inlines rules that are not in the page itself. */
export function inlineRules(page: Document, css: string): void {
  juice.inlineDocument(queryOf(page), css, options)
}

function queryOf(page: Document) {
  return load(page, { xml: { xmlMode: false, decodeEntities: false } })
}
