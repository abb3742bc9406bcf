/**
 * Where the keyboard is (the skip link, the order of controls, and dialogs that give it back), and
 * the pages with the most controls on a phone.
 */
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Filled, fillDashboard } from '../fixtures/dashboard/fill-dashboard.ts'
import {
  dashboardOfThisFile,
  hasBrowser,
  overflowOf,
} from '../fixtures/dashboard/open-dashboard.ts'
import { dashboardPages, pathOf } from '../fixtures/dashboard/pages.ts'

const phone = { width: 390 } as const

describe.skipIf(!hasBrowser)('keyboard and phone', () => {
  const dashboard = dashboardOfThisFile()
  let filled: Filled
  beforeAll(async () => {
    filled = await fillDashboard(dashboard().product.stack.demo, Date.now())
  })

  const nameOfFocused = (page: Page): Promise<string> =>
    page.evaluate(`(() => {
      const { ariaLabel, labels, textContent, id } = document.activeElement
      return ariaLabel || labels?.[0]?.textContent || (id === 'content' ? id : textContent.trim())
    })()`)

  async function tab(page: Page, times: number): Promise<readonly string[]> {
    const names: string[] = []
    for (let time = 0; time < times; time++) {
      await page.keyboard.press('Tab')
      names.push(await nameOfFocused(page))
    }
    return names
  }

  test('the skip link leads past the navigation, and each control shows the focus', async () => {
    const page = await dashboard().open('/projects/{project}/issues')
    await page.getByText('Last seen').first().waitFor()
    expect(await tab(page, 1)).toEqual(['Skip to the content'])
    await page.keyboard.press('Enter')
    await expect.poll(() => nameOfFocused(page)).toBe('content')
    expect(await tab(page, 7)).toEqual([
      'Unresolved',
      'New',
      'Regressed',
      'Escalating',
      'Mine',
      'All',
      'Search issues',
    ])
    await page.keyboard.press('Tab')
    const outline = 'getComputedStyle(document.activeElement).outlineStyle'
    expect(await page.evaluate(outline)).not.toBe('none')
  })

  test('an issue: where it belongs, what can be done, its views, then the crash', async () => {
    const page = await dashboard().open(`/projects/{project}/issues/${filled.issue}`)
    await page.getByText('Breadcrumbs (5)').waitFor()
    const isInOrder = (places: readonly number[]) =>
      places.every((place, index) => place > (places[index - 1] ?? -1))
    // A part that is rendered again while it has the focus takes the place of the next Tab with it.
    await expect
      .poll(async () => {
        await page.locator('#content').focus()
        const names = await tab(page, 24)
        return ['Issues', 'Assign', 'Resolve', 'Event', 'First event', 'Raw JSON'].map((name) =>
          names.indexOf(name),
        )
      })
      .toSatisfy(isInOrder)
  })

  test('a dialog begins in its first field and gives the focus back', async () => {
    const page = await dashboard().open('/organization')
    const opener = page.getByRole('button', { name: 'Invite a person' })
    await opener.focus()
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').waitFor()
    await expect.poll(() => nameOfFocused(page)).toMatch(/^Email/)
    await page.keyboard.press('Escape')
    await expect.poll(() => nameOfFocused(page)).toBe('Invite a person')
  })

  test('a dialog that a menu opens gives the focus back to the button of the menu', async () => {
    const page = await dashboard().open('/organization/tokens')
    const opener = page.getByRole('button', { name: 'Actions for demo' })
    await opener.focus()
    await page.keyboard.press('Enter')
    await page.getByRole('menuitem', { name: 'Revoke…' }).waitFor()
    await page.keyboard.press('End')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(() => nameOfFocused(page)).toBe('Actions for demo')
  })

  test('the keys that ? lists on the issue list work there', async () => {
    const page = await dashboard().open('/projects/{project}/issues')
    await page.getByText('Last seen').first().waitFor()
    await page.keyboard.press('?')
    const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
    for (const label of ['Next row', 'Open the row', 'Select the row'])
      await help.getByText(label, { exact: true }).waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('j')
    await page.keyboard.press('x')
    await expect.poll(() => page.getByRole('checkbox', { checked: true }).count()).toBe(1)
    await page.keyboard.press('o')
    await page.waitForURL(/\/issues\/[0-9a-f-]{36}/)
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

  test('the first tab stop skips the navigation', async () => {
    const page = await dashboard().open('/email/contacts')
    await page.getByText('ada@example.com').waitFor()
    await page.keyboard.press('Tab')
    const skip = page.locator(':focus')
    await expect.poll(() => skip.getAttribute('href')).toBe('#content')
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

  describe('on a phone', () => {
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
      const lines = [
        'Mail,Full name,City',
        'lin@example.com,Lin,Oslo',
        'kim@example.com,Kim,Bergen',
      ]
      await page.locator('input[type="file"]').setInputFiles({
        name: 'people.csv',
        mimeType: 'text/csv',
        buffer: Buffer.from(lines.join('\n')),
      })
      const columns = page.locator('#content').getByRole('combobox')
      await columns.first().waitFor()
      await expect.poll(() => columns.count()).toBeGreaterThanOrEqual(3)
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
  })
})
