/** What Sluice itself writes to people: an invitation, that they were added, the link to another password. */
import { parseEmailAddress } from '#schemas/email-address.ts'
import { escapeHtml, headerText } from '#schemas/mail/escape-value.ts'
import type { ApiContext } from '../context.ts'
import { ensureAddress } from '../io/address-store.ts'
import type { Database } from '../io/database.ts'
import { findOrganization } from '../io/organization-store.ts'
import { addSend } from '../io/send-store.ts'
import type { PersonLink } from './person-link.ts'

interface PersonLetter {
  readonly person: { readonly email: string }
  readonly organizationId: string
  /** Null: somebody with a password, who was added to one more organization. */
  readonly link: PersonLink | null
}

/** In the transaction that made the link. Nothing is sent to an address that bounced or complained: the command line shows links. */
export async function sendPersonLetter(
  pg: Database,
  letter: PersonLetter,
  ctx: Pick<ApiContext, 'mailFrom' | 'apiUrl'>,
): Promise<void> {
  const parsed = parseEmailAddress(letter.person.email)
  if (parsed.kind === 'invalid') return
  const { email, key } = parsed
  const { organizationId } = letter
  const name = headerText((await findOrganization(pg, organizationId))?.name ?? '')
  const address = await ensureAddress(pg, { organizationId, email, key })
  const { subject, sentence, act, rest } = wordsOf(letter.link, name)
  const url = letter.link?.url ?? ctx.apiUrl
  await addSend(pg, {
    organizationId,
    addressId: address.id,
    kind: 'system',
    from: parseMailFrom(ctx.mailFrom),
    to: { address: email },
    subject,
    text: `${sentence}\n\n${act}:\n${url}\n\n${rest}\n`,
    html: `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"></head>
<body style="margin:0;padding:32px 16px;background:#f4f4f2;font:16px/1.5 system-ui,sans-serif;color:#1d1d1b">
<div style="max-width:480px;margin:0 auto;padding:32px;background:#ffffff;border-radius:8px">
<p style="margin:0 0 24px">${escapeHtml(sentence)}</p>
<p style="margin:0 0 24px"><a href="${escapeHtml(url)}" style="display:inline-block;padding:12px 20px;border-radius:6px;background:#1d4ed8;color:#ffffff;font-weight:600;text-decoration:none">${escapeHtml(act)}</a></p>
<p style="margin:0;color:#5f5f5a;font-size:14px">${escapeHtml(rest)}</p>
</div></body></html>
`,
    headers: { 'Auto-Submitted': 'auto-generated' },
  })
}

function wordsOf(link: PersonLink | null, name: string) {
  switch (link?.kind) {
    case undefined:
      return {
        subject: `You were added to ${name}`,
        sentence: `You can now work for ${name}: log in with the password that you have.`,
        act: 'Log in',
        rest: 'If you did not expect this, tell whoever runs this installation of Sluice.',
      }
    case 'invite':
      return {
        subject: `You are invited to ${name}`,
        sentence: `Somebody at ${name} invites you to work there with Sluice.`,
        act: 'Accept and choose a password',
        rest: 'The link works once, for seven days. If you did not expect this, ignore it.',
      }
    case 'reset':
      return {
        subject: 'Choose another password',
        sentence: 'Somebody asked for a link to choose another password for your Sluice login.',
        act: 'Choose another password',
        rest: 'The link works once, for one hour. If it was not you, ignore it: nothing changes.',
      }
  }
}

/** `Sluice <sluice@example.com>`, or the address alone. */
export function parseMailFrom(text: string): { address: string; name: string | null } {
  const named = /^\s*"?([^"<]*?)"?\s*<([^<>]+)>\s*$/.exec(text)
  if (named === null) return { address: text.trim(), name: null }
  return { address: named[2]!.trim(), name: named[1] || null }
}
