/**
 * `npm run screenshots`: every page of the dashboard in both themes at three widths, full of sample
 * data, empty, and while the stores do not answer, as PNG files in a folder (`--out`, by default
 * `.sluice/screenshots`). `--only` takes a part of a page's name; `--state`, `--theme` and
 * `--width` take one value. `--pictures` makes the WebP files of `docs/dashboard/` instead.
 */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Command, Option } from 'commander'
import type { BrowserContext } from 'playwright-core'
import { projectRoot } from '#platform/project-root.ts'
import { errorCodes } from '#schemas/error-codes.ts'
import type { Demo } from '../../dev/demo/demo.ts'
import { startStack } from '../../dev/stack.ts'
import { type Filled, fillDashboard } from '../fixtures/dashboard/fill-dashboard.ts'
import { dashboardPages, pathOf } from '../fixtures/dashboard/pages.ts'
import { findBrowser, type OpenBrowser, openBrowser } from '../fixtures/processes/browser.ts'
import { isComplete } from './is-complete.ts'
import { spreadEvents } from './spread-events.ts'
import { takePictures } from './take-pictures.ts'

const widths = [1440, 1024, 390] as const
const themes = ['light', 'dark'] as const
const states = ['empty', 'full', 'error'] as const
type State = (typeof states)[number]
const settleMs = 600

interface Flags {
  readonly out?: string
  readonly only: string
  readonly state?: string
  readonly theme?: string
  readonly width?: string
  readonly pictures: boolean
}

const oneOf = (flags: string, what: string, allowed: readonly (string | number)[]) =>
  new Option(flags, what).choices(allowed.map(String))

const flags = new Command('screenshots')
  .description('Takes pictures of every page of the dashboard.')
  .option('--out <folder>', 'where they are written; by default .sluice/screenshots')
  .option('--only <text>', 'only pages whose name contains this', '')
  .addOption(oneOf('--state <state>', 'only in this state', states))
  .addOption(oneOf('--theme <theme>', 'only in this theme', themes))
  .addOption(oneOf('--width <pixels>', 'only at this width', widths))
  .option('--pictures', 'the WebP files of docs/dashboard/ instead', false)
  .parse()
  .opts<Flags>()
const folder =
  flags.out ?? join(projectRoot, flags.pictures ? 'docs/dashboard' : '.sluice/screenshots')

const executable = await findBrowser()
if (executable === undefined) process.exit(1)
await mkdir(folder, { recursive: true })
const stack = await startStack()
const browser = await openBrowser(executable)
try {
  if (flags.pictures) {
    const filled = await fill()
    await takePictures(browser, stack.demo, filled, folder)
  } else {
    const { demo } = stack
    const noItems = { project: demo.projectId, campaign: '' } as Filled
    if (isChosen('empty', flags.state)) await shoot(browser, demo, 'empty', noItems)
    const filled = await fill()
    for (const state of ['full', 'error'] as const) {
      if (isChosen(state, flags.state)) await shoot(browser, demo, state, filled)
    }
  }
} finally {
  await browser.close()
  await stack.stop()
}

async function fill(): Promise<Filled> {
  const { demo, urls } = stack
  const filled = await fillDashboard(demo, Date.now())
  await spreadEvents(urls.clickhouse, demo.dsnId)
  return filled
}

function isChosen(value: string, chosen: string | undefined): boolean {
  return chosen === undefined || chosen === value
}

async function shoot(open: OpenBrowser, demo: Demo, state: State, filled: Filled): Promise<void> {
  for (const theme of themes.filter((one) => isChosen(one, flags.theme))) {
    for (const width of widths.filter((one) => isChosen(`${one}`, flags.width))) {
      const viewport = { width, height: width < 500 ? 844 : 900 }
      const context = await open.context({ viewport, colorScheme: theme, reducedMotion: 'reduce' })
      await context.request.post(`${demo.apiUrl}/api/v1/login`, { data: demo.owner })
      if (state === 'error') await failReads(context)
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

/** All reads but the person and the projects are answered as when a store does not answer. */
async function failReads(context: BrowserContext): Promise<void> {
  const isKept = /\/api\/v1\/(?:me|login|organization\/projects)$/
  await context.route(
    ({ pathname }) => pathname.startsWith('/api/v1/') && !isKept.test(pathname),
    (route) =>
      route.fulfill({
        status: 503,
        headers: { 'x-request-id': 'req_0123456789abcdef', 'retry-after': '5' },
        json: { error: errorCodes.unavailable[1], code: 'unavailable' },
      }),
  )
}

/** Pages of one item exist only when there is one. */
function pagesIn(state: State) {
  return dashboardPages.filter(({ name, path }) => {
    const names = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1])
    const needsItem = names.some((given) => given !== 'project')
    return name.includes(flags.only) && (state !== 'empty' || !needsItem)
  })
}

async function shootPage(
  context: BrowserContext,
  { url, path, shows }: { url: string; path: string; shows: string | undefined },
): Promise<void> {
  const page = await context.newPage()
  await page.goto(url)
  if (!(await isComplete(page, shows)) && shows !== undefined) {
    process.stderr.write(`${url} does not show "${shows}", or something still loads\n`)
    process.exitCode = 1
  }
  await page.waitForTimeout(settleMs)
  await page.screenshot({ path, fullPage: true })
  await page.close()
}
