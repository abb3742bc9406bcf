/**
 * The letter of a double opt-in: who asked for what and when, one link, and that ignoring it is enough. It is written to somebody
 * who perhaps asked for nothing, so it holds nothing of the newsletter but its name, and nothing that the form was given.
 */
import { escapeHtml, headerText } from '#schemas/mail/escape-value.ts'
import type { StoredNewsletter } from '../../io/newsletter-store.ts'
import type { NewSend } from '../../io/send-store.ts'

export function confirmLetter(signup: {
  readonly newsletter: StoredNewsletter
  readonly address: { readonly id: string; readonly email: string }
  readonly link: string
  readonly askedAt: Date
}): NewSend {
  const { newsletter, address, link } = signup
  const name = headerText(newsletter.name)
  const asked = `${signup.askedAt.toISOString().slice(0, 16).replace('T', ' ')} UTC`
  const request = `Somebody asked on ${asked} that ${address.email} gets the newsletter “${name}”.`
  const act = 'If that was you, confirm your address within seven days:'
  const ignore = 'If it was not, ignore this letter: without your confirmation nothing is sent.'
  return {
    organizationId: newsletter.organizationId,
    addressId: address.id,
    kind: 'confirmation',
    newsletterId: newsletter.id,
    from: { address: newsletter.fromAddress, name: newsletter.fromName ?? newsletter.name },
    replyTo: newsletter.replyTo,
    to: { address: address.email },
    subject: `Please confirm your subscription to ${name}`,
    text: `${request}\n\n${act}\n${link}\n\n${ignore}\n`,
    html: `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"></head>
<body style="margin:0;padding:32px 16px;background:#f4f4f2;font:16px/1.5 system-ui,sans-serif;color:#1d1d1b">
<div style="max-width:480px;margin:0 auto;padding:32px;background:#ffffff;border-radius:8px">
<p style="margin:0 0 16px">${escapeHtml(request)}</p>
<p style="margin:0 0 24px">${escapeHtml(act)}</p>
<p style="margin:0 0 24px"><a href="${escapeHtml(link)}" style="display:inline-block;padding:12px 20px;border-radius:6px;background:#1d4ed8;color:#ffffff;font-weight:600;text-decoration:none">Confirm my address</a></p>
<p style="margin:0;color:#5f5f5a;font-size:14px">${escapeHtml(ignore)}</p>
</div></body></html>
`,
    headers: { 'Auto-Submitted': 'auto-generated' },
  }
}
