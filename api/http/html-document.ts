/** HTML documents that hold all they need: text, and one style sheet that the policy names. */
import { createHash } from 'node:crypto'
import { escapeHtml } from '#schemas/mail/escape-value.ts'

/** Markup made by `html`, which escapes every value. */
export interface Markup {
  readonly markup: string
}

type Piece = string | Markup | readonly Markup[]

export function html(texts: TemplateStringsArray, ...pieces: readonly Piece[]): Markup {
  const markupOf = (piece: Piece): string => {
    if (typeof piece === 'string') return escapeHtml(piece)
    return 'markup' in piece ? piece.markup : piece.map(markupOf).join('')
  }
  return {
    markup: texts
      .map((text, index) => (index === 0 ? text : markupOf(pieces[index - 1]!) + text))
      .join(''),
  }
}

export interface HtmlDocument {
  readonly title: string
  readonly style: string
  /** The content of `main`. */
  readonly body: Markup
  /** Default: English. */
  readonly language?: string | undefined
  readonly direction?: 'ltr' | 'rtl' | undefined
}

export function htmlDocument({ title, style, body, language, direction }: HtmlDocument): string {
  return `<!doctype html>
<html lang="${escapeHtml(language ?? 'en')}" dir="${direction ?? 'ltr'}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>${style}</style>
</head>
<body>
<main>
${body.markup}
</main>
</body>
</html>
`
}

/** Allows exactly this style sheet in a content security policy. */
export function sourceOfStyle(style: string): string {
  return `'sha256-${createHash('sha256').update(style).digest('base64')}'`
}
