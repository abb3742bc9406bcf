/**
 * A campaign as the archive shows it: no name of a subscriber, no personal link, no tracking, and
 * nothing but text, tables and images. It has the same source as the email; conditional comments
 * are left out, because these pages are on our own origin.
 */
import { Document } from 'domhandler'
import type { CompiledEmail } from '#schemas/mail/compiled-email.ts'
import { fillEmail } from '#schemas/mail/compiled-email.ts'
import { headerText } from '#schemas/mail/escape-value.ts'
import { articleSteps, runSteps } from './compose-steps.ts'
import { type ComposingBody, isWholeDocument } from './composing-email.ts'
import type { EmailSource } from './email-source.ts'
import { compileHtml, compileValue } from './html/compile-html.ts'
import { SlotMarks } from './html/slot-marks.ts'
import { archiveSyntax } from './html/write-html.ts'

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
  const composing: ComposingBody = { source, marks, html: '', tree: new Document([]), css: '' }
  runSteps(composing, articleSteps)
  const { tree, css } = composing
  const email: CompiledEmail = {
    subject: marks.compile(marks.protect(headerText(subject)), () => 'header'),
    html: compileHtml(tree.children, marks, archiveSyntax),
    text: marks.compile(marks.protect(headerText(previewText ?? '')), () => 'text'),
  }
  const sheet: CompiledEmail = { subject: [], html: compileValue(css, 'style', marks), text: [] }
  // Without a contact, each placeholder shows its fallback.
  const filled = fillEmail(email, {})
  return {
    subject: filled.subject,
    preview: filled.text.trim(),
    body: filled.html.trim(),
    css: fillEmail(sheet, {}).html,
    isDocument: isWholeDocument(source),
  }
}
