/** Opens and clicks: targets of links, and hits that are counted for their campaign. */
import type { Database } from '../database.ts'

export interface TrackedCampaign {
  /** False: hits are stored without the contact. */
  readonly namesContacts: boolean
  readonly tracksOpens: boolean
  readonly tracksClicks: boolean
  /** Targets, by the index of the link. */
  readonly links: readonly string[]
}

export async function findTrackedCampaign(
  pg: Database,
  campaignId: string,
): Promise<TrackedCampaign | undefined> {
  const { rows } = await pg.query<TrackedCampaign>(
    `select n.track_readers as "namesContacts",
       coalesce((c.compiled ->> 'trackOpens')::boolean, false) as "tracksOpens",
       coalesce((c.compiled ->> 'trackClicks')::boolean, false) as "tracksClicks",
       array(select url from campaign_links l where l.campaign_id = c.id order by link_index) as links
     from campaigns c join newsletters n on n.id = c.newsletter_id where c.id = $1`,
    [campaignId],
  )
  return rows[0]
}

/** Times when these emails were handed over, in the order of the pairs; null when not known. */
export async function handOverTimes(
  pg: Database,
  pairs: readonly { campaignId: string; contactId: string }[],
): Promise<(Date | null)[]> {
  const { rows } = await pg.query<{ at: Date | null }>(
    `select coalesce(d.finished_at, d.handed_over_at) as at
     from unnest($1::uuid[], $2::uuid[]) with ordinality as p (campaign_id, contact_id, no)
     left join deliveries d on d.campaign_id = p.campaign_id and d.contact_id = p.contact_id order by p.no`,
    [pairs.map(({ campaignId }) => campaignId), pairs.map(({ contactId }) => contactId)],
  )
  return rows.map(({ at }) => at)
}

export interface FoldedHit {
  readonly campaignId: string
  /** Null when the newsletter does not track contacts. */
  readonly contactId: string | null
  readonly kind: 'open' | 'click'
  readonly linkIndex: number | null
  readonly machine: boolean
  readonly userAgent: string | null
  readonly at: Date
}

/** Stores hits. Those of campaigns that were deleted are dropped. */
export async function addHits(pg: Database, hits: readonly FoldedHit[]): Promise<void> {
  await pg.query(
    `with given as (
       select * from json_to_recordset($1) as h ("campaignId" uuid, "contactId" uuid, kind text, "linkIndex" int,
         machine boolean, "userAgent" text, at timestamptz)
     ), added as (
       insert into tracking_hits (campaign_id, contact_id, kind, link_index, machine, user_agent, at)
       select "campaignId", "contactId", kind, "linkIndex", machine, "userAgent", at from given
       where exists (select from campaigns c where c.id = given."campaignId")
       returning campaign_id, kind, machine
     ), sums as (
       select campaign_id,
         count(*) filter (where kind = 'open') as opens,
         count(*) filter (where kind = 'open' and machine) as opens_machine,
         count(*) filter (where kind = 'click') as clicks,
         count(*) filter (where kind = 'click' and machine) as clicks_machine
       from added group by campaign_id order by campaign_id
     )
     insert into campaign_counts as c (campaign_id, opens, opens_machine, clicks, clicks_machine) select * from sums
     on conflict (campaign_id) do update set opens = c.opens + excluded.opens,
       opens_machine = c.opens_machine + excluded.opens_machine,
       clicks = c.clicks + excluded.clicks, clicks_machine = c.clicks_machine + excluded.clicks_machine`,
    [JSON.stringify(hits)],
  )
}

/** Resets the counts of soft bounces: a person who clicks a link receives emails. */
export async function endSoftRunsOf(pg: Database, contactIds: readonly string[]): Promise<void> {
  await pg.query(
    `update addresses set soft_run = 0, soft_last_at = null, sent_since_soft_at = null where id in (
       select id from addresses where soft_run > 0 and suppressed_at is null
         and id in (select address_id from contacts where id = any($1::uuid[]))
       order by id for update)`,
    [contactIds],
  )
}

interface Sum {
  readonly human: number
  readonly total: number
}

export interface StoredTracking {
  readonly opens: Sum
  readonly clicks: Sum
  readonly links: (Sum & { readonly url: string })[]
}

export async function readTracking(pg: Database, campaignId: string): Promise<StoredTracking> {
  const { rows } = await pg.query<StoredTracking>(
    `with hits as (
       select link_index, count(*)::int as total, (count(*) filter (where not machine))::int as human
       from tracking_hits where campaign_id = $1 and kind = 'click' group by link_index
     )
     select
       json_build_object('human', coalesce(max(opens - opens_machine), 0), 'total', coalesce(max(opens), 0)) as opens,
       json_build_object('human', coalesce(max(clicks - clicks_machine), 0), 'total', coalesce(max(clicks), 0)) as clicks,
       (select coalesce(json_agg(json_build_object('url', url,
            'human', coalesce(human, 0) + expired_clicks - expired_clicks_machine,
            'total', coalesce(total, 0) + expired_clicks)
          order by link_index), '[]')
        from campaign_links left join hits using (link_index) where campaign_id = $1) as links
     from campaign_counts where campaign_id = $1`,
    [campaignId],
  )
  const none = { human: 0, total: 0 }
  return rows[0] ?? { opens: none, clicks: none, links: [] }
}
