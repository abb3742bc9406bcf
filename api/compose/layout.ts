/**
 * The page around an author's body: head, preview line, and for campaigns the logo above and the
 * footer below. Tables and inlined styles lay it out, which every email client can show; colours
 * follow the subscriber's scheme where the client knows it.
 *
 * The template is HTML of our own, with escaped values in it. It is parsed separately, and the
 * trees of the body and of the newsletter's footer take the places of its `sluice-slot` elements.
 */
import type { ChildNode, Document } from 'domhandler'
import { escapeHtml } from '#schemas/mail/escape-value.ts'
import type { CampaignFooter } from './composing-email.ts'
import { findElement, parseHtml, replaceNode } from './html/html-tree.ts'

export interface LayoutOptions {
  /** Escaped, with marks. */
  readonly subject: string
  /** Escaped, with marks; undefined leaves the preview line out. */
  readonly preview: string | undefined
  readonly locale: string
  readonly body: Document
  readonly css: string
  /** A whole document has its own design; a fragment and Markdown get the design of Sluice. */
  readonly isDocument: boolean
  readonly footer: CampaignFooter | undefined
}

const baseCss = `
body { margin: 0; padding: 0; background-color: #ffffff; color: #1c2024; }
.sluice-page { width: 100%; background-color: #ffffff; }
.sluice-text { max-width: 600px; margin: 0 auto; padding: 24px 20px; font-family: -apple-system, 'Segoe UI', Roboto, Helvetica, Arial, sans-serif; font-size: 16px; line-height: 1.6; color: #1c2024; word-break: break-word; }
.sluice-text h1 { font-size: 28px; line-height: 1.25; margin: 0 0 16px; }
.sluice-text h2 { font-size: 22px; line-height: 1.3; margin: 32px 0 12px; }
.sluice-text h3 { font-size: 18px; line-height: 1.35; margin: 28px 0 8px; }
.sluice-text p { margin: 0 0 16px; }
.sluice-text a { color: #0b62d6; }
.sluice-text img { max-width: 100%; height: auto; border: 0; }
.sluice-text ul, .sluice-text ol { margin: 0 0 16px; padding: 0 0 0 24px; }
.sluice-text blockquote { margin: 0 0 16px; padding: 0 0 0 16px; border-left: 3px solid #c9d1d9; color: #57606a; }
.sluice-text hr { border: 0; border-top: 1px solid #d8dee4; margin: 32px 0; }
.sluice-text code { font-family: ui-monospace, Menlo, Consolas, monospace; font-size: 14px; }
.sluice-text pre { background-color: #f3f5f7; padding: 12px 16px; margin: 0 0 16px; overflow: auto; font-size: 14px; line-height: 1.45; white-space: pre-wrap; }
.sluice-text table.data { border-collapse: collapse; margin: 0 0 16px; }
.sluice-text table.data td, .sluice-text table.data th { border: 1px solid #d8dee4; padding: 6px 10px; text-align: left; }
@media (prefers-color-scheme: dark) {
  body, .sluice-page { background-color: #15181c !important; }
  .sluice-text, .sluice-text blockquote { color: #e4e8ec !important; }
  .sluice-text a { color: #7ab7ff !important; }
  .sluice-text pre { background-color: #22272e !important; }
  .sluice-text table.data td, .sluice-text table.data th, .sluice-text hr { border-color: #343b43 !important; }
}
`

const footerCss = `
.sluice-footer { max-width: 600px; margin: 0 auto; padding: 20px; border-top: 1px solid #d8dee4; font-family: -apple-system, 'Segoe UI', Roboto, Helvetica, Arial, sans-serif; font-size: 13px; line-height: 1.5; color: #57606a; }
.sluice-footer p { margin: 0 0 8px; }
.sluice-footer a { color: #57606a; text-decoration: underline; }
.sluice-logo { max-width: 600px; margin: 0 auto; padding: 24px 20px 0; }
@media (prefers-color-scheme: dark) {
  .sluice-footer, .sluice-footer a { color: #9aa4af !important; border-color: #343b43 !important; }
}
`

/** Keeps an email client from showing the first words of the body in the preview line. */
const previewFiller = '&#847;&zwnj;&nbsp;'.repeat(80)
const hidden =
  'display:none;max-height:0;max-width:0;overflow:hidden;opacity:0;mso-hide:all;font-size:1px;line-height:1px'

export const footerSlot = '<sluice-slot id="footer"></sluice-slot>'
const bodySlot = '<sluice-slot id="body"></sluice-slot>'

export function layOut(options: LayoutOptions): Document {
  const page = parseHtml(templateOf(options))
  fillSlot(page, 'body', options.body.children)
  if (options.footer !== undefined) fillSlot(page, 'footer', options.footer.own.children)
  return page
}

function fillSlot(page: Document, id: string, content: readonly ChildNode[]): void {
  const slot = findElement(page, ({ name, attribs }) => {
    return name === 'sluice-slot' && attribs['id'] === id
  })
  if (slot !== undefined) replaceNode(slot, content)
}

function templateOf(options: LayoutOptions): string {
  const { locale, subject, isDocument, footer } = options
  const preview =
    options.preview === undefined
      ? ''
      : `<div style="${hidden}">${options.preview}${previewFiller}</div>\n`
  const css = `${isDocument ? '' : baseCss}${footer === undefined ? '' : footerCss}${options.css}`
  const above = footer?.above ?? ''
  const below = footer?.below ?? ''
  return `<!doctype html>
<html lang="${escapeHtml(locale)}" dir="${directionOf(locale)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="format-detection" content="telephone=no, date=no, address=no, email=no">
<title>${subject}</title>
<style>${css}</style>
</head>
<body>
${preview}${isDocument ? `${above}${bodySlot}${below}` : framed(above, below)}
</body>
</html>
`
}

/** Outlook ignores max-width, so the text is in a table with a width. */
function framed(above: string, below: string): string {
  return `<table role="presentation" class="sluice-page" width="100%" cellpadding="0" cellspacing="0" border="0"><tr><td align="center">
<!--[if mso]><table role="presentation" width="600"><tr><td><![endif]-->
<div style="text-align: start; max-width: 600px">
${above}<div class="sluice-text">
${bodySlot}
</div>
${below}</div>
<!--[if mso]></td></tr></table><![endif]-->
</td></tr></table>`
}

// biome-ignore format: one list.
const rightToLeft: ReadonlySet<string> = new Set(['ar', 'fa', 'he', 'ur', 'yi', 'ps', 'sd', 'ckb', 'dv'])

export function directionOf(locale: string): 'ltr' | 'rtl' {
  return rightToLeft.has(locale.toLowerCase().split('-', 1)[0]!) ? 'rtl' : 'ltr'
}
