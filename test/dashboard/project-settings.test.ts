/** A client key from its creation to its end, a filter, and ownership rules that are corrected. */
import { describe, expect, test } from 'vitest'
import { dashboardOfThisFile, hasBrowser } from '../fixtures/dashboard/open-dashboard.ts'
import { send } from '../fixtures/processes/raw-http.ts'
import { waitUntil } from '../fixtures/processes/wait-until.ts'

describe.skipIf(!hasBrowser)('project settings', () => {
  const dashboard = dashboardOfThisFile()

  async function statusWith(dsn: string): Promise<number> {
    const { ingestUrl } = dashboard().product.stack.demo
    const { username: key, pathname } = new URL(dsn)
    const payload = JSON.stringify({ message: 'sent with the new key', level: 'error' })
    const reply = await send(ingestUrl, {
      method: 'POST',
      path: `/api${pathname}/envelope/?sentry_key=${key}&sentry_version=7`,
      body: `{}\n{"type":"event"}\n${payload}\n`,
    })
    return reply.status
  }

  test('a key is created, used, disabled, enabled and deleted', async () => {
    const page = await dashboard().open('/projects/{project}/settings/keys')
    await page.getByRole('button', { name: 'Create a key' }).click()
    const form = page.getByRole('dialog', { name: 'Create a key' })
    await form.getByLabel('Label').fill('not a label!')
    await form.getByLabel('Rate limit').fill('many')
    await form.getByRole('button', { name: 'Create the key' }).click()
    await form.getByText('must be a whole number').waitFor()
    await form.getByLabel('Label').fill('checkout')
    await form.getByLabel('Rate limit').fill('100')
    await form.getByRole('button', { name: 'Create the key' }).click()

    const created = page.getByRole('dialog', { name: 'The new key' })
    const dsn = (await created.getByText(/^https?:\/\/[0-9a-f]{32}@/).textContent()) ?? ''
    await waitUntil('the key is accepted', async () => (await statusWith(dsn)) === 200)
    await created.getByRole('button', { name: 'Close' }).click()

    const row = page.getByRole('row', { name: /checkout/ })
    await row.getByText('Active').waitFor()
    await row.getByText('100', { exact: true }).waitFor()
    const act = async (name: string) => {
      await page.getByRole('button', { name: 'Actions for checkout' }).click()
      await page.getByRole('menuitem', { name }).click()
    }
    await act('Disable')
    await row.getByText('Disabled').waitFor()
    await waitUntil('the key is refused', async () => (await statusWith(dsn)) === 403)
    await page.getByRole('button', { name: 'Undo' }).click()
    await row.getByText('Active').waitFor()
    await waitUntil('the key is accepted again', async () => (await statusWith(dsn)) === 200)

    await act('Delete…')
    await page.getByRole('button', { name: 'Delete the key' }).click()
    await row.waitFor({ state: 'detached' })
    await waitUntil('the key is gone', async () => (await statusWith(dsn)) === 403)
  })

  test('a filter is saved, and typed text outlives a visit of another tab', async () => {
    const page = await dashboard().open('/projects/{project}/settings/filters')
    const save = page.getByRole('button', { name: 'Save' })
    await page.getByLabel('Web crawlers').check()
    await page.getByLabel('Error messages').fill('*ResizeObserver loop*\n\n***')
    await page.getByRole('link', { name: 'Retention' }).click()
    await page.getByLabel('Days to keep events').fill('45')
    await save.click()
    await page.getByText('Saved.').first().waitFor()

    await page.getByRole('link', { name: 'Inbound filters' }).click()
    await save.click()
    await page.getByText('Line 3: must contain more than stars').waitFor()
    await page.getByLabel('Error messages').fill('*ResizeObserver loop*')
    expect(await page.getByText('Line 3:').count()).toBe(0)
    await save.click()
    await page.getByText('Not saved yet.').waitFor({ state: 'hidden' })

    await page.reload()
    await page.getByLabel('Web crawlers').waitFor()
    expect(await page.getByLabel('Web crawlers').isChecked()).toBe(true)
    expect(await page.getByLabel('Error messages').inputValue()).toBe('*ResizeObserver loop*')
    await page.getByRole('link', { name: 'Retention' }).click()
    expect(await page.getByLabel('Days to keep events').inputValue()).toBe('45')
  })

  test('ownership rules are refused by line, tried, corrected and saved', async () => {
    const page = await dashboard().open('/projects/{project}/settings/ownership')
    const rules = page.getByLabel('Ownership rules', { exact: true })
    const { owner } = dashboard().product.stack.demo
    await rules.fill(`src/** ${owner.email}\n!vendor/**\nsrc/web/** #frontend\n`)
    await page.getByRole('button', { name: 'Save' }).click()
    const refused = page.getByRole('alert', { name: 'Lines that are not valid' })
    await refused.getByText('a pattern cannot be negated').waitFor()
    await refused.getByRole('button', { name: 'Line 2' }).click()
    await page.keyboard.type('vendor/**')
    await refused.waitFor({ state: 'detached' })

    await page.getByLabel('Path').fill('src/api/orders.ts')
    await page.getByRole('button', { name: 'Find the owner' }).click()
    await page.getByText('A new issue would be assigned to').waitFor()
    await page.getByLabel('Path').fill('src/web/cart.ts')
    await page.getByRole('button', { name: 'Find the owner' }).click()
    await page.getByText('No owner exists').waitFor()

    await page.getByRole('button', { name: 'Save', exact: true }).click()
    const warnings = page.getByRole('list', { name: 'Lines that do not work' })
    await warnings.getByText('has no team "frontend"').waitFor()
    await page.reload()
    await rules.waitFor()
    await expect
      .poll(() => rules.inputValue())
      .toBe(`src/** ${owner.email}\nvendor/**\nsrc/web/** #frontend\n`)
  })
})
