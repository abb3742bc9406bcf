/**
 * Collects the facts about a composed email that the preflight checks need. A thread does it,
 * because the time grows with the size of the text.
 */
import { cloneNode, Document, Element, isTag, isText, type ParentNode } from 'domhandler'
import { type Contact, fillEmail, fillParts } from '#schemas/mail/compiled-email.ts'
import { escapeHtml } from '#schemas/mail/escape-value.ts'
import { composePage } from './compose-email.ts'
import type { ComposingBody } from './composing-email.ts'
import { canInline, inlineRules } from './css/inline-css.ts'
import { splitBlocks } from './css/split-blocks.ts'
import type { CampaignFrame, ComposedEmail, EmailSource } from './email-source.ts'
import { imageSchemes, linkSchemes } from './html/allowed-html.ts'
import { compileValue } from './html/compile-html.ts'
import { decodeEntities } from './html/decode-entities.ts'
import { HiddenFinder } from './html/find-hidden.ts'
import { foreignTags } from './html/foreign-tags.ts'
import { eachElement, findElement, parseHtml, setChildren } from './html/html-tree.ts'
import type { SlotMarks } from './html/slot-marks.ts'
import type { HtmlPlace } from './html/write-html.ts'

export interface InspectedEmail {
  readonly composed: ComposedEmail
  /** The email as a subscriber without any value gets it. */
  readonly emptyHtml: string
  readonly emptyText: string
  /** Targets of the author's links, with placeholders as `{{…}}`. */
  readonly addresses: readonly string[]
  /** Addresses of links and images that emails may not have, so that they are removed. */
  readonly removed: readonly string[]
  /** Merge tags of other products, each once. */
  readonly foreignTags: readonly string[]
  /** The parts of the footer that cannot be seen, and why. */
  readonly hidden: readonly HiddenPart[]
}

export interface HiddenPart {
  readonly part: 'unsubscribe' | 'postal'
  readonly by: string
}

/** Has the path of a real unsubscribe link, because selectors may look at it. */
const unsubscribeMark = 'https://footer-link.invalid/u/token'
const blocksMax = 20

export function inspectEmail(source: EmailSource, frame: CampaignFrame): InspectedEmail {
  const { composing, composed } = composePage(source, frame)
  const links = { unsubscribe: '', preferences: '', openPixel: '', clickBase: '' }
  const empty = fillEmail(composed.email, { links })
  fillTree(composing.tree, composing.marks, { links: { ...links, unsubscribe: unsubscribeMark } })
  const { subject, previewText, html, markdown } = source
  return {
    composed,
    emptyHtml: empty.html,
    emptyText: empty.text,
    addresses: composing.addresses,
    removed: removedAddresses(composing),
    foreignTags: foreignTags([subject, previewText ?? '', html ?? markdown ?? '']),
    hidden: hiddenParts(composing.tree, frame.newsletter.postalAddress ?? ''),
  }
}

/** Looks at the author's HTML before it was sanitised. */
function removedAddresses({ html, marks }: ComposingBody): string[] {
  const removed = new Set<string>()
  eachElement(parseHtml(html), ({ name, attribs }) => {
    const given = name === 'a' ? attribs['href'] : name === 'img' ? attribs['src'] : undefined
    if (given === undefined) return
    const address = marks.withPlaceholders(decodeEntities(given).trim())
    const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(address)?.[1]?.toLowerCase()
    const schemes: readonly string[] = name === 'a' ? linkSchemes : [...imageSchemes, 'data']
    const isAllowed = scheme === undefined || schemes.includes(scheme)
    if (!isAllowed || address.startsWith('//')) removed.add(address)
  })
  return [...removed]
}

/** Fills the slots of texts and attributes; those of comments and styles do not matter here. */
function fillTree(page: Document, marks: SlotMarks, contact: Contact): void {
  const fill = (value: string, place: HtmlPlace) => {
    return marks.has(value) ? fillParts(compileValue(value, place, marks), contact) : value
  }
  eachElement(page, (element) => {
    for (const [attribute, value] of Object.entries(element.attribs)) {
      element.attribs[attribute] = fill(value, { attribute })
    }
    const place = element.name === 'style' ? 'style' : 'text'
    for (const child of element.children) if (isText(child)) child.data = fill(child.data, place)
  })
}

function hiddenParts(page: Document, postalAddress: string): HiddenPart[] {
  const postal = escapeHtml(postalAddress.trim().split(/\r?\n/, 1)[0]!)
  const hidden = new Map<HiddenPart['part'], string>()
  for (const variant of variantsOf(page)) {
    const unsubscribe = new Places()
    const address = new Places()
    const finder = new HiddenFinder()
    const visit = (parent: ParentNode) => {
      for (const child of parent.children) {
        if (isTag(child)) {
          if (child.attribs['href'] === unsubscribeMark) unsubscribe.add(finder, child)
          visit(child)
        } else if (isText(child) && postal !== '' && child.data.includes(postal)) {
          address.add(finder, child)
        }
      }
    }
    visit(variant)
    const found = { unsubscribe: unsubscribe.allHiddenBy, postal: address.allHiddenBy }
    for (const part of ['unsubscribe', 'postal'] as const) {
      const by = found[part]
      if (by !== undefined && !hidden.has(part)) hidden.set(part, by)
    }
  }
  return [...hidden].map(([part, by]) => ({ part, by }))
}

/** All places of one part of the footer. One that can be seen is enough. */
class Places {
  #isSeen = false
  #by: string | undefined

  add(finder: HiddenFinder, node: Parameters<HiddenFinder['hiddenBy']>[0]): void {
    if (this.#isSeen) return
    const by = finder.hiddenBy(node)
    if (by === undefined) this.#isSeen = true
    else this.#by ??= by
  }

  get allHiddenBy(): string | undefined {
    return this.#isSeen ? undefined : this.#by
  }
}

/**
 * The email itself, and the email with each conditional block of its head in force: what a media
 * query hides is hidden from those whose client matches it. Where inlining would take too long, the
 * footer is looked at alone.
 */
function variantsOf(page: Document): Document[] {
  const sheet = findElement(page, ({ name }) => name === 'style')
  if (sheet === undefined) return [page]
  const css = sheet.children.map((child) => ('data' in child ? child.data : '')).join('')
  const base = canInline(page, css) ? page : footerAlone(page)
  const { plain, blocks } = splitBlocks(css)
  const always = plain.replace(/:(?:any-link|-webkit-any-link|link)\b/g, '')
  const variants = [always, ...blocks.slice(0, blocksMax)].map((rules) => {
    const variant = cloneNode(base, true)
    inlineRules(variant, rules)
    return variant
  })
  return [page, ...variants]
}

/** A page of the footer and what follows it, in the elements that lay it out. */
function footerAlone(page: Document): Document {
  let footer: Element | undefined
  eachElement(page, (element) => {
    if (element.name === 'div' && element.attribs['class'] === 'sluice-footer') footer = element
  })
  const body = findElement(page, ({ name }) => name === 'body')
  if (footer?.parent == null || body === undefined) return page
  const siblings = footer.parent.children
  const kept = siblings.slice(siblings.indexOf(footer)).map((node) => cloneNode(node, true))
  const around = ['table', 'tr', 'td', 'div'].map((name) => new Element(name, {}))
  const small = new Element('body', { ...body.attribs })
  let inner = small
  for (const element of around) {
    setChildren(inner, [element])
    inner = element
  }
  setChildren(inner, kept)
  const html = new Element('html', {})
  setChildren(html, [small])
  const alone = new Document([])
  setChildren(alone, [html])
  return alone
}
