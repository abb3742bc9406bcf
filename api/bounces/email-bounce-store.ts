/** Reports about one email and about the emails of one campaign, found by their references. */
import { type BounceCause, BounceCause as Causes, effectOf } from '#schemas/mail/bounce.ts'
import type { EmailRef } from '#schemas/mail/bounce-ref.ts'
import { campaignRefStarts, formatEmailRef, parseEmailRef } from '#schemas/mail/bounce-ref.ts'
import type { BounceItem } from '#schemas/rest/email/bounce.ts'
import type { Database } from '../database.ts'
import type { ListedBounce } from './bounce-list-store.ts'
import { bounceView } from './bounce-view.ts'

const columns = `b.id, a.email, b.type, b.counted, b.cause, b.source, b.excerpt, b.at, b.received_at as "receivedAt"`
const shownMax = 20

export async function listBouncesOfEmail(
  pg: Database,
  { organizationId, ref }: { organizationId: string; ref: EmailRef },
): Promise<BounceItem[]> {
  const { rows } = await pg.query<ListedBounce>(
    `select ${columns} from bounce_reports b join addresses a on a.id = b.address_id
       where b.organization_id = $1 and b.message_ref collate "C" = $2 order by b.id desc limit $3`,
    [organizationId, formatEmailRef(ref), shownMax],
  )
  return rows.map(bounceView)
}

type NewestBounce = Pick<BounceItem, 'type' | 'cause' | 'counted' | 'at' | 'excerpt'>

/** The newest report about each of these emails, by its reference. */
export async function listNewestBounces(
  pg: Database,
  { organizationId, refs }: { organizationId: string; refs: readonly string[] },
): Promise<ReadonlyMap<string, NewestBounce>> {
  const { rows } = await pg.query<Omit<NewestBounce, 'at'> & { ref: string; at: Date }>(
    `select distinct on (message_ref) message_ref as ref, type, cause, counted, at, excerpt from bounce_reports
       where organization_id = $1 and message_ref collate "C" = any($2::text[]) order by message_ref, id desc`,
    [organizationId, refs],
  )
  return new Map(rows.map(({ ref, at, ...row }) => [ref, { ...row, at: at.toISOString() }]))
}

export interface CampaignBounces {
  readonly organizationId: string
  readonly campaignId: string
}

/** $1 is the organization; $2, $3 and $4 are of `rangeOf`. */
const ofCampaign = `b.organization_id = $1 and b.message_ref collate "C" >= $2 and b.message_ref collate "C" < $3
  and left(b.message_ref, 27) = any($4)`

function rangeOf({ organizationId, campaignId }: CampaignBounces): unknown[] {
  const { prefix, starts } = campaignRefStarts(campaignId)
  // In the order of bytes `{` follows every character of a reference.
  return [organizationId, prefix, `${prefix}{`, starts]
}

export interface ListedCampaignBounce extends ListedBounce {
  readonly contactId: string | null
}

/** Newest first; one row more than the page shows. */
export async function listCampaignBounces(
  pg: Database,
  list: CampaignBounces & {
    type: BounceItem['type'] | undefined
    beforeId: string | undefined
    rowsMax: number
  },
): Promise<ListedCampaignBounce[]> {
  const { rows } = await pg.query<ListedBounce & { ref: string }>(
    `select ${columns}, b.message_ref as ref from bounce_reports b join addresses a on a.id = b.address_id
       where ${ofCampaign} and ($5::text is null or b.type = $5) and ($6::uuid is null or b.id < $6)
       order by b.id desc limit $7`,
    [...rangeOf(list), list.type ?? null, list.beforeId ?? null, list.rowsMax],
  )
  const contactIds = rows.map(({ ref }) => contactOf(ref))
  const { rows: stored } = await pg.query<{ id: string }>(
    'select id from contacts where organization_id = $1 and id = any($2)',
    [list.organizationId, contactIds.filter((id) => id !== null)],
  )
  const known = new Set(stored.map(({ id }) => id))
  return rows.map(({ ref: _, ...row }, at) => {
    const contactId = contactIds[at] ?? null
    return { ...row, contactId: contactId !== null && known.has(contactId) ? contactId : null }
  })
}

function contactOf(ref: string): string | null {
  const parsed = parseEmailRef(ref)
  return parsed?.kind === 'delivery' ? parsed.contactId : null
}

const countingCauses: readonly BounceCause[] = Causes.options.filter(
  (cause) => effectOf(cause).counts,
)

export interface BounceStep {
  readonly step: number
  readonly hardBounces: number
  readonly softBounces: number
  readonly complaints: number
}

/**
 * As `campaign_counts` counts: of each email the first bounce and the first complaint that count,
 * also if the address was suppressed meanwhile. A report before the start, by the clock of its
 * source, belongs to the first step.
 */
export async function readBounceSteps(
  pg: Database,
  span: CampaignBounces & { since: Date; stepSeconds: number },
): Promise<BounceStep[]> {
  const { rows } = await pg.query<BounceStep>(
    `select greatest(0, least(1000000, floor(extract(epoch from at - $6) / $7)))::int as step,
         (count(*) filter (where type = 'hard'))::int as "hardBounces",
         (count(*) filter (where type = 'soft'))::int as "softBounces",
         (count(*) filter (where type = 'complaint'))::int as complaints
       from (
         select distinct on (b.message_ref, b.type = 'complaint') b.type, b.at from bounce_reports b
           where ${ofCampaign} and (b.counted or b.cause = any($5))
           order by b.message_ref, b.type = 'complaint', b.id
       ) first
       group by 1`,
    [...rangeOf(span), countingCauses, span.since, span.stepSeconds],
  )
  return rows
}
