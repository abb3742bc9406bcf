/** Finds the emails that reports are about, and settles uncertain ones. */
import type { EmailRef } from '#schemas/mail/bounce-ref.ts'
import type { Database } from '../../database.ts'

export interface EmailAddress {
  readonly id: string
  /** Null: erased since. */
  readonly email: string | null
}

/** The address of the email; undefined: the organization has no such email. */
export async function findEmailAddress(
  pg: Database,
  { organizationId, ref }: { organizationId: string; ref: EmailRef },
): Promise<EmailAddress | undefined> {
  if (ref.kind === 'send') {
    const { rows } = await pg.query<EmailAddress>(
      `select a.id, a.email from sends s join addresses a on a.id = s.address_id
         where s.id = $1 and s.organization_id = $2`,
      [ref.sendId, organizationId],
    )
    return rows[0]
  }
  const { rows } = await pg.query<EmailAddress>(
    `select a.id, a.email from deliveries d join campaigns c on c.id = d.campaign_id
         join addresses a on a.id = d.address_id
       where d.campaign_id = $1 and d.contact_id = $2 and c.organization_id = $3`,
    [ref.campaignId, ref.contactId, organizationId],
  )
  return rows[0]
}

/**
 * The contacts of an address that a report is about: in the email's newsletter if it names one,
 * else in the whole organization.
 */
export async function contactsOfReport(
  pg: Database,
  report: { organizationId: string; key: string; ref: EmailRef | undefined },
): Promise<string[]> {
  const { organizationId, key, ref } = report
  if (ref?.kind === 'delivery') return [ref.contactId]
  const { rows } = await pg.query<{ id: string }>(
    `select c.id from contacts c join addresses a on a.id = c.address_id
       where c.organization_id = $1 and a.organization_id = $1 and a.email_key = $2
         and ($3::uuid is null or c.newsletter_id = (select newsletter_id from sends where id = $3))
       order by c.id`,
    [organizationId, key, ref?.sendId ?? null],
  )
  return rows.map(({ id }) => id)
}

/**
 * Marks an uncertain email as sent, because a report about it proves that it was handed over. The
 * counts are locked before the delivery, in the same order as everywhere else. The email must be
 * one that `findEmailAddress` found.
 */
export async function settleUncertain(pg: Database, ref: EmailRef, now: Date): Promise<void> {
  if (ref.kind === 'send') {
    await pg.query(
      `update sends set state = 'sent', reason = 'reported', finished_at = $2
         where id = $1 and state = 'uncertain'`,
      [ref.sendId, now],
    )
    return
  }
  // Nearly all reports are about emails that are not uncertain: those cost one query.
  const { rows } = await pg.query(
    `select from deliveries where campaign_id = $1 and contact_id = $2 and state = 'uncertain'`,
    [ref.campaignId, ref.contactId],
  )
  if (rows.length === 0) return
  await pg.query('select from campaign_counts where campaign_id = $1 for update', [ref.campaignId])
  await pg.query(
    `with settled as (
       update deliveries set state = 'sent', reason = 'reported', finished_at = $3
         where campaign_id = $1 and contact_id = $2 and state = 'uncertain' returning 1
     )
     update campaign_counts set uncertain = uncertain - n, sent = sent + n
       from (select count(*) as n from settled) s where campaign_id = $1`,
    [ref.campaignId, ref.contactId, now],
  )
}
