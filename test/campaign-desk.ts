/** A newsletter with somebody who writes it: what tests of campaigns begin with. Each desk is an organization of its own. */
import { v7 as uuidv7 } from 'uuid'
import { freezeCampaign } from '../api/email/campaigns/freeze-campaign.ts'
import { createApiKey, createNewsletter } from '../api/io/account-store.ts'
import type { Answer, ApiFixture, PersonLogin, Tenant } from './api-fixture.ts'

let tenantNo = 0

export interface Desk {
  readonly api: ApiFixture
  readonly tenant: Tenant
  readonly login: PersonLogin
  readonly key: Record<string, string>
  readonly newsletterId: string
  readonly slug: string
}

export async function openDesk(
  api: ApiFixture,
  columns: Record<string, boolean> = {},
): Promise<Desk> {
  tenantNo += 1
  const tenant = await api.tenant(`Desk ${tenantNo}`)
  const { organizationId } = tenant
  const slug = `news-${tenantNo}`
  const newsletter = { organizationId, slug, name: 'News', from: 'n@news.test', confirm: false }
  const { id: newsletterId } = await createNewsletter(api.ctx.pg, newsletter)
  for (const [column, value] of Object.entries(columns)) {
    await api.pool.query(`update newsletters set ${column} = $2 where id = $1`, [
      newsletterId,
      value,
    ])
  }
  const apiKey = await createApiKey(api.ctx.pg, { organizationId, label: 'test' })
  const login = await api.login(tenant)
  return {
    api,
    tenant,
    login,
    key: { authorization: `Bearer ${apiKey.value}` },
    newsletterId,
    slug,
  }
}

export const draft = { subject: 'First issue', markdown: 'Hello {{name | there}}' }

export async function addDraft({ api, slug, key }: Desk, parts: object = {}): Promise<Answer> {
  const body = { newsletter: slug, ...draft, ...parts }
  return await api.call('/api/v1/campaigns', { method: 'POST', headers: key, body })
}

export async function startSending(desk: Desk, id: string): Promise<void> {
  const campaign = { id, organizationId: desk.tenant.organizationId }
  await freezeCampaign(desk.api.ctx.pg, campaign, desk.api.ctx)
  await desk.api.pool.query(
    `update campaigns set state = 'sending', sent_at = '2026-11-21T01:00:00Z' where id = $1`,
    [id],
  )
}

export async function addReader(desk: Desk): Promise<{ contactId: string; addressId: string }> {
  const contactId = uuidv7()
  const addressId = uuidv7()
  const { organizationId } = desk.tenant
  await desk.api.pool.query(
    `insert into addresses (id, organization_id, email, email_key) values ($1, $2, $3, $3)`,
    [addressId, organizationId, `${contactId}@readers.test`],
  )
  await desk.api.pool.query(
    `insert into contacts (id, organization_id, newsletter_id, address_id, status) values ($1, $2, $3, $4, 'subscribed')`,
    [contactId, organizationId, desk.newsletterId, addressId],
  )
  return { contactId, addressId }
}
