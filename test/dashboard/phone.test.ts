/** The pages with the most controls on a phone, and where dialogs put the focus. */
import { beforeAll, describe, expect, test } from 'vitest'
import { type Filled, fillDashboard } from '../fixtures/dashboard/fill-dashboard.ts'
import {
  dashboardOfThisFile,
  hasBrowser,
  overflowOf,
} from '../fixtures/dashboard/open-dashboard.ts'
import { dashboardPages, pathOf } from '../fixtures/dashboard/pages.ts'

const fillMsMax = 300_000
const phone = { width: 390 } as const

describe.skipIf(!hasBrowser)('phone and keyboard', () => {
  const dashboard = dashboardOfThisFile()
  let filled: Filled
  beforeAll(async () => {
    filled = await fillDashboard(dashboard().product.stack.demo, Date.now())
  }, fillMsMax)

  test('the campaign editor: write, preview, review', async () => {
    const page = await dashboard().open(`/email/campaigns/${filled.campaign}`, phone)
    const subject = page.getByLabel('Subject', { exact: true })
    await subject.fill('What is new in December')
    await page.getByText('Saved', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Dark', exact: true }).click()
    expect(await overflowOf(page)).toBe(0)
    await page.getByRole('link', { name: 'Review and send' }).first().click()
    await page.getByText('Who gets it').waitFor()
    expect(await overflowOf(page)).toBe(0)
  })

  test('the columns of an import are mapped', async () => {
    const page = await dashboard().open('/email/contacts/import', phone)
    const lines = ['Mail,Full name,City', 'lin@example.com,Lin,Oslo', 'kim@example.com,Kim,Bergen']
    await page.locator('input[type="file"]').setInputFiles({
      name: 'people.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(lines.join('\n')),
    })
    const columns = page.locator('#content').getByRole('combobox')
    await columns.first().waitFor()
    expect(await columns.count()).toBeGreaterThanOrEqual(3)
    expect(await overflowOf(page)).toBe(0)
    for (const column of await columns.all()) {
      const box = await column.boundingBox()
      expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(phone.width)
    }
  })

  test('a suggestion is approved', async () => {
    const page = await dashboard().open('/projects/{project}/moderation', phone)
    const item = page.getByRole('article')
    const approve = item.getByRole('button', { name: 'Approve', exact: true })
    await approve.waitFor()
    expect(await overflowOf(page)).toBe(0)
    const title = (await item.getByRole('heading').first().textContent()) ?? ''
    await approve.click()
    await item.getByRole('heading', { name: title, exact: true }).waitFor({ state: 'detached' })
  })

  test('a dialog begins at its first field and gives the focus back', async () => {
    const page = await dashboard().open(`/projects/{project}/ideas/${filled.idea}`)
    const opener = page.getByRole('button', { name: 'Change the status' })
    await opener.focus()
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Change the status' })
    await dialog.waitFor()
    const focused = () => page.evaluate('document.activeElement?.tagName')
    expect(await focused()).toBe('SELECT')
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    expect(await page.locator(':focus').textContent()).toBe('Change the status')
  })

  test('nothing on the page of an issue moves when its event is there before its head', async () => {
    const context = await dashboard().logIn(phone)
    const page = await context.newPage()
    await page.addInitScript(`
      window.shifted = 0
      const add = (list) => list.getEntries().forEach((entry) => (window.shifted += entry.value))
      new PerformanceObserver(add).observe({ type: 'layout-shift', buffered: true })`)
    const event = page.waitForResponse(/\/events\/recommended$/)
    await page.route(new RegExp(`/issues/${filled.issue}$`), async (route) => {
      if (route.request().resourceType() === 'fetch') await event
      await route.continue()
    })
    const { apiUrl, projectId } = dashboard().product.stack.demo
    await page.goto(`${apiUrl}/projects/${projectId}/issues/${filled.issue}`)
    await page.getByText('Breadcrumbs (5)').waitFor()
    expect(await page.evaluate('window.shifted')).toBeLessThan(0.05)
  })

  test.each(['issue', 'contact', 'ideas', 'campaign-results'])(
    'a page fits a small laptop: %s',
    async (name) => {
      const entry = dashboardPages.find((page) => page.name === name)!
      const page = await dashboard().open(pathOf(entry, { ...filled }), { width: 1024 })
      await page
        .locator('#content')
        .getByText(entry.shows)
        .filter({ visible: true })
        .first()
        .waitFor()
      await expect.poll(() => page.locator('#content .skeleton').count()).toBe(0)
      expect(await overflowOf(page)).toBe(0)
    },
  )

  test('the first tab stop skips the navigation', async () => {
    const page = await dashboard().open('/email/contacts')
    await page.getByText('ada@example.com').waitFor()
    await page.keyboard.press('Tab')
    const skip = page.locator(':focus')
    expect(await skip.getAttribute('href')).toBe('#content')
  })

  test('the list of keys names those of the page', async () => {
    const page = await dashboard().open('/projects/{project}/moderation')
    await page.getByRole('article').waitFor()
    await page.keyboard.press('?')
    const list = page.getByRole('dialog')
    for (const label of ['Approve', 'Approve and trust', 'Decline']) {
      await list.getByText(label, { exact: true }).waitFor()
    }
  })
})
