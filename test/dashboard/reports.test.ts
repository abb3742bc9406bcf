/** Releases, monitors, outcomes and the quota, as a person reads and changes them. */
import { beforeAll, describe, expect, test } from 'vitest'
import { fillDashboard } from '../fixtures/dashboard/fill-dashboard.ts'
import { dashboardOfThisFile, hasBrowser } from '../fixtures/dashboard/open-dashboard.ts'
import { waitUntil } from '../fixtures/processes/wait-until.ts'

describe.skipIf(!hasBrowser)('reports', () => {
  const dashboard = dashboardOfThisFile()
  beforeAll(async () => {
    await fillDashboard(dashboard().product.stack.demo, Date.now())
  })

  test('two releases are compared', async () => {
    const page = await dashboard().open('/projects/{project}/releases')
    const boxes = page.getByRole('checkbox', { name: /to compare$/ })
    await boxes.first().check()
    await boxes.nth(1).check()
    await page.getByRole('link', { name: 'Compare' }).click()
    await page.getByRole('region', { name: 'Side by side' }).waitFor()
    await page.getByRole('rowheader', { name: 'Crash-free sessions' }).waitFor()
    expect(new URL(page.url()).searchParams.get('compare')).toMatch(/@/)
  })

  test('the schedule of a monitor is edited, and a wrong one is refused at its field', async () => {
    const page = await dashboard().open('/projects/{project}/monitors')
    await page.getByRole('link', { name: 'nightly-backup' }).click()
    await page.getByRole('button', { name: 'Edit' }).click()
    const dialog = page.getByRole('dialog', { name: 'Edit nightly-backup' })
    await dialog.getByLabel('Crontab').fill('0 25 * * *')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByText(/which goes from 0 to 23/).waitFor()
    await dialog.getByLabel('Crontab').fill('30 4 * * mon-fri')
    await dialog.getByText('Monday to Friday at 04:30').waitFor()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved nightly-backup.').waitFor()
    await page.getByText('Monday to Friday at 04:30').waitFor()
  })

  test('a dropped event is explained, from its reason to the limit that is raised', async () => {
    const { product } = dashboard()
    const { ingestUrl, apiUrl, projectId, dsn } = product.stack.demo
    const page = await dashboard().open('/projects/{project}/quota')
    await page.getByRole('button', { name: 'Change the limits' }).click()
    await page.getByLabel('Events per month').fill('1')
    await page.getByText('all further events of this month would be refused').waitFor()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('The quota is used up.').waitFor()

    const key = new URL(dsn).username
    const url = `${ingestUrl}/api/${new URL(dsn).pathname.slice(1)}/store/?sentry_key=${key}&sentry_version=7`
    await waitUntil('a refused event', async () => {
      const reply = await fetch(url, { method: 'POST', body: '{"message":"one too many"}' })
      return reply.status === 429
    })
    const report = `/api/v1/projects/${projectId}/outcomes?group_by=outcome`
    await waitUntil('the outcome of the refused event', async () => {
      const reply = await page.request.get(`${apiUrl}${report}`)
      const { totals } = (await reply.json()) as { totals: readonly { outcome: string }[] }
      return totals.some(({ outcome }) => outcome === 'over_quota')
    })

    await page.getByRole('link', { name: 'What was dropped' }).click()
    const reason = page.getByRole('dialog', { name: 'Monthly quota used up' })
    await reason.getByText('What to do:').waitFor()
    await reason.getByRole('link', { name: 'Open the quota' }).click()
    await page.getByRole('button', { name: 'Change the limits' }).click()
    await page.getByLabel('Events per month').fill('')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('there is no monthly limit').waitFor()
  })
})
