/** The page for the first event shows an event of a real SDK while it is open. */
import { describe, expect, test } from 'vitest'
import { dashboardOfThisFile, hasBrowser } from '../fixtures/dashboard/open-dashboard.ts'
import { runClient } from '../fixtures/processes/run-client.ts'

describe.skipIf(!hasBrowser)('the first event', () => {
  const dashboard = dashboardOfThisFile()

  test('an empty project sends people to the setup, with its DSN', async () => {
    const project = await dashboard().product.projectAtOnce('empty')
    const page = await dashboard().open(`/projects/${project.id}/issues`)
    await page.getByText(project.dsn).waitFor()
    await page.getByRole('link', { name: 'Set up an SDK' }).click()
    await page.getByRole('heading', { name: 'Send the first event' }).waitFor()
  })

  test('an error of @sentry/node appears without a reload, with its issue', async () => {
    const project = await dashboard().product.projectAtOnce('first event')
    const page = await dashboard().open(`/projects/${project.id}/setup?platform=node`)
    await page.getByText('Waiting for the first event').waitFor()
    await page.getByText(`Sentry.init({ dsn: '${project.dsn}' })`).waitFor()
    await page.evaluate('window.isSamePage = true')

    const report = await runClient('node-sdk.mjs', '@sentry/node', 'chain', project.dsn)
    expect(report).toMatchObject({ code: 0, losses: [] })

    await page.getByText('The first event has arrived.').waitFor()
    await page.getByText('Error: order 42 was not placed').waitFor()
    expect(await page.evaluate('window.isSamePage')).toBe(true)
    const link = page.getByRole('link', { name: 'Open the issue' })
    const { id } = await project.issue()
    await expect.poll(() => link.getAttribute('href')).toBe(`/projects/${project.id}/issues/${id}`)
  })
})
