/** What a campaign has achieved over time: hits of people, and unsubscribes by its links. */
import type { Database } from '../../database.ts'

export interface StoredResults {
  readonly tracksOpens: boolean
  readonly tracksClicks: boolean
  readonly tracksContacts: boolean
  readonly sentAt: Date | null
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
       n.track_readers as "tracksContacts", c.sent_at as "sentAt", h.*
     from campaigns c join newsletters n on n.id = c.newsletter_id cross join lateral (
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

/** Of contacts that are still unsubscribed. Before the first step belongs to the first one. */
export async function readUnsubscribeSteps(
  pg: Database,
  span: SeriesSpan,
): Promise<{ step: number; unsubscribes: number }[]> {
  const { rows } = await pg.query<{ step: number; unsubscribes: number }>(
    `select floor(extract(epoch from k.unsubscribed_at - $2) / $3)::int as step, count(*)::int as unsubscribes
     from campaigns c join contacts k on k.newsletter_id = c.newsletter_id and k.status = 'unsubscribed'
     where c.id = $1 and k.unsubscribed_at >= $2 and exists (
       select from contact_events e where e.contact_id = k.id and e.kind = 'unsubscribed'
         and e.details ->> 'campaignId' = c.id::text)
     group by 1`,
    [span.campaignId, span.since, span.stepSeconds],
  )
  return rows
}
