/**
 * Every page of the dashboard, in both themes: no violation that axe finds, nothing that the
 * browser reports, and no sideways scrolling on a phone.
 */
import type { BrowserContext } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Filled, fillDashboard } from '../fixtures/dashboard/fill-dashboard.ts'
import { findViolations } from '../fixtures/dashboard/find-violations.ts'
import {
  dashboardOfThisFile,
  hasBrowser,
  overflowOf,
} from '../fixtures/dashboard/open-dashboard.ts'
import { type DashboardPage, dashboardPages, pathOf } from '../fixtures/dashboard/pages.ts'

const fillMsMax = 120_000

describe.skipIf(!hasBrowser)('every page', () => {
  const dashboard = dashboardOfThisFile()
  let filled: Filled
  beforeAll(async () => {
    filled = await fillDashboard(dashboard().product.stack.demo, Date.now())
  }, fillMsMax)

  async function openPage(context: BrowserContext, entry: DashboardPage) {
    const page = await dashboard().open(pathOf(entry, { ...filled }), { context })
    await page.getByText(entry.shows).first().waitFor()
    await page.waitForLoadState('networkidle').catch(() => undefined)
    return page
  }

  test.each(['light', 'dark'] as const)('has no violation in the %s theme', async (theme) => {
    const context = await dashboard().logIn({ theme })
    const found: string[] = []
    for (const entry of dashboardPages) {
      const page = await openPage(context, entry)
      const violations = await findViolations(page)
      found.push(...violations.map((violation) => `${entry.name}: ${violation}`))
      await page.close()
    }
    expect(found).toEqual([])
  })

  test('fits a screen of 390 pixels', async () => {
    const context = await dashboard().logIn({ width: 390 })
    const wide: string[] = []
    for (const entry of dashboardPages) {
      const page = await openPage(context, entry)
      const pixels = await overflowOf(page)
      if (pixels > 0) wide.push(`${entry.name} is ${pixels} pixels too wide`)
      await page.close()
    }
    expect(wide).toEqual([])
  })
})
