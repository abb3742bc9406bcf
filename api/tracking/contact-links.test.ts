/** The public side of a campaign over the real API: archive pages, and the links of its emails. */
import { v7 as uuidv7 } from 'uuid'
import { describe, expect, test } from 'vitest'
import { fillEmail } from '#schemas/mail/compiled-email.ts'
import { formatContactToken } from '#schemas/mail/contact-token.ts'
import { apiOfThisFile } from '../../test/fixtures/api-fixture.ts'
import { addContact, addDraft, openDesk, startSending } from '../../test/fixtures/campaign-desk.ts'
import { contactTokenOf } from '../../test/fixtures/email-fixture.ts'
import { freezeCampaign } from '../campaigns/freeze-campaign.ts'
import { honeypotLinkIndex } from '../compose/track-links.ts'

const api = apiOfThisFile()
const browser = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'

describe('the archive', () => {
  test('shows a campaign as soon as sending begins, without data of contacts', async () => {
    const desk = await openDesk(api(), { track_opens: true, track_clicks: true })
    const markdown = '# Hi {{name | friend}}\n\n[a](https://a.test) <script>alert(1)</script>'
    const { body } = await addDraft(desk, { markdown, previewText: 'Pre {{attr.x}}' })
    const path = `/archive/${desk.slug}/first-issue`
    expect((await api().call(path)).status).toBe(404)
    await startSending(desk, body.id)

    const page = await api().call(path)
    expect(page.status).toBe(200)
    expect(page.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'public, max-age=60',
    })
    expect(page.headers['content-security-policy']).toContain("default-src 'none'; img-src https:")
    expect(page.body).toContain('Hi friend')
    expect(page.body).toContain('<a href="https://a.test">')
    expect(page.body).not.toMatch(/script>|\/u\/|\/o\/|\/c\/|\{\{/)
    const again = { 'if-none-match': `W/"x", ${page.headers['etag']}` }
    expect(await api().call(path, { headers: again })).toMatchObject({ status: 304, body: '' })

    const list = await api().call(`/archive/${desk.slug}/`)
    expect(list.body).toContain('First issue')
    const bare = await api().call(`/archive/${desk.slug}`)
    expect(bare.headers['location']).toBe(`/archive/${desk.slug}/`)
    const atom = await api().call(`/archive/${desk.slug}/feed.xml`)
    expect(atom.headers['content-type']).toContain('application/atom+xml')
    expect(atom.body).toContain('&lt;h1&gt;Hi friend')
    const json = await api().call(`/archive/${desk.slug}/feed.json`)
    expect(JSON.parse(json.body).items).toMatchObject([{ title: 'First issue', summary: 'Pre' }])
  })

  test('is 404 when disabled, and can opt out of indexing', async () => {
    const off = await openDesk(api(), { archive_enabled: false })
    const paths = ['', '/', '/feed.xml', '/feed.json', '/first-issue']
    for (const path of paths) {
      expect((await api().call(`/archive/${off.slug}${path}`)).status).toBe(404)
    }
    const hidden = await openDesk(api(), { archive_noindex: true })
    const page = await api().call(`/archive/${hidden.slug}/`)
    expect(page.headers['x-robots-tag']).toBe('noindex')
    expect(page.body).toContain('<meta name="robots" content="noindex">')
  })
})

describe('links of an email', () => {
  async function sentEmail(columns: Record<string, boolean>) {
    const desk = await openDesk(api(), { track_opens: true, track_clicks: true, ...columns })
    const markdown = '[a](https://a.test/?x=1&y=2) [b](https://b.test/) [c](https://c.test/)'
    const { body } = await addDraft(desk, { markdown })
    await startSending(desk, body.id)
    const { contactId, addressId } = await addContact(desk)
    await api().pool.query('update addresses set soft_run = 2 where id = $1', [addressId])
    const campaignId = body.id as string
    const token = contactTokenOf(api(), contactId, campaignId, 'click')
    const openToken = contactTokenOf(api(), contactId, campaignId, 'open')
    return { desk, campaignId, contactId, addressId, token, openToken }
  }

  async function hitsOf(campaignId: string) {
    // Hits are buffered for a while before they are classified.
    const { rows } = await api().pool.query(
      'select kind, link_index, machine, contact_id from tracking_hits where campaign_id = $1 order by id',
      [campaignId],
    )
    return rows
  }

  async function untilFolded(campaignId: string, count: number) {
    api().time.nowMs += 10_000
    await expect.poll(() => hitsOf(campaignId)).toHaveLength(count)
    return await hitsOf(campaignId)
  }

  test('redirect to the stored URL, are counted, and reset soft bounces', async () => {
    const { desk, campaignId, contactId, addressId, token, openToken } = await sentEmail({
      track_readers: true,
    })
    const headers = { 'user-agent': browser }
    const click = await api().call(`/c/${token}/0`, { headers })
    expect(click).toMatchObject({ status: 302 })
    expect(click.headers['location']).toBe('https://a.test/?x=1&y=2')
    const open = await api().call(`/o/${openToken}.gif`, { headers })
    expect(open.headers['content-type']).toBe('image/gif')
    expect(open.headers['content-length']).toBe('43')
    expect(open.headers['cache-control']).toBe('no-store')
    const hits = await untilFolded(campaignId, 2)
    expect(hits).toMatchObject([
      { kind: 'click', link_index: 0, machine: false, contact_id: contactId },
      { kind: 'open', link_index: null, machine: false, contact_id: contactId },
    ])
    const report = await api().call(`/api/v1/admin/email/campaigns/${campaignId}/tracking`, {
      login: desk.login,
    })
    expect(report.body).toMatchObject({
      opens: { human: 1, total: 1 },
      clicks: { human: 1, total: 1 },
      links: [{ url: 'https://a.test/?x=1&y=2', human: 1, total: 1 }, { total: 0 }, { total: 0 }],
    })
    const { rows } = await api().pool.query('select soft_run from addresses where id = $1', [
      addressId,
    ])
    expect(rows).toEqual([{ soft_run: 0 }])
  })

  test('of a newsletter without contact tracking are counted without the contact', async () => {
    const { campaignId, token } = await sentEmail({})
    const headers = { 'user-agent': browser }
    expect((await api().call(`/c/${token}/${honeypotLinkIndex}`, { headers })).status).toBe(204)
    await api().call(`/c/${token}/1`, { headers })
    const hits = await untilFolded(campaignId, 2)
    expect(hits).toMatchObject([
      { machine: true, contact_id: null },
      { link_index: 1, machine: true, contact_id: null },
    ])
  })

  test('are 404 with an unknown token or index', async () => {
    const { token, openToken, contactId } = await sentEmail({})
    const ids = { contactId, campaignId: uuidv7() }
    const forged = formatContactToken('click', ids, () => Buffer.alloc(16))
    const unknown = contactTokenOf(api(), contactId, uuidv7(), 'click')
    const paths = [
      `/c/${forged}/0`,
      `/c/${unknown}/0`,
      `/c/${token}/3`,
      `/c/${token}/-1`,
      `/c/${token}/x`,
      `/c/${token}/0?url=https://evil.test`,
      `/o/${forged}.gif`,
      `/o/${openToken}`,
    ]
    const statuses = await Promise.all(paths.map(async (path) => (await api().call(path)).status))
    expect(statuses).toEqual([404, 404, 404, 404, 404, 302, 404, 404])
  })
})

test('a frozen campaign does not change with later edits', async () => {
  const desk = await openDesk(api(), { track_clicks: true })
  const { body } = await addDraft(desk, { markdown: '[a](https://a.test) {{name}}' })
  const campaign = { id: body.id, organizationId: desk.tenant.organizationId }
  const { compiled, links } = await freezeCampaign(api().ctx.pg, campaign, api().ctx)
  await api().pool.query(`update newsletters set name = 'Later' where id = $1`, [desk.newsletterId])
  expect(links).toEqual(['https://a.test'])
  const { rows } = await api().pool.query('select compiled from campaigns where id = $1', [body.id])
  expect(rows[0].compiled).toEqual(compiled)
  expect(compiled).toMatchObject({
    fromName: 'News',
    fromAddress: 'n@news.test',
    trackClicks: true,
  })
  const contact = {
    name: 'Ada',
    links: { unsubscribe: 'https://u.test/1', preferences: 'p', openPixel: 'o', clickBase: 'c' },
  }
  const { html, text } = fillEmail(compiled.email, contact)
  expect(html).toContain('<a href="c/0"')
  expect(html).toContain('https://u.test/1')
  expect(text).toContain('Unsubscribe: https://u.test/1')
})
