/**
 * The text part, from the sanitised body: links as `text (address)`, tables of data by column, not
 * wrapped. html-to-text has no entry for a tree, so the body is serialised for it; what differs
 * from the HTML that is sent (no spans of cells, marked addresses) is decided while serialising.
 */
import type { ChildNode, Element } from 'domhandler'
import { compile, type FormatCallback } from 'html-to-text'
import type { SlotMarks } from './html/slot-marks.ts'
import { emailSyntax, serialiseHtml } from './html/write-html.ts'

const depthMax = 120
const cellCharactersMax = 60

const formatAlt: FormatCallback = (element, _walk, builder) => {
  const alt = (element.attribs as Record<string, string> | undefined)?.['alt'] ?? ''
  if (alt.trim() !== '') builder.addInline(`[${alt.trim()}]`)
}

const convert = compile({
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

export function textPartOf(body: readonly ChildNode[], marks: SlotMarks): string {
  const attribute = ({ name: tag }: Element, name: string, value: string) => {
    if (tag === 'a' && name === 'href' && marks.has(value)) return marks.asAddress(value)
    // Each cell is written once: a span of a million cells would be laid out cell by cell.
    const isSpan = name === 'colspan' || name === 'rowspan'
    return isSpan && (tag === 'td' || tag === 'th') ? undefined : value
  }
  return convert(serialiseHtml(body, { ...emailSyntax, attribute })).trim()
}
