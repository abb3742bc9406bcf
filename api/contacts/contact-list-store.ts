/** Queries that show contacts to people: lists, details and counts. */
import type { Attribs, ContactStatus } from '#schemas/rest/email/contact.ts'
import type { Database } from '../database.ts'

export interface ListedContact {
  readonly id: string
  readonly newsletter: string
  readonly email: string | null
  readonly status: ContactStatus
  readonly name: string | null
  readonly attribs: Attribs
  readonly source: string | null
  readonly signupAt: Date
  readonly signupIp: string | null
  readonly confirmedAt: Date | null
  readonly confirmedIp: string | null
  readonly confirmedUserAgent: string | null
  readonly unsubscribedAt: Date | null
  readonly suppressedAt: Date | null
  readonly suppressionCause: string | null
  readonly suppressionSource: string | null
  /** Status that the contact gets back when the suppression is lifted. */
  readonly statusBefore: ContactStatus | null
}

const columns = `c.id, n.slug as newsletter, a.email, c.status, c.name, c.attribs, c.source, c.signup_at as "signupAt",
  c.signup_ip as "signupIp", c.confirmed_at as "confirmedAt", c.confirmed_ip as "confirmedIp",
  c.confirmed_user_agent as "confirmedUserAgent", c.unsubscribed_at as "unsubscribedAt",
  a.suppressed_at as "suppressedAt", a.suppression_cause as "suppressionCause",
  a.suppression_source as "suppressionSource", c.status_before as "statusBefore"`
const joined = `contacts c join addresses a on a.id = c.address_id join newsletters n on n.id = c.newsletter_id`

export interface ContactFilter {
  readonly organizationId: string
  readonly newsletterId?: string | undefined
  readonly status?: ContactStatus | undefined
  readonly query?: string | undefined
  /** False leaves out contacts of erased addresses, for which only a hash is stored. */
  readonly withErased?: boolean | undefined
}

/** Lists contacts, newest first, beginning below an id. */
export async function listContacts(
  pg: Database,
  filter: ContactFilter,
  page: { beforeId: string | undefined; rowsMax: number },
): Promise<ListedContact[]> {
  const { organizationId, newsletterId, status, query, withErased = true } = filter
  const pattern = query === undefined ? null : `%${query.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`
  const { rows } = await pg.query<ListedContact>(
    `select ${columns} from ${joined}
     where c.organization_id = $1 and ($2::uuid is null or c.newsletter_id = $2)
       and ($3::text is null or c.status = $3) and ($4::uuid is null or c.id < $4)
       ${withErased ? '' : 'and a.email is not null'}
       ${pattern === null ? 'and $5::text is null' : 'and (c.address_id in (select id from addresses where organization_id = $1 and email_key like $5) or lower(c.name) like $5)'}
     order by c.id desc limit $6`,
    [
      organizationId,
      newsletterId ?? null,
      status ?? null,
      page.beforeId ?? null,
      pattern,
      page.rowsMax,
    ],
  )
  return rows
}

export async function findListedContact(
  pg: Database,
  contact: { organizationId: string; id: string },
): Promise<ListedContact | undefined> {
  const { rows } = await pg.query<ListedContact>(
    `select ${columns} from ${joined} where c.organization_id = $1 and c.id = $2`,
    [contact.organizationId, contact.id],
  )
  return rows[0]
}

export interface ListedContactEvent {
  readonly kind: string
  readonly via: string
  readonly source: string | null
  readonly ip: string | null
  readonly userAgent: string | null
  readonly details: Record<string, unknown>
  readonly at: Date
}

export async function listContactEvents(
  pg: Database,
  { contactId, rowsMax }: { contactId: string; rowsMax: number },
): Promise<ListedContactEvent[]> {
  const { rows } = await pg.query<ListedContactEvent>(
    `select kind, via, source, ip, user_agent as "userAgent", details, at from contact_events
     where contact_id = $1 order by at desc, id desc limit $2`,
    [contactId, rowsMax],
  )
  return rows
}

export async function countContactsByStatus(
  pg: Database,
  newsletterId: string,
): Promise<{ status: ContactStatus; count: number }[]> {
  const { rows } = await pg.query<{ status: ContactStatus; count: number }>(
    'select status, count(*) as count from contacts where newsletter_id = $1 group by status',
    [newsletterId],
  )
  return rows
}

export interface ContactDay {
  readonly day: string
  readonly signups: number
  readonly confirmed: number
  readonly unsubscribed: number
}

/** Counts by day in UTC, oldest first; a day without events has zeros. */
export async function countContactsByDay(
  pg: Database,
  span: { newsletterId: string; from: Date; to: Date },
): Promise<ContactDay[]> {
  const { rows } = await pg.query<ContactDay>(
    `with times as (
       select signup_at as at, 1 as s, 0 as c, 0 as u from contacts where newsletter_id = $1 and signup_at >= $2
       union all select confirmed_at, 0, 1, 0 from contacts where newsletter_id = $1 and confirmed_at >= $2
       union all select unsubscribed_at, 0, 0, 1 from contacts where newsletter_id = $1 and unsubscribed_at >= $2
     )
     select to_char(day, 'YYYY-MM-DD') as day, coalesce(sum(s), 0)::int as signups, coalesce(sum(c), 0)::int as confirmed,
       coalesce(sum(u), 0)::int as unsubscribed
     from generate_series(date_trunc('day', $2::timestamptz at time zone 'UTC'),
       date_trunc('day', $3::timestamptz at time zone 'UTC'), interval '1 day') day
     left join times on date_trunc('day', times.at at time zone 'UTC') = day
     group by day order by day`,
    [span.newsletterId, span.from, span.to],
  )
  return rows
}
