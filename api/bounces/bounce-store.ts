/**
 * Stores reports of bounces and complaints and applies them to the address. The decision is one SQL
 * function (0024-bounce-causes-and-domains.sql), because the mail process uses it as well, for
 * refusals in its own SMTP sessions.
 */
import { v7 as uuidv7 } from 'uuid'
import type { BounceCause, BounceType } from '#schemas/mail/bounce.ts'
import type { Database } from '../database.ts'

export interface NewBounce {
  readonly addressId: string
  readonly type: BounceType
  /** Null: the caller reported a type only. */
  readonly cause: BounceCause | null
  /**
   * False: recorded without effect on the address, such as a refusal for the sender's reputation.
   */
  readonly counts: boolean
  readonly source?: string | null | undefined
  /** The provider's id of the report: a report that is repeated by its source changes nothing. */
  readonly eventId?: string | null | undefined
  /** `formatEmailRef` of the email that it is about. */
  readonly emailRef?: string | null | undefined
  readonly campaignId?: string | null | undefined
  readonly excerpt?: string | null | undefined
  /**
   * The time of the bounce by the clock of the reporter, for display. Decisions use `now`, the time
   * of the report.
   */
  readonly at: Date
}

export interface RecordedBounce {
  readonly outcome: 'counted' | 'noted' | 'duplicate'
  readonly suppressed: boolean
  readonly softBounces: number
}

export async function recordBounce(
  pg: Database,
  bounce: NewBounce,
  now: Date,
): Promise<RecordedBounce> {
  const { rows } = await pg.query<RecordedBounce>(
    `select outcome, suppressed, soft_bounces as "softBounces"
       from record_bounce($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
    [
      uuidv7(),
      bounce.addressId,
      bounce.type,
      bounce.counts,
      bounce.source ?? null,
      bounce.eventId ?? null,
      bounce.emailRef ?? null,
      bounce.excerpt ?? null,
      bounce.at,
      now,
      bounce.campaignId ?? null,
      bounce.cause,
    ],
  )
  return rows[0]!
}

/**
 * Ends runs of soft bounces of addresses to which a provider has delivered an email after the last
 * bounce.
 */
export async function endSoftRuns(
  pg: Database,
  delivered: { organizationId: string; addresses: readonly { key: string; at: Date }[] },
): Promise<void> {
  const { organizationId, addresses } = delivered
  await pg.query(
    `update addresses a set soft_run = 0, soft_last_at = null, sent_since_soft_at = null
       where a.id in (
         select a.id from addresses a join unnest($2::text[], $3::timestamptz[]) d (key, at) on a.email_key = d.key
           where a.organization_id = $1 and a.soft_run > 0 and a.suppressed_at is null and a.soft_last_at < d.at
           order by a.id for update of a
       )`,
    [organizationId, addresses.map(({ key }) => key), addresses.map(({ at }) => at)],
  )
}
