/** Inserts an organization with a newsletter, contacts and a campaign, as the API would. */
import { v7 as uuidv7 } from 'uuid'
import type { Pool } from '#platform/postgres.ts'
import type { FrozenCampaign } from '#schemas/mail/frozen-campaign.ts'

export interface MailTenant {
  readonly organizationId: string
  readonly newsletterId: string
}

export async function addMailTenant(pg: Pool): Promise<MailTenant> {
  const organizationId = uuidv7()
  const newsletterId = uuidv7()
  await pg.query('insert into organizations (id, name) values ($1, $2)', [organizationId, 'Mail'])
  await pg.query(
    `insert into newsletters (id, organization_id, slug, name, from_address, confirm_signups)
       values ($1, $2, $3, 'The News', 'news@sender.test', false)`,
    [newsletterId, organizationId, `news-${newsletterId.slice(-12)}`],
  )
  await pg.query(
    `insert into allowed_from_domains (organization_id, domain, created_by) values ($1, 'sender.test', 'test')`,
    [organizationId],
  )
  return { organizationId, newsletterId }
}

/** Adds subscribed contacts `contact<n>@domain<n % domains>.test`. */
export async function addContacts(
  pg: Pool,
  tenant: MailTenant,
  { count, domains = 7 }: { count: number; domains?: number },
): Promise<void> {
  await pg.query(
    `with made as (
       insert into addresses (id, organization_id, email_key, email)
         select uuidv7(), $1, 'contact' || n || '@domain' || n % $4 || '.test', 'Contact' || n || '@domain' || n % $4 || '.test'
           from generate_series(1, $3::int) n
         returning id, email_key
     )
     insert into contacts (id, organization_id, newsletter_id, address_id, status, name, attribs)
       select uuidv7(), $1, $2, id, 'subscribed', initcap(split_part(email_key, '@', 1)), '{"city": "Köln"}' from made`,
    [tenant.organizationId, tenant.newsletterId, count, domains],
  )
}

export const frozenEmail: FrozenCampaign = {
  email: {
    subject: ['News for ', { value: 'name', fallback: 'you', context: 'header' }],
    html: [
      '<p>Hello ',
      { value: 'name', fallback: 'there', context: 'html' },
      ' in ',
      { value: 'attr.city', fallback: 'town', context: 'html' },
      ', é.</p><p><a href="',
      { link: 'unsubscribe', context: 'attribute' },
      '">Unsubscribe</a></p>',
    ],
    text: [
      'Hello ',
      { value: 'name', fallback: 'there', context: 'text' },
      '\n.a line that begins with a dot\n',
      { link: 'unsubscribe', context: 'text' },
      '\n',
    ],
  },
  fromName: 'The News',
  fromAddress: 'news@sender.test',
  replyTo: null,
  newsletterSlug: 'news',
  newsletterName: 'The News',
  trackOpens: false,
  trackClicks: false,
}

/** Adds a campaign in the state after its author has sent it. */
export async function addCampaign(
  pg: Pool,
  tenant: MailTenant,
  frozen: FrozenCampaign = frozenEmail,
): Promise<string> {
  const id = uuidv7()
  // In one statement, as the product does it: a process never sees a campaign without its
  // deliveries.
  await pg.query(
    `with campaign as (
       insert into campaigns (id, organization_id, newsletter_id, state, subject, markdown, archive_slug, compiled)
       values ($1, $2, $3, 'preparing', 'News', 'News', $4, $5) returning id
     )
     insert into campaign_counts (campaign_id) select id from campaign`,
    [id, tenant.organizationId, tenant.newsletterId, `issue-${id}`, JSON.stringify(frozen)],
  )
  await pg.query("select pg_notify('campaigns', '')")
  return id
}

export interface CampaignAccounting {
  readonly state: string
  readonly reason: string | null
  readonly audience: number
  readonly waiting: number
  readonly sent: number
  readonly failed: number
  readonly skipped: number
  readonly uncertain: number
  readonly cancelled: number
}

export async function readAccounting(pg: Pool, campaignId: string): Promise<CampaignAccounting> {
  const { rows } = await pg.query<CampaignAccounting>(
    `select c.state, c.reason, n.audience, n.waiting, n.sent, n.failed, n.skipped, n.uncertain, n.cancelled
       from campaigns c left join campaign_counts n on n.campaign_id = c.id where c.id = $1`,
    [campaignId],
  )
  return rows[0]!
}

/** The stored counts and a recount of the deliveries; they must be equal at every moment. */
export async function recount(pg: Pool, campaignId: string): Promise<Record<string, number>> {
  const { rows } = await pg.query<{ state: string; count: number }>(
    `select case when state in ('claimed', 'handed_over', 'queued') then 'waiting' else state end as state, count(*) as count
       from deliveries where campaign_id = $1 group by 1`,
    [campaignId],
  )
  return Object.fromEntries(rows.map(({ state, count }) => [state, count]))
}
