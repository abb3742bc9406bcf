/**
 * From what an author wrote to a letter that only waits for its reader: Markdown, sanitising, layout, links, inlining, text part, in this
 * order, and then the compiling of placeholders into slots. All of it happens once for a campaign and once for a single letter.
 */
import type { CompiledEmail, Part } from '#schemas/mail/compiled-email.ts'
import { escapeHtml, headerText } from '#schemas/mail/escape-value.ts'
import { unknownPlaceholders } from '#schemas/mail/template.ts'
import { invalidField } from '../http/validation/invalid-field.ts'
import { type CampaignFrame, surround } from './campaign-frame.ts'
import { compileHtml } from './compile-html.ts'
import { canInline, inlineCss } from './css/inline-css.ts'
import { checkComplexity, renderWithinBounds } from './html/check-complexity.ts'
import { decodeEntities } from './html/html-pieces.ts'
import { sanitiseHtml } from './html/sanitise-html.ts'
import { SlotMarks } from './html/slot-marks.ts'
import { layOut } from './layout.ts'
import { textPartOf } from './text-part.ts'
import { trackLinks, withoutTrackMarks } from './track-links.ts'

export interface EmailSource {
  readonly subject: string
  readonly previewText?: string | null | undefined
  /** One of the two. */
  readonly html?: string | null | undefined
  readonly markdown?: string | null | undefined
}

/** A single letter has neither tracking nor list links nor a footer (email-api: Send). */
export type EmailFrame = { readonly kind: 'send'; readonly locale?: string } | CampaignFrame

export interface ComposedEmail {
  readonly email: CompiledEmail
  /** What clicks lead to, by index; empty where they are not counted. */
  readonly links: string[]
  /** Sentences for the author. */
  readonly warnings: string[]
}

/** Each may become as long as a value is, for every reader. */
const placeholdersMax = 1_000
const unknownNamedMax = 5
/** Gmail cuts a letter off near 102 KB, and the way to leave stands at its end. */
const htmlBytesWarned = 90 * 1024

export function composeEmail(source: EmailSource, frame: EmailFrame): ComposedEmail {
  checkComplexity(source)
  const written = [
    source.subject,
    source.previewText ?? '',
    source.html ?? '',
    source.markdown ?? '',
    ...(frame.kind === 'campaign' ? [frame.newsletter.footer ?? ''] : []),
  ]
  const marks = new SlotMarks([...written, JSON.stringify(frame)])
  const subject = marks.protect(headerText(source.subject).trim())
  const body = bodyOf(source, marks)
  const around =
    frame.kind === 'campaign' ? surround(frame, marks) : { above: '', below: '', text: '' }
  if (marks.valueCount > placeholdersMax) {
    const field = typeof source.html === 'string' ? 'html' : 'markdown'
    throw invalidField(field, `must hold at most ${placeholdersMax} placeholders`)
  }

  const tracked =
    frame.kind === 'campaign' && frame.tracking.clicks
      ? trackLinks(body.html, marks)
      : { html: withoutTrackMarks(body.html), links: [] }
  const laidOut = layOut({
    subject: escapeHtml(subject),
    preview: previewOf(source, marks),
    locale: frame.kind === 'campaign' ? frame.newsletter.locale : (frame.locale ?? 'en'),
    body: tracked.html,
    css: body.css,
    isDocument: body.isDocument,
    ...around,
  })
  const isInlined = canInline(laidOut, body.css)
  const text = [textPartOf(body.html, marks), around.text].filter((part) => part !== '')
  const email: CompiledEmail = {
    subject: marks.compile(subject, () => 'header'),
    html: compileHtml(isInlined ? inlineCss(laidOut) : laidOut, marks),
    text: marks.compile(`${text.join('\n\n')}\n`, () => 'text'),
  }
  return {
    email,
    links: tracked.links,
    warnings: [
      ...unknownPlaceholders(written.join('\n'), unknownNamedMax).map(
        (braces) => `${braces} is no placeholder and goes out as it is.`,
      ),
      ...(isInlined ? [] : ['The styles are too many to be inlined; they stay in the head.']),
      ...(htmlBytesWarned < bytesOf(email.html)
        ? ['The letter is longer than 90 KB: Gmail will cut it off before its end.']
        : []),
    ],
  }
}

interface ComposedBody {
  readonly html: string
  readonly css: string
  readonly isDocument: boolean
}

function bodyOf(source: EmailSource, marks: SlotMarks): ComposedBody {
  if (typeof source.html === 'string') {
    const isDocument = /<(?:!doctype|html|body)\b/i.test(source.html)
    const clean = sanitiseHtml(marks.protect(source.html, decodeEntities), 'mail')
    return { html: clean.body.trim(), css: clean.css, isDocument }
  }
  const rendered = renderWithinBounds(marks.protect(source.markdown ?? '', decodeEntities))
  const clean = sanitiseHtml(rendered, 'mail')
  return { html: clean.body.trim(), css: clean.css, isDocument: false }
}

function previewOf(source: EmailSource, marks: SlotMarks): string | undefined {
  const preview = headerText(source.previewText ?? '').trim()
  return preview === '' ? undefined : escapeHtml(marks.protect(preview))
}

function bytesOf(parts: readonly Part[]): number {
  return parts.reduce(
    (sum, part) => sum + (typeof part === 'string' ? Buffer.byteLength(part) : 0),
    0,
  )
}
