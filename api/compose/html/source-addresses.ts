import { renderMarkdown } from '../render-markdown.ts'
import { linkAddresses } from '../text-part.ts'
import { sanitiseHtml } from './sanitise-html.ts'

/** Where the links of an author's text lead, placeholders as written: to find those that lead nowhere. */
export function sourceAddresses(source: {
  readonly html: string | null
  readonly markdown: string | null
}): string[] {
  const html = source.html ?? renderMarkdown(source.markdown ?? '')
  return linkAddresses(sanitiseHtml(html, 'archive').body).map((address) =>
    address.replaceAll('%7B', '{').replaceAll('%7D', '}'),
  )
}
