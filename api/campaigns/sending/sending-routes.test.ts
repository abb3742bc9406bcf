import { v7 as uuidv7 } from 'uuid'
import { beforeAll, expect, test } from 'vitest'
import { apiOfThisFile, type PersonLogin, type Tenant } from '../../../test/fixtures/api-fixture.ts'
import { addContacts, addMailTenant } from '../../../test/mailkill/mail-fixture.ts'

const api = apiOfThisFile()
let tenant: Tenant
let owner: PersonLogin
let viewer: PersonLogin
let newsletterId: string

beforeAll(async () => {
  tenant = await api().tenant('sending')
  owner = await api().login(tenant)
  viewer = await api().login(tenant, 'viewer')
  newsletterId = uuidv7()
  await api().pool.query(
    `insert into newsletters (id, organization_id, slug, name, from_address, confirm_signups)
       values ($1, $2, 'sending', 'Sending', 'news@sender.test', false)`,
    [newsletterId, tenant.organizationId],
  )
  const { organizationId } = tenant
  await addContacts(api().pool, { organizationId, newsletterId }, { count: 5 })
})

const below = '/api/v1/admin/email'

async function draft(): Promise<string> {
  const body = { newsletter: 'sending', subject: 'Hello', markdown: 'Hello {{name | there}}' }
  const made = await api().call(`${below}/campaigns`, { method: 'POST', login: owner, body })
  expect(made.status).toBe(201)
  return made.body.id
}

function post(path: string, body?: object, login = owner) {
  return api().call(`${below}${path}`, { method: 'POST', login, ...(body ? { body } : {}) })
}

/** Creates the deliveries as the mail process does. */
async function fill(id: string): Promise<void> {
  await api().pool.query(
    `insert into deliveries (campaign_id, contact_id, address_id) select $1, id, address_id from contacts where newsletter_id = $2`,
    [id, newsletterId],
  )
  await api().pool.query(
    'update campaign_counts set audience = 5, waiting = 5 where campaign_id = $1',
    [id],
  )
  await api().pool.query("update campaigns set state = 'sending', sent_at = now() where id = $1", [
    id,
  ])
}

test('a delivery that waits in a block is shown as queued', async () => {
  const id = await draft()
  await fill(id)
  const { rows } = await api().pool.query<{ contact_id: string }>(
    `update deliveries set state = 'claimed', claimed_by = case when contact_id = (
         select contact_id from deliveries where campaign_id = $1 order by contact_id limit 1) then gen_random_uuid() end
       where campaign_id = $1 returning contact_id`,
    [id],
  )
  const list = async (state: string) => {
    const path = `${below}/campaigns/${id}/deliveries?state=${state}`
    return (await api().call(path, { login: owner })).body.items.length
  }
  expect([rows.length, await list('queued'), await list('claimed')]).toEqual([5, 4, 1])
})

test('a campaign is sent, paused, resumed and cancelled, and its counts add up', async () => {
  const id = await draft()
  expect(await post(`/campaigns/${id}/send`, { ratePerSecond: 2 })).toMatchObject({
    status: 200,
    body: { state: 'preparing', rateMax: 2 },
  })
  const { rows } = await api().pool.query('select compiled from campaigns where id = $1', [id])
  expect(rows[0]?.compiled).toMatchObject({ fromAddress: 'news@sender.test' })
  await fill(id)
  expect((await post(`/campaigns/${id}/pause`)).body).toMatchObject({ state: 'paused' })
  expect((await post(`/campaigns/${id}/pause`)).status).toBe(409)
  expect((await post(`/campaigns/${id}/resume`)).body).toMatchObject({
    state: 'sending',
    waiting: 5,
    etaSeconds: 3,
  })
  expect((await post(`/campaigns/${id}/cancel`)).body).toMatchObject({
    state: 'cancelled',
    audience: 5,
    waiting: 0,
    cancelled: 5,
  })
  expect((await post(`/campaigns/${id}/resume`)).status).toBe(409)
})

test('a scheduled campaign waits for its time, and is a draft again when it is cancelled', async () => {
  const id = await draft()
  const soon = new Date(api().time.nowMs + 60_000).toISOString()
  const past = new Date(api().time.nowMs - 60_000).toISOString()
  expect((await post(`/campaigns/${id}/send`, { scheduledAt: past })).body).toMatchObject({
    details: [{ field: 'scheduledAt', rule: 'must be in the future' }],
  })
  expect((await post(`/campaigns/${id}/send`, { scheduledAt: soon })).body).toMatchObject({
    state: 'scheduled',
    scheduledAt: soon,
  })
  expect((await post(`/campaigns/${id}/cancel`)).body).toMatchObject({ state: 'draft' })
})

test('uncertain deliveries are listed, exported, and sent again when a person asks for it', async () => {
  const id = await draft()
  await post(`/campaigns/${id}/send`)
  await fill(id)
  await api().pool.query(
    `update deliveries set state = 'uncertain', reason = 'process_lost' where campaign_id = $1
       and contact_id in (select contact_id from deliveries where campaign_id = $1 order by 1 limit 2)`,
    [id],
  )
  await api().pool.query(
    'update campaign_counts set waiting = 3, uncertain = 2 where campaign_id = $1',
    [id],
  )
  const list = (query: string) =>
    api().call(`${below}/campaigns/${id}/deliveries${query}`, { login: viewer })
  const page = await list('?state=uncertain&limit=1')
  expect(page.body.items).toMatchObject([{ state: 'uncertain', reason: 'process_lost' }])
  const next = await list(`?state=uncertain&limit=1&cursor=${page.body.next_cursor}`)
  expect(next.body).toMatchObject({ items: [{ state: 'uncertain' }], next_cursor: null })
  const file = await api().call(`${below}/campaigns/${id}/deliveries.csv`, { login: viewer })
  expect(file.headers['content-type']).toMatch(/^text\/csv/)
  expect(file.body.trim().split('\r\n')).toHaveLength(6)

  expect((await post(`/campaigns/${id}/deliveries/resend`, {})).body).toEqual({ requeued: 2 })
  expect((await post(`/campaigns/${id}/deliveries/resend`, {})).body).toEqual({ requeued: 0 })
  const progress = await api().call(`${below}/campaigns/${id}/progress`, { login: viewer })
  expect(progress.body).toMatchObject({ audience: 5, waiting: 5, uncertain: 0 })
})

test('a viewer cannot send, and other organizations see nothing', async () => {
  const id = await draft()
  expect((await post(`/campaigns/${id}/send`, {}, viewer)).status).toBe(403)
  expect((await api().call(`${below}/campaigns/${id}/send`, { method: 'POST' })).status).toBe(401)
  const other = await api().tenant('other')
  const stranger = await api().login(other)
  for (const path of ['send', 'pause', 'resume', 'cancel', 'deliveries/resend']) {
    const answer = await post(`/campaigns/${id}/${path}`, {}, stranger)
    expect({ path, status: answer.status }).toEqual({ path, status: 404 })
  }
  for (const path of ['progress', 'deliveries', 'deliveries.csv']) {
    const answer = await api().call(`${below}/campaigns/${id}/${path}`, { login: stranger })
    expect({ path, status: answer.status }).toEqual({ path, status: 404 })
  }
})

test('a campaign without recipients is refused before sending begins', async () => {
  const { newsletterId: empty } = await addMailTenant(api().pool)
  await api().pool.query('update newsletters set organization_id = $2, slug = $3 where id = $1', [
    ...[empty, tenant.organizationId, 'empty'],
  ])
  const body = { newsletter: 'empty', subject: 'Hello', markdown: 'Hello' }
  const made = await api().call(`${below}/campaigns`, { method: 'POST', login: owner, body })
  expect(await post(`/campaigns/${made.body.id}/send`)).toMatchObject({
    status: 409,
    body: { code: 'conflict', error: expect.stringContaining('Nobody') },
  })
})

test('one limit applies to all campaigns', async () => {
  const put = (ratePerSecond: unknown) =>
    api().call(`${below}/transport`, { method: 'PUT', login: owner, body: { ratePerSecond } })
  expect((await put(25)).body).toEqual({ ratePerSecond: 25 })
  expect((await api().call(`${below}/transport`, { login: viewer })).body).toEqual({
    ratePerSecond: 25,
  })
  expect((await put(0)).status).toBe(400)
  expect((await put(null)).body).toEqual({ ratePerSecond: null })
})
