/** Makes the HTML of an email into what a frame of the dashboard shows, and its policy. */
export type PreviewImages = 'load' | 'block'
export type PreviewScheme = 'light' | 'dark'

/**
 * `allow-same-origin` lets the dashboard keep the scroll position when it loads the frame again.
 * Without `allow-scripts` the document can do nothing with its origin.
 */
export function previewPolicy(images: PreviewImages): string {
  const sources = images === 'load' ? 'https: http: data:' : 'data:'
  return `default-src 'none'; style-src 'unsafe-inline'; img-src ${sources}; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; sandbox allow-same-origin allow-popups allow-popups-to-escape-sandbox`
}

/**
 * What a mail client with this scheme shows, in a browser of any scheme: media queries of the
 * scheme apply always, those of the other one never.
 */
export function asScheme(html: string, scheme: PreviewScheme): string {
  const styled = html.replace(
    /\(\s*prefers-color-scheme\s*:\s*(dark|light)\s*\)/gi,
    (_, named: string) => (named.toLowerCase() === scheme ? '(min-width: 0)' : '(max-width: 0)'),
  )
  return styled.replace(
    /<meta name="color-scheme" content="[^"]*">/,
    `<meta name="color-scheme" content="${scheme}">`,
  )
}

/** Their places show their texts. The policy blocks what this leaves, such as backgrounds. */
export function withoutImages(html: string): string {
  return html.replace(/<img\b[^<>]*>/gi, (tag) =>
    tag.replace(/\s(?:src|srcset)="(?!data:)[^"]*"/gi, ''),
  )
}

/** The policy forbids `<base href>` and its sandbox keeps links from replacing the document. */
export function withLinksOutside(html: string): string {
  return html.replace('<head>', '<head>\n<base target="_blank">')
}
