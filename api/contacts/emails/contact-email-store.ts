/**
 * Reads what was sent to an address: deliveries of campaigns and single emails. Deliveries have no
 * index by contact, which every update of the mailer would have to write: those of a person are
 * found by the campaigns of their newsletters and the primary key.
 */
import type { Database } from '../../database.ts'
import type { SendState } from '../../sends/send-log-store.ts'
import type { SendKind } from '../../sends/send-store.ts'

export interface StoredContactEmail {
  readonly kind: 'campaign' | SendKind
  readonly id: string
  readonly contactId: string | null
  readonly newsletter: string | null
  readonly subject: string
  readonly state: SendState
  readonly reason: string | null
  readonly attempts: number
  readonly at: Date
  /** With microseconds, for the cursor. */
  readonly atText: string
  readonly finishedAt: Date | null
  readonly openedAt: Date | null
  readonly clickedAt: Date | null
}

/** Newest first; one row more than the page shows. */
export const contactEmailsSql = `with emails as (
    (select 'campaign' as kind, c.id, k.id as contact_id, k.newsletter_id, c.subject,
       case when d.state = 'claimed' and d.claimed_by is null then 'queued' else d.state end as state, d.reason, d.tries::int as tries,
       c.sent_at as at, d.finished_at
     from contacts k join campaigns c on c.newsletter_id = k.newsletter_id
       join deliveries d on d.campaign_id = c.id and d.contact_id = k.id
     where k.address_id = $1 and c.sent_at is not null and ($2::timestamptz is null or (c.sent_at, c.id) < ($2, $3::uuid))
     order by c.sent_at desc, c.id desc limit $4)
    union all
    (select s.kind, s.id, null, s.newsletter_id, s.subject, s.state, s.reason, s.tries, s.created_at, s.finished_at
     from sends s
     where s.address_id = $1 and ($2::timestamptz is null or (s.created_at, s.id) < ($2, $3::uuid))
     order by s.created_at desc, s.id desc limit $4)
    order by at desc, id desc limit $4
  )
  select e.kind, e.id, e.contact_id as "contactId", n.slug as newsletter, e.subject, e.state, e.reason, e.tries as attempts,
    e.at, to_char(e.at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "atText", e.finished_at as "finishedAt",
    h.opened as "openedAt", h.clicked as "clickedAt"
  from emails e left join newsletters n on n.id = e.newsletter_id left join lateral (
    select min(t.at) filter (where t.kind = 'open') as opened, min(t.at) filter (where t.kind = 'click') as clicked
    from tracking_hits t where t.campaign_id = e.id and t.contact_id = e.contact_id and not t.machine
  ) h on e.contact_id is not null
  order by e.at desc, e.id desc`

export async function listContactEmailRows(
  pg: Database,
  list: {
    /** Of the organization that asks. */
    addressId: string
    before: readonly [at: string, id: string] | undefined
    rowsMax: number
  },
): Promise<StoredContactEmail[]> {
  const { addressId, before, rowsMax } = list
  const values = [addressId, before?.[0] ?? null, before?.[1] ?? null, rowsMax]
  return (await pg.query<StoredContactEmail>(contactEmailsSql, values)).rows
}
