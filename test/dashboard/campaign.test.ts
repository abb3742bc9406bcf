/** A campaign from the first word to the last recipient, and two people in one draft. */
import type { BrowserContext, Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { dashboardOfThisFile, hasBrowser } from '../fixtures/dashboard/open-dashboard.ts'
import { waitUntil } from '../fixtures/processes/wait-until.ts'

const readers = 30

interface CapturedItem {
  readonly id: string
  readonly subject: string
  readonly to: readonly unknown[] | string
}

// biome-ignore lint/suspicious/noExplicitAny: the replies are checked by the API's own tests.
type Body = any

describe.skipIf(!hasBrowser)('a campaign', () => {
  const dashboard = dashboardOfThisFile()

  beforeAll(async () => {
    const context = await dashboard().logIn()
    const lines = Array.from(
      { length: readers },
      (_, no) => `reader${no}@readers.test,Reader ${no}`,
    )
    const { newsletter } = dashboard().product.stack.demo
    const path = `imports?newsletter=${newsletter}&status=subscribed`
    const done = await call(context, 'POST', path, {
      text: ['email,name', ...lines].join('\n'),
      type: 'text/csv',
    })
    await waitUntil('the imported contacts', async () => {
      const { state } = await call(context, 'GET', `imports/${done.id}`)
      return state === 'done'
    })
    await context.close()
  })

  async function call(
    context: BrowserContext,
    method: string,
    path: string,
    body?: object | { readonly text: string; readonly type: string },
  ): Promise<Body> {
    const { apiUrl } = dashboard().product.stack.demo
    const login = await (await context.request.get(`${apiUrl}/api/v1/me`)).json()
    const file = body !== undefined && 'text' in body && 'type' in body ? body : undefined
    const reply = await context.request.fetch(`${apiUrl}/api/v1/admin/email/${path}`, {
      method,
      headers: {
        'x-csrf-token': login.csrf_token,
        ...(file === undefined ? {} : { 'content-type': file.type }),
      },
      ...(body === undefined ? {} : { data: file?.text ?? body }),
    })
    expect(reply.ok(), `${method} ${path}: ${reply.status()}`).toBe(true)
    return reply.json()
  }

  async function captured(page: Page, subject: string): Promise<CapturedItem[]> {
    const { apiUrl } = dashboard().product.stack.demo
    const reply = await page.request.get(`${apiUrl}/dev/mailbox`)
    const { items } = (await reply.json()) as { readonly items: readonly CapturedItem[] }
    return items.filter((item) => item.subject === subject)
  }

  async function textOf(page: Page, item: CapturedItem): Promise<string> {
    const { apiUrl } = dashboard().product.stack.demo
    return (await page.request.get(`${apiUrl}/dev/mailbox/${item.id}`)).text()
  }

  test('is written, tested, checked, sent, paused and resumed', async () => {
    const page = await dashboard().open('/email/campaigns')
    await page.getByRole('button', { name: 'New campaign' }).first().click()
    await page.getByLabel('Subject').fill('The story')
    await page.getByRole('button', { name: 'Create the draft' }).click()

    const text = page.getByRole('textbox', { name: 'Text of the email' })
    await text.click()
    await page.keyboard.press('Control+End')
    await page.keyboard.type('This is **important**. {{na')
    const offered = page.getByRole('option', { name: '{{name}}' })
    await offered.waitFor()
    await offered.click()
    await page
      .getByRole('status')
      .filter({ hasText: /^Saved$/ })
      .waitFor()
    const frame = page.frameLocator('iframe[data-shown="true"]')
    await frame.getByText('important').waitFor()
    expect(await frame.locator('strong').textContent()).toBe('important')

    await page.getByRole('button', { name: 'Send a test' }).click()
    await page.getByRole('button', { name: 'Send the test' }).click()
    const [tested] = await waitUntil('the test email', async () => {
      const items = await captured(page, '[Test] The story')
      return items.length > 0 && items
    })
    expect(await textOf(page, tested!)).toContain('important')

    await page.getByPlaceholder('Preview as a contact …').fill('reader3@')
    await page.getByRole('option', { name: 'reader3@readers.test' }).click()
    await frame.getByText('Hello Reader 3').waitFor()
    await page.getByRole('button', { name: 'Send a test' }).click()
    const filled = page.getByLabel('Fill the placeholders as for reader3@readers.test')
    await filled.waitFor()
    await page.getByRole('button', { name: 'Send the test' }).click()
    await waitUntil('the test email with the values of a contact', async () => {
      const items = await captured(page, '[Test] The story')
      const texts = await Promise.all(items.map((item) => textOf(page, item)))
      return texts.some((found) => found.includes('Hello Reader 3'))
    })

    await page.getByRole('button', { name: 'Review and send' }).click()
    await page.getByText(`${readers} subscribers get this.`).waitFor()
    await page.getByText('Rate and warm-up').click()
    await page.getByLabel('Emails per second, at most').fill('1')
    await page.getByRole('button', { name: `Send to ${readers} people …` }).click()
    const question = page.getByRole('dialog', { name: `Send to ${readers} people?` })
    await question.getByText('<news@demo.test>').waitFor()
    await question.getByRole('button', { name: `Send to ${readers} people` }).click()

    await page.getByRole('button', { name: 'Pause' }).click()
    await page.getByText(/^Paused\. \d+ (?:person waits|people wait)/).waitFor()
    const paused = (await captured(page, 'The story')).length
    expect(paused).toBeLessThan(readers)
    await page.getByRole('button', { name: 'Rate', exact: true }).click()
    const rate = page.getByRole('dialog', { name: 'Rate of this campaign' })
    await rate.getByLabel('Emails per second, at most').fill('')
    await rate.getByRole('button', { name: 'Set the rate' }).click()
    await page.getByRole('button', { name: 'Resume' }).click()
    await page.getByText(`Sent to ${readers} people`).waitFor()
    const all = await captured(page, 'The story')
    expect(all).toHaveLength(readers)
    const first = all.find((item) => JSON.stringify(item).includes('reader0@readers.test'))
    const email = await textOf(page, first!)
    expect(email).toContain('Hello Reader 0')
    expect(email).toContain('important. Reader 0')
    expect(email).toContain('news@demo.test')

    await page.getByRole('link', { name: /^Deliveries/ }).click()
    await page.getByLabel('Address').fill('reader7@')
    await page.getByRole('link', { name: 'reader7@readers.test' }).waitFor()
    await page.getByRole('listitem').filter({ hasText: 'Sent' }).first().waitFor()
  })

  test('is not overwritten by a second person with the same draft', async () => {
    const context = await dashboard().logIn()
    const { newsletter } = dashboard().product.stack.demo
    const body = { newsletter, subject: 'Ours', markdown: 'The first text.' }
    const { id } = await call(context, 'POST', 'campaigns', body)
    const page = await dashboard().open(`/email/campaigns/${id}`, { context })
    await page.getByLabel('Subject').fill('Mine')
    await page
      .getByRole('status')
      .filter({ hasText: /^Saved$/ })
      .waitFor()
    await call(context, 'PATCH', `campaigns/${id}`, { markdown: 'The text of the other.' })
    await page.getByLabel('Preview text').fill('Typed meanwhile')
    await page.getByRole('button', { name: 'Compare and choose' }).click()
    await page.getByText('The text of the other.').first().waitFor()
    expect((await call(context, 'GET', `campaigns/${id}`)).previewText).toBeNull()
    await page.getByRole('button', { name: 'Keep mine and replace the other' }).click()
    await page
      .getByRole('status')
      .filter({ hasText: /^Saved$/ })
      .waitFor()
    expect(await call(context, 'GET', `campaigns/${id}`)).toMatchObject({
      subject: 'Mine',
      previewText: 'Typed meanwhile',
      markdown: 'The first text.',
    })
  })

  test('keeps what cannot be saved, over another page, a reload and a choice that was wrong', async () => {
    const context = await dashboard().logIn()
    const { newsletter } = dashboard().product.stack.demo
    const body = { newsletter, subject: 'Kept', markdown: 'The first text.' }
    const { id } = await call(context, 'POST', 'campaigns', body)
    // The page must not learn of the other's change before the person types.
    await context.route('**/api/v1/live*', (route) => route.abort())
    const page = await dashboard().open(`/email/campaigns/${id}`, { context })
    const text = page.getByRole('textbox', { name: 'Text of the email' })
    const saved = page.getByRole('status').filter({ hasText: /^Saved$/ })
    await saved.waitFor()

    // No network: the person goes on to another page, and comes back with a reload.
    await page.route(`**/api/v1/admin/email/campaigns/${id}`, (route, request) =>
      request.method() === 'PATCH' ? route.abort() : route.continue(),
    )
    await text.click()
    await page.keyboard.press('Control+End')
    await page.keyboard.type(' Typed without a network.')
    await page.getByText('Not saved: trying again').waitFor()
    await page.getByRole('link', { name: 'Contacts', exact: true }).click()
    await page.getByText('They are kept in this tab.').waitFor()
    await page.unrouteAll()
    await page.goBack()
    await page.getByText('Your unsaved edits are back.').waitFor()
    await saved.waitFor()
    const markdown = 'The first text. Typed without a network.'
    expect((await call(context, 'GET', `campaigns/${id}`)).markdown).toBe(markdown)

    // A conflict, left without a decision.
    await call(context, 'PATCH', `campaigns/${id}`, { subject: 'Changed by the other' })
    await text.click()
    await page.keyboard.press('Control+End')
    await page.keyboard.type(' Typed meanwhile.')
    await page.getByRole('button', { name: 'Compare and choose' }).waitFor()
    await page.getByRole('link', { name: 'Contacts', exact: true }).click()
    await page.getByText('They are kept in this tab.').waitFor()
    await page.getByRole('button', { name: 'Open the draft' }).click()
    await page.getByRole('button', { name: 'Compare and choose' }).click()
    const choice = page.getByRole('dialog', { name: 'Two versions of this draft' })
    await choice.getByText('Typed meanwhile.').waitFor()
    await choice.getByRole('button', { name: 'Use the other version' }).click()
    await page.getByRole('button', { name: 'Undo' }).click()
    await saved.waitFor()
    expect((await call(context, 'GET', `campaigns/${id}`)).markdown).toBe(
      `${markdown} Typed meanwhile.`,
    )

    // Somebody sends it while the text cannot be saved.
    await page.route(`**/api/v1/admin/email/campaigns/${id}`, (route, request) =>
      request.method() === 'PATCH' ? route.abort() : route.continue(),
    )
    await page.getByLabel('Preview text').fill('Too late')
    await page.getByText('Not saved: trying again').waitFor()
    await call(context, 'POST', `campaigns/${id}/send`, { force: true })
    await page.unrouteAll()
    await page.goto(page.url())
    const notice = page.getByRole('region', { name: 'Your edits are not part of this campaign' })
    await notice.getByText('Too late').waitFor()
    await notice.getByRole('button', { name: 'Discard' }).click()
    await notice.waitFor({ state: 'detached' })
    dashboard().complaints()
  })
})
