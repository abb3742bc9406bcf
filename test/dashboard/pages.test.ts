/**
 * Every page of the dashboard, wide and light, then narrow and dark: no violation that axe finds,
 * nothing that the browser reports, and no sideways scrolling.
 */
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Filled, fillDashboard } from '../fixtures/dashboard/fill-dashboard.ts'
import { findViolations } from '../fixtures/dashboard/find-violations.ts'
import {
  dashboardOfOwnProduct,
  hasBrowser,
  overflowOf,
} from '../fixtures/dashboard/open-dashboard.ts'
import { type DashboardPage, dashboardPages, pathOf } from '../fixtures/dashboard/pages.ts'

/** A login has 300 requests per minute, and opening a page takes about eight. */
const pagesPerLogin = 15

/** Resolves when the text is on the screen and nothing is being loaded any more. */
async function showsAll(page: Page, { name, shows }: DashboardPage): Promise<void> {
  const content = page.locator('#content')
  await content.getByText(shows).filter({ visible: true }).first().waitFor()
  // The design page shows a skeleton that stays.
  const kept = name === 'design' ? 1 : 0
  await expect.poll(() => content.locator('.skeleton').count()).toBe(kept)
}

describe.skipIf(!hasBrowser)('every page', () => {
  const dashboard = dashboardOfOwnProduct()
  let filled: Filled
  beforeAll(async () => {
    filled = await fillDashboard(dashboard().product.stack.demo, Date.now())
  })

  test.each([
    { theme: 'light', width: 1440 },
    { theme: 'dark', width: 390 },
  ] as const)('is accessible and fits: $theme, $width pixels', async (options) => {
    const { apiUrl } = dashboard().product.stack.demo
    const context = await dashboard().logIn(options)
    const page = await context.newPage()
    const found: string[] = []
    for (const [index, entry] of dashboardPages.entries()) {
      if (index % pagesPerLogin === pagesPerLogin - 1) await dashboard().logIn({ context })
      await page.goto(`${apiUrl}${pathOf(entry, { ...filled })}`)
      try {
        await showsAll(page, entry)
      } catch (error) {
        found.push(`${entry.name}: ${String(error)}`)
      }
      const violations = await findViolations(page)
      found.push(...violations.map((violation) => `${entry.name}: ${violation}`))
      const pixels = await overflowOf(page)
      if (pixels > 0) found.push(`${entry.name}: ${pixels} pixels wider than the screen`)
    }
    expect(found).toEqual([])
  })
})
