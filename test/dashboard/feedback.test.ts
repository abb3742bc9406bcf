/** A developer reads what users said beside the error that it is about. */
import { randomBytes } from 'node:crypto'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { dashboardOfThisFile, hasBrowser } from '../fixtures/dashboard/open-dashboard.ts'
import { send } from '../fixtures/processes/raw-http.ts'

describe.skipIf(!hasBrowser)('feedback', () => {
  const dashboard = dashboardOfThisFile()

  async function sendItem(type: string, payload: object): Promise<void> {
    const { dsn, dsnId, ingestUrl } = dashboard().product.stack.demo
    const { username: key } = new URL(dsn)
    const reply = await send(ingestUrl, {
      method: 'POST',
      path: `/api/${dsnId}/envelope/?sentry_key=${key}&sentry_version=7`,
      body: `{}\n${JSON.stringify({ type })}\n${JSON.stringify(payload)}\n`,
    })
    expect(reply.status).toBe(200)
  }

  async function sendCrashWithFeedback(message: string, email: string): Promise<void> {
    const id = randomBytes(16).toString('hex')
    const frame = {
      function: 'chargeCard',
      filename: 'src/charge-card.ts',
      lineno: 42,
      in_app: true,
      context_line: 'total.toFixed(currency.digits)',
    }
    await sendItem('event', {
      event_id: id,
      platform: 'node',
      release: 'shop@1.4.0',
      exception: {
        values: [{ type: 'TypeError', value: 'no currency', stacktrace: { frames: [frame] } }],
      },
    })
    await sendItem('feedback', {
      event_id: randomBytes(16).toString('hex'),
      platform: 'javascript',
      release: 'shop@1.4.0',
      contexts: {
        feedback: { message, name: 'Ada', contact_email: email, associated_event_id: id },
      },
    })
  }

  const rows = (page: Page) => page.getByRole('list', { name: 'Feedback' }).getByRole('listitem')
  const pane = (page: Page) => page.getByRole('article', { name: 'The opened feedback' })

  test('an item stands beside its error, its release and its person', async () => {
    await sendCrashWithFeedback('The page is empty after I pay.', 'ada@example.com')
    await sendCrashWithFeedback('Paying fails again.', 'ada@example.com')
    const page = await dashboard().open('/projects/{project}/feedback')
    await expect.poll(() => rows(page).count()).toBe(2)
    // The error is linked once its event has been stored.
    await rows(page).filter({ hasText: 'With an error' }).nth(1).waitFor()
    await pane(page).waitFor()
    await page.keyboard.press('j')
    const item = pane(page)
    await item.getByText('The page is empty after I pay.').waitFor()
    const error = item.getByRole('region', { name: 'The error' })
    await error.getByRole('link', { name: 'TypeError: no currency' }).waitFor()
    await error.getByText('src/charge-card.ts:42 in chargeCard').waitFor()
    await item.getByRole('link', { name: 'shop@1.4.0' }).waitFor()
    const others = item.getByRole('region', { name: 'More from this person' })
    await others.getByRole('link', { name: 'Paying fails again.' }).waitFor()
    const href = await error.getByRole('link').getAttribute('href')
    expect(href).toMatch(/^\/projects\/[0-9a-f-]+\/issues\/[0-9a-f-]+/)
  })

  test('beside the list the first item is open, and going back leaves the inbox', async () => {
    const page = await dashboard().open('/projects/{project}/issues')
    await page.getByRole('link', { name: 'Feedback' }).click()
    await pane(page).getByText('Paying fails again.').first().waitFor()
    await page.getByRole('link', { name: /^Archived/ }).click()
    await page.getByText('Nothing archived').waitFor()
    expect(await pane(page).count()).toBe(0)
    await page.goBack()
    await page.goBack()
    await page.waitForURL(/\/issues/)
  })

  test('on a phone the list comes first', async () => {
    const page = await dashboard().open('/projects/{project}/feedback', { width: 390 })
    await rows(page).nth(1).waitFor()
    expect(await pane(page).count()).toBe(0)
    await rows(page).nth(1).getByRole('button').click()
    await pane(page).getByText('The page is empty after I pay.').waitFor()
    await page.getByRole('link', { name: 'All feedback' }).click()
    await rows(page).nth(1).waitFor()
    expect(await pane(page).count()).toBe(0)
  })

  test('e resolves the open item and opens the next; undo brings it back', async () => {
    const page = await dashboard().open('/projects/{project}/feedback')
    await pane(page).getByText('Paying fails again.').waitFor()
    await page.keyboard.press('e')
    await pane(page).getByText('The page is empty after I pay.').waitFor()
    await expect.poll(() => rows(page).count()).toBe(1)
    await page.getByRole('link', { name: /^Done/ }).click()
    await rows(page).filter({ hasText: 'Paying fails again.' }).waitFor()
    await page.keyboard.press('z')
    await page.getByText('Nothing resolved or closed yet').waitFor()
  })

  test('several items are archived together', async () => {
    const page = await dashboard().open('/projects/{project}/feedback')
    await rows(page).nth(1).waitFor()
    for (const box of await rows(page).getByRole('checkbox').all()) await box.check()
    await page.getByRole('group', { name: 'Selected feedback' }).getByText('2 items').waitFor()
    await page.keyboard.press('y')
    await page.getByText('The inbox is empty').waitFor()
    await page.getByRole('link', { name: /^Archived/ }).click()
    await expect.poll(() => rows(page).count()).toBe(2)
  })
})
