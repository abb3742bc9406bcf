/** Markup of emails: every value in a template is escaped, unless it is markup itself. */
import { escapeHtml } from '#schemas/mail/escape-value.ts'

export interface Markup {
  readonly markup: string
}

type Piece = string | Markup | readonly Markup[] | undefined

export function html(texts: TemplateStringsArray, ...pieces: readonly Piece[]): Markup {
  const markupOf = (piece: Piece): string => {
    if (piece === undefined) return ''
    if (typeof piece === 'string') return escapeHtml(piece)
    return 'markup' in piece ? piece.markup : piece.map(markupOf).join('')
  }
  return {
    markup: texts
      .map((text, index) => (index === 0 ? text : markupOf(pieces[index - 1]) + text))
      .join(''),
  }
}
