/**
 * Renders the emails that Sluice itself writes: a few sentences, one link, and a note for
 * recipients who did not ask for it.
 */
import { escapeHtml } from '#schemas/mail/escape-value.ts'

export interface OwnEmailWords {
  /** BCP 47, for the HTML part. */
  readonly language: string
  readonly sentences: readonly string[]
  /** The label of the link. */
  readonly action: string
  readonly url: string
  readonly note: string
}

export function ownEmailBody(words: OwnEmailWords): { text: string; html: string } {
  const { language, sentences, action, url, note } = words
  return {
    text: `${sentences.join('\n\n')}\n\n${action}:\n${url}\n\n${note}\n`,
    html: `<!doctype html>
<html lang="${escapeHtml(language)}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"></head>
<body style="margin:0;padding:32px 16px;background:#f4f4f2;font:16px/1.5 system-ui,sans-serif;color:#1d1d1b">
<div style="max-width:480px;margin:0 auto;padding:32px;background:#ffffff;border-radius:8px">
${sentences.map((sentence) => `<p style="margin:0 0 24px">${escapeHtml(sentence)}</p>`).join('\n')}
<p style="margin:0 0 24px"><a href="${escapeHtml(url)}" style="display:inline-block;padding:12px 20px;border-radius:6px;background:#1d4ed8;color:#ffffff;font-weight:600;text-decoration:none">${escapeHtml(action)}</a></p>
<p style="margin:0;color:#5f5f5a;font-size:14px">${escapeHtml(note)}</p>
</div></body></html>
`,
  }
}
