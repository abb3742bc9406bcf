/**
 * Queues emails to the owners of an organization like all others: as a row of `sends`, which the
 * mail process claims. The id of the row is derived from the key of the email, so that a job that
 * runs twice sends it once.
 */
import { v5 as uuidv5, v7 as uuidv7 } from 'uuid'
import { inTransaction, type Pool } from '#platform/postgres.ts'
import { parseEmailAddress } from '#schemas/email-address.ts'
import type { Mailbox } from '#schemas/mail/mailbox.ts'
import type { OwnerEmail } from './quota-warning.ts'

/** Namespace of the ids; any fixed UUID. */
const idNamespace = '5f0b6f0a-6b1c-4d5e-9b53-2f1f5a3c7d10'

export async function queueOwnerEmail(pg: Pool, email: OwnerEmail, from: Mailbox): Promise<void> {
  const parsed = parseEmailAddress(email.to)
  if (parsed.kind === 'invalid') return
  await inTransaction(pg, async (client) => {
    const { rows } = await client.query<{ id: string }>(
      `insert into addresses (id, organization_id, email, email_key) values ($1, $2, $3, $4)
       on conflict (organization_id, email_key) do update set email = coalesce(addresses.email, excluded.email)
       returning id`,
      [uuidv7(), email.organizationId, parsed.email, parsed.key],
    )
    await client.query(
      `insert into sends (id, organization_id, address_id, kind, priority, from_address, from_name, to_address, subject, text, headers)
       values ($1, $2, $3, 'system', 0, $4, $5, $6, $7, $8, '{"Auto-Submitted": "auto-generated"}')
       on conflict (id) do nothing`,
      [
        uuidv5(email.key, idNamespace),
        email.organizationId,
        rows[0]!.id,
        from.email,
        from.name,
        parsed.email,
        email.subject,
        email.text,
      ],
    )
    await client.query(`select pg_notify('sends', '')`)
  })
}
