/**
 * What happened to one email: deferred once and then accepted, with both replies and the content;
 * the same email in the history of its contact, and a campaign's bounce behind its chart.
 */
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, describe, expect, test } from 'vitest'
import { findViolations } from '../fixtures/dashboard/find-violations.ts'
import {
  dashboardOfOwnProduct,
  hasBrowser,
  overflowOf,
} from '../fixtures/dashboard/open-dashboard.ts'
import { waitUntil } from '../fixtures/processes/wait-until.ts'
import { SmtpSink } from '../mailkill/smtp-sink.ts'

const deferred = new Set<string>()
const sink = await SmtpSink.start({
  fault: (phase, { to }) => {
    if (phase !== 'rcpt' || !to.endsWith('.story')) return undefined
    if (to.startsWith('gone')) {
      return { kind: 'reply', reply: '550 5.1.1 <script>alert(1)</script> no such user' }
    }
    if (deferred.has(to)) return undefined
    deferred.add(to)
    return { kind: 'reply', reply: '450-4.2.0 Greylisted \u001b[31m\r\n450 4.2.0 try again later' }
  },
})
afterAll(() => sink.stop())

// biome-ignore lint/suspicious/noExplicitAny: the replies are checked by the API's own tests.
type Body = any

describe.skipIf(!hasBrowser)('the history of an email', () => {
  const dashboard = dashboardOfOwnProduct({
    env: { SMTP_URL: sink.url, MAIL_RETRY_SECONDS: '1,1,1', MAIL_ALLOW_UNVERIFIED_FROM: 'true' },
  })

  async function post(context: BrowserContext, path: string, data: object): Promise<Body> {
    const { apiUrl } = dashboard().product.stack.demo
    const login = await (await context.request.get(`${apiUrl}/api/v1/me`)).json()
    const headers = { 'x-csrf-token': login.csrf_token }
    const reply = await context.request.post(`${apiUrl}/api/v1${path}`, { headers, data })
    expect(reply.ok(), `${path}: ${reply.status()} ${await reply.text()}`).toBe(true)
    return reply.json()
  }

  async function send(body: object): Promise<Body> {
    const { apiUrl, apiKey, newsletter } = dashboard().product.stack.demo
    const reply = await fetch(`${apiUrl}/api/v1/send`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ newsletter, ...body }),
    })
    return reply.json()
  }

  async function expectFine(page: Page): Promise<void> {
    expect(await findViolations(page)).toEqual([])
    expect(await overflowOf(page)).toBe(0)
  }

  test('shows both replies and the content, also to a screen of 390 pixels in the dark', async () => {
    const context = await dashboard().logIn()
    const to = 'ada@readers.story'
    const contact = { newsletter: dashboard().product.stack.demo.newsletter, email: to }
    const { id: contactId } = await post(context, '/admin/email/contacts', {
      ...contact,
      confirmed: true,
    })
    const { id } = await send({ to, subject: 'Your receipt', markdown: 'Order **A-17**' })
    const page = await dashboard().open(`/email/sends/${id}`, { context })
    const history = page.getByRole('region', { name: 'History' })
    await history.getByText('Attempt 2').waitFor()
    await history.getByText('Greylisted').waitFor()
    expect(await history.locator('.smtp-reply').allTextContents()).toEqual([
      '450 4.2.0 Greylisted [31m\ntry again later',
      expect.stringMatching(/^250 /),
    ])
    await history.getByText('Deferred', { exact: true }).waitFor()
    await history.getByText('Accepted', { exact: true }).waitFor()
    await history.getByText(/127\.0\.0\.1:\d+, not encrypted, at RCPT TO/).waitFor()
    await page.getByRole('button', { name: 'Show the content' }).click()
    const frame = page.frameLocator('iframe[title="The email as it was sent"]')
    await frame.getByText('A-17').waitFor()
    await expectFine(page)
    await page.getByRole('link', { name: 'Headers' }).click()
    await page
      .getByText(/^<s[a-z2-7]{26}@/)
      .first()
      .waitFor()
    await page.getByRole('link', { name: 'Text', exact: true }).click()
    await page.locator('.sent-text').getByText('Order A-17').waitFor()

    const dark = await dashboard().logIn({ theme: 'dark', width: 390 })
    const narrow = await dashboard().open(`/email/sends/${id}?content=email`, { context: dark })
    await narrow.frameLocator('iframe').getByText('A-17').waitFor()
    await expectFine(narrow)

    for (const options of [context, dark]) {
      const person = await dashboard().open(`/email/contacts/${contactId}`, { context: options })
      const emails = person.getByRole('region', { name: 'Emails' })
      await emails.getByRole('link', { name: 'Your receipt' }).waitFor()
      await emails.getByText('Sent', { exact: true }).waitFor()
      await expectFine(person)
    }
  })

  test('lists the addresses behind the bounces of a campaign', async () => {
    const context = await dashboard().logIn()
    const { newsletter } = dashboard().product.stack.demo
    const readers = ['gone@readers.story', 'late@readers.story', 'fine@readers.test']
    for (const email of readers) {
      await post(context, '/admin/email/contacts', { newsletter, email, confirmed: true })
    }
    const draft = { newsletter, subject: 'November', markdown: 'Hello.' }
    const { id } = await post(context, '/admin/email/campaigns', draft)
    await post(context, `/admin/email/campaigns/${id}/send`, { force: true })
    const { product } = dashboard()
    await waitUntil('the end of the campaign', async () => {
      const { rows } = await product.postgres.query('select state from campaigns where id = $1', [
        id,
      ])
      return rows[0]?.state === 'sent'
    })
    // The chart begins with the second hour.
    await product.postgres.query(
      `update campaigns set sent_at = sent_at - interval '5 hours' where id = $1`,
      [id],
    )
    const dark = await dashboard().logIn({ theme: 'dark', width: 390 })
    for (const options of [context, dark]) {
      const page = await dashboard().open(`/email/campaigns/${id}`, { context: options })
      const who = page.getByRole('region', { name: 'Who bounced, complained or left' })
      await who.getByRole('link', { name: 'gone@readers.story' }).waitFor()
      await who.getByText('Mailbox does not exist').waitFor()
      await who.getByText(/550 5\.1\.1 <script>/).waitFor()
      await page.getByRole('region', { name: 'By hour' }).locator('canvas').waitFor()
      await expectFine(page)
      await who.getByLabel('Show').selectOption('unsubscribe')
      await who.getByText('Nobody unsubscribed').waitFor()

      const list = `/email/campaigns/${id}?tab=deliveries&q=late`
      const deliveries = await dashboard().open(list, { context: options })
      await deliveries.getByRole('button', { name: '2 attempts' }).click()
      const dialog = deliveries.getByRole('dialog', { name: 'Delivery' })
      await dialog.getByText('try again later').waitFor()
      await dialog.getByText('Accepted', { exact: true }).waitFor()
      await expectFine(deliveries)
      await dialog.getByRole('link', { name: 'Show the email of this person' }).click()
      await deliveries.frameLocator('iframe[data-shown="true"]').getByText('Hello.').waitFor()
      expect(await deliveries.getByRole('combobox', { name: 'Preview as' }).inputValue()).toBe(
        'late@readers.story',
      )
    }
  })
})
