/** What pages do while the server is away, and what becomes of decisions that are not sent yet. */
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { dashboardOfOwnProduct, hasBrowser } from '../../fixtures/dashboard/open-dashboard.ts'
import { sendCrash } from '../../fixtures/dashboard/send-crash.ts'
import { waitUntil } from '../../fixtures/processes/wait-until.ts'

const refusal = {
  status: 503,
  headers: { 'x-request-id': 'request-of-the-outage' },
  contentType: 'application/json',
  body: JSON.stringify({ error: 'A service is unavailable.', code: 'unavailable' }),
}

/** The API answers 503, except to the question who the person is. */
async function breakServer(page: Page): Promise<() => Promise<void>> {
  const data = /\/api\/v1\/(projects|operation|organization)\b/
  await page.route(data, (route) => route.fulfill(refusal))
  return () => page.unroute(data)
}

describe.skipIf(!hasBrowser)('an outage', () => {
  const dashboard = dashboardOfOwnProduct()

  async function triageOf(name: string) {
    const project = await dashboard().product.project(name)
    await sendCrash(project, { type: 'Outage', value: name })
    await project.hasEvents(1)
    const page = await dashboard().open(`/projects/${project.id}/triage`)
    const heading = page.getByRole('article').getByRole('heading', { name: `Outage: ${name}` })
    await heading.waitFor()
    const isResolved = async () => {
      const { body } = await project.api<{ items: { status: string }[] }>('/issues')
      return body.items[0]?.status === 'resolved'
    }
    return { page, heading, isResolved }
  }

  test('a page that is opened during it says so at once, and recovers without a click', async () => {
    const context = await dashboard().logIn()
    const page = await context.newPage()
    const repair = await breakServer(page)
    await page.goto(`${dashboard().product.stack.demo.apiUrl}/organization/audit`)
    const problem = page.getByRole('alert').filter({ hasText: 'A service is unavailable.' })
    await problem.getByText('request-of-the-outage').waitFor()
    await problem.getByRole('button', { name: 'Try again' }).waitFor()
    await repair()
    await page.getByText('person.logged_in').first().waitFor()
    await problem.waitFor({ state: 'detached' })
    dashboard().complaints()
  })

  test('an open page keeps what it shows, and says that it is not up to date', async () => {
    const page = await dashboard().open('/operation')
    await page.getByRole('heading', { name: 'Processes' }).waitFor()
    const repair = await breakServer(page)
    const notice = page.getByText('This page is not up to date. A service is unavailable.')
    await notice.waitFor()
    await page.getByRole('heading', { name: 'Processes' }).waitFor()
    await repair()
    await notice.waitFor({ state: 'detached' })
    dashboard().complaints()
  })

  test('without ClickHouse, pages of events say so and recover, and others work', async () => {
    const project = await dashboard().product.project('statistics')
    await sendCrash(project, { type: 'Outage', value: 'statistics' })
    await project.hasEvents(1)
    const context = await dashboard().logIn()
    const { clickhouse } = dashboard().product.stack.engines
    await clickhouse.kill('SIGKILL')
    const issues = await dashboard().open(`/projects/${project.id}/issues`, { context })
    const problem = issues.getByRole('alert').filter({ hasText: 'ClickHouse is unavailable:' })
    await problem.getByText('This is repeated by itself until it works.').waitFor()
    const ideas = await dashboard().open(`/projects/${project.id}/ideas`, { context })
    await ideas.getByRole('heading', { name: 'No ideas yet' }).waitFor()
    await clickhouse.start()
    await issues.getByText('Outage: statistics').waitFor()
    await problem.waitFor({ state: 'detached' })
    dashboard().complaints()
  })

  test('a decision is sent when the network is back', async () => {
    const { page, isResolved } = await triageOf('network')
    await page.context().setOffline(true)
    await page.keyboard.press('e')
    await page.getByText(/sent when the server answers again/).waitFor()
    await page.getByRole('heading', { name: 'Nothing waits for a decision' }).waitFor()
    expect(await isResolved()).toBe(false)
    await page.context().setOffline(false)
    await waitUntil('the decision', isResolved)
    dashboard().complaints()
  })

  test('a decision that waits for the network can be undone', async () => {
    const { page, heading, isResolved } = await triageOf('undone')
    await page.context().setOffline(true)
    await page.keyboard.press('e')
    await page.getByText(/sent when the server answers again/).waitFor()
    await page.keyboard.press('z')
    await heading.waitFor()
    await page.context().setOffline(false)
    expect(await isResolved()).toBe(false)
    dashboard().complaints()
  })

  test('closing the tab sends a decision that can still be undone', async () => {
    const { page, isResolved } = await triageOf('closed tab')
    await page.keyboard.press('e')
    await page.getByRole('heading', { name: 'Nothing waits for a decision' }).waitFor()
    expect(await isResolved()).toBe(false)
    await page.close()
    await waitUntil('the decision', isResolved)
  })

  test('a login that ends while a decision is held is renewed, and the decision is stored', async () => {
    const { owner } = dashboard().product.stack.demo
    const { page, isResolved } = await triageOf('ended login')
    await page.keyboard.press('e')
    await dashboard().product.postgres.query('delete from logins')
    const login = page.getByRole('dialog', { name: 'Your login has ended' })
    await login.getByLabel('Password').fill(owner.password)
    expect(await isResolved()).toBe(false)
    await login.getByRole('button', { name: 'Log in' }).click()
    await waitUntil('the decision', isResolved)
    dashboard().complaints()
  })
})
