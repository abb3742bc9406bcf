/** An alert rule from its creation to a notification that a receiver has checked. */
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dashboardOfThisFile, hasBrowser } from '../fixtures/dashboard/open-dashboard.ts'
import { Receiver } from '../fixtures/notifications/receiver.ts'

describe.skipIf(!hasBrowser)('alert rules', () => {
  const dashboard = dashboardOfThisFile()
  let receiver: Receiver
  beforeAll(async () => {
    receiver = await Receiver.start()
    receiver.answer = () => ({ status: 200, body: 'stored' })
  })
  afterAll(() => receiver.close())

  test('a rule is created, tested and seen delivered', async () => {
    const page = await dashboard().open('/projects/{project}/alerts')
    await page.getByRole('link', { name: 'New rule' }).click()
    await page.getByLabel('Name').fill('Checkout')
    await page.getByLabel('Condition 1', { exact: true }).selectOption('event_count')
    await page.getByLabel('More than, events').fill('5')
    await page.getByRole('button', { name: 'Remove Email' }).click()
    await page.getByRole('button', { name: 'Add a channel' }).click()
    await page.getByLabel('URL').fill(`${receiver.url}/hook`)
    await page
      .getByText('When an issue has more than 5 events in 1 hour, post to the webhook 127.0.0.1')
      .waitFor()
    await page.getByText('It would not have fired in the last 7 days.').waitFor()
    await page.getByRole('button', { name: 'Create the rule' }).click()

    const shown = page.getByRole('dialog', { name: 'Secret of the webhook' })
    const secret = await shown.getByText(/^whsec_/).textContent()
    await shown.getByRole('button', { name: 'I have copied it' }).click()

    await page.getByRole('button', { name: 'Send a test' }).click()
    const result = page.getByRole('dialog', { name: 'Test of the channels' })
    await result.getByText('Delivered').waitFor()
    const [request] = receiver.requests
    const headers = request?.headers as Record<string, string>
    expect(new Webhook(secret ?? '').verify(request?.body ?? '', headers)).toMatchObject({
      type: 'alert.test',
      data: { rule: { name: 'Checkout' } },
    })

    await result.getByRole('button', { name: 'Show the log' }).click()
    await page.getByRole('button', { name: /^Delivered Webhook 127\.0\.0\.1/ }).click()
    const delivery = page.getByRole('dialog', { name: /^Webhook/ })
    await delivery.getByText('stored', { exact: true }).waitFor()
    await delivery.getByText('"type": "alert.test"').waitFor()
    await delivery.getByRole('button', { name: 'Replay' }).click()
    await page.getByText('Queued for delivery again.').waitFor()
    await expect.poll(() => receiver.requests.length).toBe(2)
    expect(receiver.requests[1]?.headers['webhook-id']).toBe(headers['webhook-id'])

    await page.reload()
    await page.getByRole('dialog', { name: /^Webhook/ }).waitFor()
  })

  test('what is wrong is said at its field, and the rest stays as it was typed', async () => {
    const page = await dashboard().open('/projects/{project}/alerts/new?when=user_count')
    await page.getByLabel('Search', { exact: true }).fill('level:[error')
    await page.getByText('must close each [ with a ]').first().waitFor()
    await page.getByLabel('Search', { exact: true }).fill('level:error')
    await page.getByLabel('More than, users').fill('many')
    await page.getByLabel('Environment', { exact: true }).fill('production')
    await page.getByLabel('Environment', { exact: true }).press('Enter')
    await page.getByRole('button', { name: 'Create the rule' }).click()
    await page.getByText('2 fields to correct').waitFor()
    const describedBy = async (label: string) => {
      const id = await page.getByLabel(label, { exact: true }).getAttribute('aria-describedby')
      return page.locator(`[id="${id?.split(' ').at(-1)}"]`).textContent()
    }
    expect(await describedBy('Name')).toBe('must not be empty')
    expect(await describedBy('More than, users')).toBe('is required')

    await page.getByLabel('Name').fill('Many users')
    await page.getByLabel('More than, users').fill('20')
    await page.getByRole('button', { name: 'Create the rule' }).click()
    await page.getByRole('heading', { name: 'Many users' }).waitFor()
    await page
      .getByText('an issue affects more than 20 users in 1 hour (in production; matching')
      .waitFor()
  })
})
