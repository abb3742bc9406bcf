/**
 * CommonMark with tables, strike-through and bare addresses. Raw HTML passes through, because all
 * of the output is sanitised afterwards.
 */
import MarkdownIt from 'markdown-it'

const markdown = new MarkdownIt({ html: true, linkify: true, typographer: false })
// Only text with http:// or an @ becomes a link: `README.md` is not an address.
markdown.linkify.set({ fuzzyLink: false })
// The text part lays out tables of data by column, and tables of a layout cell by cell.
markdown.renderer.rules['table_open'] = () => '<table class="data">\n'

export function renderMarkdown(source: string): string {
  return markdown.render(source)
}
