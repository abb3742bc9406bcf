/** Adds alert emails to the queue of the mail process. */
import { v5 as uuidv5, v7 as uuidv7 } from 'uuid'
import { inTransaction, type Pool } from '#platform/postgres.ts'
import { parseEmailAddress } from '#schemas/email-address.ts'
import type { Mailbox } from '#schemas/mail/mailbox.ts'

export interface AlertEmail {
  readonly to: string
  /** Whether the recipient is a person of the organization. */
  readonly isPerson: boolean
  readonly subject: string
  readonly html: string
  readonly text: string
  readonly headers: Readonly<Record<string, string>>
}

export interface QueuedEmails {
  readonly organizationId: string
  /** The same for every attempt. With the recipient it is the id of the email. */
  readonly key: string
  readonly from: Mailbox
  readonly emails: readonly AlertEmail[]
}

/** Namespace of the ids; any fixed UUID. */
const idNamespace = '0b5f6d52-1f2a-4c9e-8a3b-7d0e4c6b9a21'

/**
 * Emails to people are of the kind `system`: a complaint about a newsletter does not stop them. All
 * wait behind password links and confirmations, and before campaigns. Returns how many there are,
 * including those that were queued before.
 */
export async function queueAlertEmails(pg: Pool, queued: QueuedEmails): Promise<number> {
  const { organizationId, key, from } = queued
  const byKey = new Map<string, AlertEmail>()
  for (const email of queued.emails) {
    const parsed = parseEmailAddress(email.to)
    if (parsed.kind === 'address') byKey.set(parsed.key, { ...email, to: parsed.email })
  }
  const emails = [...byKey].map(([toKey, email]) => ({ ...email, toKey }))
  if (emails.length === 0) return 0
  await inTransaction(pg, async (client) => {
    await client.query(
      `with mailboxes as (
         insert into addresses (id, organization_id, email, email_key)
         select id, $1, email, email_key from unnest($2::uuid[], $3::text[], $4::text[]) a (id, email, email_key)
         order by email_key
         on conflict (organization_id, email_key) do update set email = coalesce(addresses.email, excluded.email)
         returning id, email_key
       )
       insert into sends (id, organization_id, address_id, kind, priority, from_address, from_name, to_address, subject, html, text, headers)
       select e.id, $1, m.id, e.kind, 2, $5, $6, e.email, e.subject, e.html, e.text, e.headers
         from unnest($7::uuid[], $8::text[], $3::text[], $4::text[], $9::text[], $10::text[], $11::text[], $12::jsonb[])
           e (id, kind, email, email_key, subject, html, text, headers)
         join mailboxes m using (email_key)
       on conflict (id) do nothing`,
      [
        organizationId,
        emails.map(() => uuidv7()),
        emails.map(({ to }) => to),
        emails.map(({ toKey }) => toKey),
        from.email,
        from.name,
        emails.map(({ toKey }) => uuidv5(`${key} ${toKey}`, idNamespace)),
        emails.map(({ isPerson }) => (isPerson ? 'system' : 'notice')),
        emails.map(({ subject }) => subject),
        emails.map(({ html }) => html),
        emails.map(({ text }) => text),
        emails.map(({ headers }) => JSON.stringify(headers)),
      ],
    )
    await client.query(`select pg_notify('sends', '')`)
  })
  return emails.length
}
