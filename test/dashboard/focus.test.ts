/** Where the keyboard is: the skip link, the order of controls, and dialogs that give it back. */
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Filled, fillDashboard } from '../fixtures/dashboard/fill-dashboard.ts'
import { dashboardOfThisFile, hasBrowser } from '../fixtures/dashboard/open-dashboard.ts'

describe.skipIf(!hasBrowser)('the focus', () => {
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
    await page.locator('#content').focus()
    const names = await tab(page, 24)
    const places = ['Issues', 'Assign', 'Resolve', 'Event', 'First event', 'Raw JSON'].map((name) =>
      names.indexOf(name),
    )
    expect(places).not.toContain(-1)
    expect(places).toEqual(places.toSorted((a, b) => a - b))
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
})
