/** What a campaign has achieved over time: hits of people, and unsubscribes by its links. */
import type { Database } from '../../database.ts'

export interface StoredResults {
  readonly tracksOpens: boolean
  readonly tracksClicks: boolean
  readonly tracksContacts: boolean
  readonly sentAt: Date | null
  readonly finishedAt: Date | null
  readonly sentCount: number
  /** Stored hits of people; fewer than were counted once the retention period has passed. */
  readonly storedOpens: number
  readonly storedClicks: number
  readonly peopleOpened: number
  readonly peopleClicked: number
}

export async function readResults(
  pg: Database,
  campaignId: string,
): Promise<StoredResults | undefined> {
  const { rows } = await pg.query<StoredResults>(
    `select coalesce((c.compiled ->> 'trackOpens')::boolean, n.track_opens) as "tracksOpens",
       coalesce((c.compiled ->> 'trackClicks')::boolean, n.track_clicks) as "tracksClicks",
       n.track_readers as "tracksContacts", c.sent_at as "sentAt",
       c.finished_at as "finishedAt", coalesce(counts.sent, 0)::int as "sentCount", h.*
     from campaigns c join newsletters n on n.id = c.newsletter_id
       left join campaign_counts counts on counts.campaign_id = c.id cross join lateral (
       select (count(*) filter (where kind = 'open'))::int as "storedOpens",
         (count(*) filter (where kind = 'click'))::int as "storedClicks",
         (count(distinct contact_id) filter (where kind = 'open'))::int as "peopleOpened",
         (count(distinct contact_id) filter (where kind = 'click'))::int as "peopleClicked"
       from tracking_hits where campaign_id = c.id and not machine) h
     where c.id = $1`,
    [campaignId],
  )
  return rows[0]
}

export interface SeriesSpan {
  readonly campaignId: string
  readonly since: Date
  readonly stepSeconds: number
  readonly points: number
}

/** By the number of the step; steps without anything are left out. */
export async function readHitSteps(
  pg: Database,
  span: SeriesSpan,
): Promise<{ step: number; opens: number; clicks: number }[]> {
  const { rows } = await pg.query<{ step: number; opens: number; clicks: number }>(
    `select floor(extract(epoch from at - $2) / $3)::int as step,
       (count(*) filter (where kind = 'open'))::int as opens,
       (count(*) filter (where kind = 'click'))::int as clicks
     from tracking_hits
     where campaign_id = $1 and not machine and at >= $2 and at < $2 + make_interval(secs => $3 * $4::int)
     group by 1`,
    [span.campaignId, span.since, span.stepSeconds, span.points],
  )
  return rows
}

/** Reads every delivery of the campaign. Retries after the end of the series are left out. */
export async function readSentSteps(
  pg: Database,
  span: SeriesSpan,
): Promise<{ step: number; sent: number }[]> {
  const { rows } = await pg.query<{ step: number; sent: number }>(
    `select floor(extract(epoch from finished_at - $2) / $3)::int as step, count(*)::int as sent
     from deliveries
     where campaign_id = $1 and state = 'sent' and finished_at >= $2 and finished_at < $2 + make_interval(secs => $3 * $4::int)
     group by 1`,
    [span.campaignId, span.since, span.stepSeconds, span.points],
  )
  return rows
}

/** $1 is the campaign. The conditions are those of the index. */
const leftByCampaign = `e.kind = 'unsubscribed' and e.details ? 'campaignId' and e.details ->> 'campaignId' = $1::uuid::text`

/** Of contacts that are still unsubscribed. Before the first step belongs to the first one. */
export async function readUnsubscribeSteps(
  pg: Database,
  span: SeriesSpan,
): Promise<{ step: number; unsubscribes: number }[]> {
  const { rows } = await pg.query<{ step: number; unsubscribes: number }>(
    `select floor(extract(epoch from k.unsubscribed_at - $2) / $3)::int as step, count(*)::int as unsubscribes
     from contacts k
     where k.status = 'unsubscribed' and k.unsubscribed_at >= $2
       and k.newsletter_id = (select newsletter_id from campaigns where id = $1)
       and k.id in (select e.contact_id from contact_events e where ${leftByCampaign})
     group by 1`,
    [span.campaignId, span.since, span.stepSeconds],
  )
  return rows
}

export interface ListedUnsubscribe {
  readonly eventId: string
  /** With microseconds, for the cursor. */
  readonly atText: string
  readonly contactId: string
  readonly email: string | null
  readonly name: string | null
  readonly via: string
  readonly reason: string | null
  readonly at: Date
}

/** Contacts that left by a link of the campaign and are still unsubscribed, newest first. */
export async function listUnsubscribes(
  pg: Database,
  list: {
    campaignId: string
    before: readonly [at: string, eventId: string] | undefined
    rowsMax: number
  },
): Promise<ListedUnsubscribe[]> {
  const { rows } = await pg.query<ListedUnsubscribe>(
    `select e.id as "eventId", to_char(e.at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "atText",
       k.id as "contactId", a.email, k.name, e.via, e.at, (
         select left(r.details ->> 'reason', 1000) from contact_events r
           where r.contact_id = k.id and r.kind = 'unsubscribe_reason' and r.at >= e.at
           order by r.at desc, r.id desc limit 1) as reason
     from contact_events e join contacts k on k.id = e.contact_id and k.status = 'unsubscribed'
       join addresses a on a.id = k.address_id
     where ${leftByCampaign} and k.newsletter_id = (select newsletter_id from campaigns where id = $1)
       and ($2::timestamptz is null or (e.at, e.id) < ($2, $3::uuid))
       and not exists (select from contact_events later where later.contact_id = k.id and later.kind = 'unsubscribed'
         and later.details ->> 'campaignId' = $1::uuid::text and (later.at, later.id) > (e.at, e.id))
     order by e.at desc, e.id desc limit $4`,
    [list.campaignId, list.before?.[0] ?? null, list.before?.[1] ?? null, list.rowsMax],
  )
  return rows
}
