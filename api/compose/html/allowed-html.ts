/** The allow-list of emails: structure, tables, text and images. */

// biome-ignore format: one line for each kind.
export const mailTags: ReadonlySet<string> = new Set([
  'address', 'article', 'aside', 'footer', 'header', 'main', 'nav', 'section', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6',
  'blockquote', 'center', 'dd', 'div', 'dl', 'dt', 'figcaption', 'figure', 'hr', 'li', 'ol', 'p', 'pre', 'ul',
  'a', 'abbr', 'b', 'bdi', 'bdo', 'big', 'br', 'cite', 'code', 'del', 'dfn', 'em', 'font', 'i', 'img', 'ins', 'kbd', 'mark', 'q',
  's', 'samp', 'small', 'span', 'strike', 'strong', 'sub', 'sup', 'time', 'tt', 'u', 'var', 'wbr',
  'caption', 'col', 'colgroup', 'table', 'tbody', 'td', 'tfoot', 'th', 'thead', 'tr',
  'style',
])

// biome-ignore format: one line for each kind.
export const mailAttributes: Readonly<Record<string, readonly string[]>> = {
  '*': ['style', 'class', 'id', 'align', 'valign', 'bgcolor', 'width', 'height', 'dir', 'lang', 'title', 'role', 'aria-hidden', 'aria-label'],
  a: ['href', 'name', 'data-no-track'],
  img: ['src', 'alt', 'border', 'hspace', 'vspace'],
  table: ['border', 'cellpadding', 'cellspacing', 'background', 'bordercolor', 'summary'],
  td: ['colspan', 'rowspan', 'background', 'nowrap', 'headers', 'scope'],
  th: ['colspan', 'rowspan', 'background', 'nowrap', 'headers', 'scope'],
  tr: ['background'],
  col: ['span'],
  colgroup: ['span'],
  font: ['color', 'face', 'size'],
  ol: ['start', 'type', 'reversed'],
  ul: ['type'],
  li: ['value', 'type'],
  hr: ['size', 'color', 'noshade'],
  time: ['datetime'],
  style: ['media'],
}

/** Elements that are removed with their content; of all others only the tags are removed. */
// biome-ignore format: one line for each kind.
export const removedWithContent: readonly string[] = [
  'script', 'template', 'object', 'iframe', 'svg', 'math',
  'textarea', 'option', 'select', 'button', 'title',
  'noscript', 'noembed', 'noframes', 'xmp', 'plaintext',
]

export const linkSchemes: readonly string[] = ['http', 'https', 'mailto', 'tel', 'sms']
/** `data:` is narrowed to small images where attributes are read. */
export const imageSchemes: readonly string[] = ['http', 'https', 'data']
