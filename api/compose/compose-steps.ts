/**
 * The way of an email from its source to literals and slots, as the list of its steps. HTML is
 * tokenised where a library takes it as text, and nowhere else:
 *
 * - `sanitise`: sanitize-html reads the author's HTML, and its output is parsed into the tree;
 * - `writeTextPart`: html-to-text reads the sanitised body;
 * - `layOutPage`: the template around the body, which is ours.
 *
 * Everything between works on the tree, and `compileSlots` serialises it once.
 */
import { escapeHtml, headerText } from '#schemas/mail/escape-value.ts'
import { composeFooter } from './campaign-frame.ts'
import {
  checkComplexity,
  checkPlaceholderCount,
  checkRenderedComplexity,
} from './check-complexity.ts'
import {
  type ComposingBody,
  type ComposingEmail,
  isCampaign,
  isWholeDocument,
} from './composing-email.ts'
import { canInline, inlineCss } from './css/inline-css.ts'
import { compileHtml } from './html/compile-html.ts'
import { decodeEntities } from './html/decode-entities.ts'
import { trimTree } from './html/html-tree.ts'
import { sanitiseHtml } from './html/sanitise-html.ts'
import { emailSyntax } from './html/write-html.ts'
import { layOut } from './layout.ts'
import { renderMarkdown } from './render-markdown.ts'
import { unknownPlaceholders } from './template.ts'
import { textPartOf } from './text-part.ts'
import { linkAddresses, removeTrackMarks, trackLinks } from './track-links.ts'

/** Changes its argument in place, or throws a `CodedError` that refuses the source. */
export type ComposeStep<Composing> = (composing: Composing) => void

export const emailSteps: readonly ComposeStep<ComposingEmail>[] = [
  checkComplexity,
  protectPlaceholders,
  renderSource,
  checkRenderedComplexity,
  sanitiseForMail,
  listAddresses,
  addFooter,
  checkPlaceholderCount,
  writeTextPart,
  trackClicks,
  layOutPage,
  inlineStyles,
  compileSlots,
]

export const articleSteps: readonly ComposeStep<ComposingBody>[] = [
  protectPlaceholders,
  renderSource,
  sanitiseForArchive,
  dropTrackMarks,
]

export function runSteps<Composing>(
  composing: Composing,
  steps: readonly ComposeStep<Composing>[],
): void {
  for (const step of steps) step(composing)
}

const unknownNamedMax = 5
/** Gmail cuts an email off near 102 KB, and the unsubscribe link stands at its end. */
const htmlBytesWarned = 90 * 1024

function protectPlaceholders(composing: ComposingBody): void {
  const { html, markdown } = composing.source
  composing.html = composing.marks.protect(html ?? markdown ?? '', decodeEntities)
}

function renderSource(composing: ComposingBody): void {
  if (typeof composing.source.html === 'string') return
  composing.html = renderMarkdown(composing.html)
}

function sanitiseForMail(composing: ComposingBody): void {
  const { tree, css } = sanitiseHtml(composing.html, 'mail')
  trimTree(tree)
  composing.tree = tree
  composing.css = css
}

function sanitiseForArchive(composing: ComposingBody): void {
  const { tree, css } = sanitiseHtml(composing.html, 'archive')
  composing.tree = tree
  composing.css = css
}

function listAddresses(email: ComposingEmail): void {
  email.addresses = linkAddresses(email.tree, email.marks)
}

function addFooter(email: ComposingEmail): void {
  const { frame, marks } = email
  if (isCampaign(frame)) email.footer = composeFooter(frame, marks)
}

function writeTextPart(email: ComposingEmail): void {
  const { tree, marks, footer } = email
  const texts = [textPartOf(tree.children, marks), footer?.text ?? '']
  email.text = `${texts.filter((text) => text !== '').join('\n\n')}\n`
}

function trackClicks(email: ComposingEmail): void {
  const { tree, marks, frame } = email
  if (isCampaign(frame) && frame.tracking.clicks) email.links = trackLinks(tree, marks)
  else removeTrackMarks(tree)
}

function dropTrackMarks({ tree }: ComposingBody): void {
  removeTrackMarks(tree)
}

function layOutPage(email: ComposingEmail): void {
  const { source, frame, marks, subject, css, footer } = email
  const preview = headerText(source.previewText ?? '').trim()
  email.tree = layOut({
    subject: escapeHtml(subject),
    preview: preview === '' ? undefined : escapeHtml(marks.protect(preview)),
    locale: isCampaign(frame) ? frame.newsletter.locale : (frame.locale ?? 'en'),
    body: email.tree,
    css,
    isDocument: isWholeDocument(source),
    footer,
  })
}

function inlineStyles(email: ComposingEmail): void {
  email.isInlined = canInline(email.tree, email.css)
  if (email.isInlined) inlineCss(email.tree)
}

function compileSlots(email: ComposingEmail): void {
  const { marks, links, subject, text, tree } = email
  const compiled = {
    subject: marks.compile(subject, () => 'header'),
    html: compileHtml(tree.children, marks, emailSyntax),
    text: marks.compile(text, () => 'text'),
  }
  const literals = compiled.html.filter((part) => typeof part === 'string')
  const htmlBytes = literals.reduce((sum, literal) => sum + Buffer.byteLength(literal), 0)
  email.result = { email: compiled, links, warnings: warningsOf(email, htmlBytes) }
}

function warningsOf({ written, isInlined }: ComposingEmail, htmlBytes: number): string[] {
  return [
    ...unknownPlaceholders(written.join('\n'), unknownNamedMax).map(
      (braces) => `${braces} is not a placeholder and is sent unchanged.`,
    ),
    ...(isInlined ? [] : ['The styles are too many to be inlined; they stay in the head.']),
    ...(htmlBytes <= htmlBytesWarned
      ? []
      : ['The email is longer than 90 KB: Gmail will clip it before its end.']),
  ]
}
