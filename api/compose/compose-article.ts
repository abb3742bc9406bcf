/**
 * An issue as the archive shows it: nobody's name, no personal link, no tracking, and nothing but text, tables and pictures. The same
 * source as the letter's, under a stricter pass, because these pages stand on our own origin.
 */
import type { CompiledEmail } from '#schemas/mail/compiled-email.ts'
import { fillEmail } from '#schemas/mail/compiled-email.ts'
import { headerText } from '#schemas/mail/escape-value.ts'
import { compileHtml } from './compile-html.ts'
import type { EmailSource } from './compose-email.ts'
import { decodeEntities } from './html/html-pieces.ts'
import { sanitiseHtml } from './html/sanitise-html.ts'
import { SlotMarks } from './html/slot-marks.ts'
import { renderMarkdown } from './render-markdown.ts'
import { withoutTrackMarks } from './track-links.ts'

export interface Article {
  readonly subject: string
  readonly preview: string
  /** A fragment. */
  readonly body: string
  readonly css: string
  readonly isDocument: boolean
}

export function composeArticle(source: EmailSource): Article {
  const { subject, previewText, html, markdown } = source
  const marks = new SlotMarks([subject, previewText ?? '', html ?? '', markdown ?? ''])
  const written =
    typeof html === 'string'
      ? marks.protect(html, decodeEntities)
      : renderMarkdown(marks.protect(markdown ?? '', decodeEntities))
  const clean = sanitiseHtml(written, 'archive')
  const styled = `<style>${clean.css}</style>`
  const email: CompiledEmail = {
    subject: marks.compile(marks.protect(headerText(subject)), () => 'header'),
    html: compileHtml(`${styled}${withoutTrackMarks(clean.body)}`, marks),
    text: marks.compile(marks.protect(headerText(previewText ?? '')), () => 'text'),
  }
  // Without a reader, each placeholder is its fallback.
  const filled = fillEmail(email, {})
  const cssEnd = filled.html.indexOf('</style>')
  return {
    subject: filled.subject,
    preview: filled.text.trim(),
    body: filled.html.slice(cssEnd + '</style>'.length).trim(),
    css: filled.html.slice('<style>'.length, cssEnd),
    isDocument: typeof html === 'string' && /<(?:!doctype|html|body)\b/i.test(html),
  }
}
