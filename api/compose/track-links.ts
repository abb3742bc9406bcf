/**
 * Rewrites the links of a campaign that counts clicks to our own redirect. Links that stay are
 * other schemes, anchors, links that contain a placeholder (their target differs by subscriber, and
 * a redirect to a subscriber's value would be an open redirect), and links marked `data-no-track`.
 */
import type { Document } from 'domhandler'
import { decodeEntities } from './html/decode-entities.ts'
import { eachElement } from './html/html-tree.ts'
import type { SlotMarks } from './html/slot-marks.ts'

export const linksMax = 500

/** The index of a hidden link without a target, which only machines follow. */
export const honeypotLinkIndex = 65_535

const untrackedMark = 'data-no-track'

/** Returns the targets, one each, in the order of their index. */
export function trackLinks(tree: Document, marks: SlotMarks): string[] {
  const indexes = new Map<string, number>()
  eachElement(tree, ({ name, attribs }) => {
    if (name !== 'a') return
    const isUntracked = Object.hasOwn(attribs, untrackedMark)
    delete attribs[untrackedMark]
    const href = attribs['href'] ?? ''
    if (isUntracked || marks.has(href)) return
    const address = decodeEntities(href).trim()
    if (!/^https?:\/\//i.test(address) || !URL.canParse(address)) return
    const index = indexes.get(address) ?? indexes.size
    if (index >= linksMax) return
    indexes.set(address, index)
    attribs['href'] = marks.mark({ link: 'click', index })
  })
  return [...indexes.keys()]
}

/** Removes the attribute where clicks are not counted. */
export function removeTrackMarks(tree: Document): void {
  eachElement(tree, ({ name, attribs }) => {
    if (name === 'a') delete attribs[untrackedMark]
  })
}

/** Link targets as a browser reads them, with placeholders as `{{…}}`; empty if missing. */
export function linkAddresses(tree: Document, marks: SlotMarks): string[] {
  const addresses: string[] = []
  eachElement(tree, ({ name, attribs }) => {
    if (name !== 'a' || Object.keys(attribs).length === 0) return
    const address = marks.withPlaceholders(decodeEntities(attribs['href'] ?? '').trim())
    // Markdown encodes the braces of placeholders that do not exist.
    addresses.push(address.replaceAll('%7B', '{').replaceAll('%7D', '}'))
  })
  return addresses
}
