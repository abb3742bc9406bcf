/** The text part, made from the sanitised HTML: links as `text (address)`, tables of data by column, wrapped nowhere. */
import { convert, type FormatCallback } from 'html-to-text'
import { attributesOf, decodeEntities, mapTags, withAttributeValue } from './html/html-pieces.ts'
import type { SlotMarks } from './html/slot-marks.ts'

const depthMax = 120
const cellCharactersMax = 60

const formatAlt: FormatCallback = (element, _walk, builder) => {
  const alt = (element.attribs as Record<string, string> | undefined)?.['alt'] ?? ''
  if (alt.trim() !== '') builder.addInline(`[${alt.trim()}]`)
}

export function textPartOf(html: string, marks: SlotMarks): string {
  const addressed = mapTags(html, (tag) => {
    if (/^<t[dh]\s/i.test(tag)) return withoutSpans(tag)
    if (!/^<a\s/i.test(tag) || !marks.has(tag)) return tag
    const href = attributesOf(tag).find(({ name }) => name === 'href')
    return href === undefined ? tag : withAttributeValue(tag, href, marks.asAddress(href.value))
  })
  const text = convert(addressed, {
    wordwrap: false,
    limits: { maxDepth: depthMax },
    formatters: { alt: formatAlt },
    selectors: [
      {
        selector: 'a',
        options: { linkBrackets: [' (', ')'], hideLinkHrefIfSameAsText: true, noAnchorUrl: true },
      },
      { selector: 'img', format: 'alt' },
      {
        selector: 'table.data',
        format: 'dataTable',
        options: { maxColumnWidth: cellCharactersMax },
      },
      ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'table.data'].map((selector) => ({
        selector,
        options: { uppercase: false, uppercaseHeaderCells: false },
      })),
    ],
  })
  return text.trim()
}

/** Each cell stands once: a span of a million cells would be laid out cell by cell. */
function withoutSpans(tag: string): string {
  return tag.replace(/\s(?:colspan|rowspan)="[^"]*"/gi, '')
}

/** Addresses of links, as a browser would read them. */
export function linkAddresses(html: string): string[] {
  const addresses: string[] = []
  mapTags(html, (tag) => {
    if (/^<a\s/i.test(tag)) {
      const href = attributesOf(tag).find(({ name }) => name === 'href')
      addresses.push(decodeEntities(href?.value ?? '').trim())
    }
    return tag
  })
  return addresses
}
