/**
 * The state that the steps of composing share. The source is text until `sanitise` parses it; from
 * then on every step reads and changes one tree, which is serialised once at the end.
 */
import { Document } from 'domhandler'
import { headerText } from '#schemas/mail/escape-value.ts'
import type { CampaignFrame, ComposedEmail, EmailFrame, EmailSource } from './email-source.ts'
import { SlotMarks } from './html/slot-marks.ts'

export interface ComposingBody {
  readonly source: EmailSource
  readonly marks: SlotMarks
  /** The body as text, with marks for placeholders; the tree replaces it when it is sanitised. */
  html: string
  /** The author's body; after `layOut` the whole page. Its texts and attributes are escaped. */
  tree: Document
  /** The author's style sheets, filtered. */
  css: string
}

export interface ComposingEmail extends ComposingBody {
  readonly frame: EmailFrame
  /** All texts that authors wrote, to look for placeholders that do not exist. */
  readonly written: readonly string[]
  /** With marks. */
  readonly subject: string
  /** Targets of the author's links, with placeholders as `{{…}}`. */
  addresses: string[]
  footer: CampaignFooter | undefined
  /** The text part, with marks. */
  text: string
  links: string[]
  isInlined: boolean
  /** Empty until the last step. */
  result: ComposedEmail
}

export interface CampaignFooter {
  /** HTML of the logo, which stands above the body. */
  readonly above: string
  /** HTML that stands below the body, with a `sluice-slot` element for `own`. */
  readonly below: string
  /** The newsletter's own footer, sanitised. */
  readonly own: Document
  /** The same as text. */
  readonly text: string
}

export function startComposing(source: EmailSource, frame: EmailFrame): ComposingEmail {
  const written = [
    source.subject,
    source.previewText ?? '',
    source.html ?? '',
    source.markdown ?? '',
    ...(frame.kind === 'campaign' ? [frame.newsletter.footer ?? ''] : []),
  ]
  const marks = new SlotMarks([...written, JSON.stringify(frame)])
  return {
    source,
    frame,
    marks,
    written,
    subject: marks.protect(headerText(source.subject).trim()),
    html: '',
    tree: new Document([]),
    css: '',
    addresses: [],
    footer: undefined,
    text: '',
    links: [],
    isInlined: false,
    result: { email: { subject: [], html: [], text: [] }, links: [], warnings: [] },
  }
}

export function isCampaign(frame: EmailFrame): frame is CampaignFrame {
  return frame.kind === 'campaign'
}

/** A whole document brings its own design; a fragment and Markdown get ours. */
export function isWholeDocument({ html }: EmailSource): boolean {
  return typeof html === 'string' && /<(?:!doctype|html|body)\b/i.test(html)
}
