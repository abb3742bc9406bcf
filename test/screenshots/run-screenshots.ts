/**
 * `npm run screenshots`: every page of the dashboard in both themes at three widths, full of sample
 * data and empty, as PNG files in a folder (`--out`, by default `.sluice/screenshots`). `--only`
 * takes a part of a page's name. `--pictures` makes the WebP files of `docs/dashboard/` instead.
 */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { BrowserContext } from 'playwright-core'
import { projectRoot } from '#platform/project-root.ts'
import type { Demo } from '../../dev/demo/demo.ts'
import { startStack } from '../../dev/stack.ts'
import { type Filled, fillDashboard } from '../fixtures/dashboard/fill-dashboard.ts'
import { dashboardPages, pathOf } from '../fixtures/dashboard/pages.ts'
import { findBrowser, type OpenBrowser, openBrowser } from '../fixtures/processes/browser.ts'
import { takePictures } from './take-pictures.ts'

const widths = [1440, 1024, 390] as const
const themes = ['light', 'dark'] as const
const settleMs = 600
const shownMsMax = 15_000

const { values } = parseArgs({
  options: {
    out: { type: 'string' },
    only: { type: 'string', default: '' },
    pictures: { type: 'boolean', default: false },
  },
})
const folder =
  values.out ?? join(projectRoot, values.pictures ? 'docs/dashboard' : '.sluice/screenshots')

const executable = await findBrowser()
if (executable === undefined) process.exit(1)
await mkdir(folder, { recursive: true })
const stack = await startStack()
const browser = await openBrowser(executable)
try {
  if (values.pictures) {
    const filled = await fillDashboard(stack.demo, Date.now())
    await takePictures(browser, stack.demo, filled, folder)
  } else {
    await shoot(browser, stack.demo, 'empty', {
      project: stack.demo.projectId,
      campaign: '',
    } as Filled)
    await shoot(browser, stack.demo, 'full', await fillDashboard(stack.demo, Date.now()))
  }
} finally {
  await browser.close()
  await stack.stop()
}

async function shoot(
  open: OpenBrowser,
  demo: Demo,
  state: 'empty' | 'full',
  filled: Filled,
): Promise<void> {
  for (const theme of themes) {
    for (const width of widths) {
      const viewport = { width, height: width < 500 ? 844 : 900 }
      const context = await open.context({ viewport, colorScheme: theme, reducedMotion: 'reduce' })
      await context.request.post(`${demo.apiUrl}/api/v1/login`, { data: demo.owner })
      for (const page of pagesIn(state)) {
        const url = `${demo.apiUrl}${pathOf(page, { ...filled })}`
        const path = join(folder, `${page.name}-${state}-${theme}-${width}.png`)
        await shootPage(context, { url, path, shows: state === 'full' ? page.shows : undefined })
        process.stdout.write(`${path}\n`)
      }
      await context.close()
    }
  }
}

/** Pages of one item exist only when there is one. */
function pagesIn(state: 'empty' | 'full') {
  return dashboardPages.filter(({ name, path }) => {
    const names = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1])
    const needsItem = names.some((given) => given !== 'project')
    return name.includes(values.only) && (state === 'full' || !needsItem)
  })
}

async function shootPage(
  context: BrowserContext,
  { url, path, shows }: { url: string; path: string; shows: string | undefined },
): Promise<void> {
  const page = await context.newPage()
  await page.goto(url)
  if (shows !== undefined)
    await page.locator('#content').getByText(shows).first().waitFor({ timeout: shownMsMax })
  await page.waitForTimeout(settleMs)
  await page.screenshot({ path, fullPage: true })
  await page.close()
}
