/**
 * Links of a campaign that counts clicks lead over our own address. Left as they are: what is no web address, anchors, links that hold a
 * placeholder (their target differs by reader, and a redirect to a reader's value would be an open one), and links marked
 * `data-no-track`.
 */
import { attributesOf, decodeEntities, mapTags, withAttributeValue } from './html/html-pieces.ts'
import type { SlotMarks } from './html/slot-marks.ts'

export const linksMax = 500

/** Followed by machines only: the link with this index cannot be seen. It leads nowhere. */
export const honeypotLinkIndex = 65_535

export interface TrackedLinks {
  readonly html: string
  /** One address each, in the order of the index. */
  readonly links: string[]
}

export function trackLinks(html: string, marks: SlotMarks): TrackedLinks {
  const indexes = new Map<string, number>()
  const tracked = mapTags(html, (tag) => {
    if (!/^<a\s/i.test(tag)) return tag
    const href = attributesOf(tag).find(({ name }) => name === 'href')
    if (href === undefined || isUntracked(tag) || marks.has(href.value)) return withoutMark(tag)
    const address = decodeEntities(href.value).trim()
    if (!/^https?:\/\//i.test(address) || !URL.canParse(address)) return tag
    const index = indexes.get(address) ?? indexes.size
    if (index >= linksMax) return tag
    indexes.set(address, index)
    return withAttributeValue(tag, href, marks.mark({ link: 'click', index }))
  })
  return { html: tracked, links: [...indexes.keys()] }
}

/** Where clicks are not counted the mark says nothing to anybody. */
export function withoutTrackMarks(html: string): string {
  return mapTags(html, (tag) => (/^<a\s/i.test(tag) ? withoutMark(tag) : tag))
}

function isUntracked(tag: string): boolean {
  return /\sdata-no-track(?:[\s=>]|$)/i.test(tag)
}

function withoutMark(tag: string): string {
  return tag.replace(/\sdata-no-track(?:="[^"]*")?/gi, '')
}
