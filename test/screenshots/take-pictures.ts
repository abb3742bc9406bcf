/** The pictures of the documentation, as WebP files that are small enough for the repository. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { pictureBytesMax } from '../../dev/check/pictures.ts'
import type { Demo } from '../../dev/demo/demo.ts'
import type { Filled } from '../fixtures/dashboard/fill-dashboard.ts'
import { dashboardPages, pathOf } from '../fixtures/dashboard/pages.ts'
import type { OpenBrowser } from '../fixtures/processes/browser.ts'
import { isComplete } from './is-complete.ts'

/** Names of `dashboardPages`, with the theme of the picture and a key that is pressed before. */
const pictures: readonly { name: string; theme: 'light' | 'dark'; key?: string }[] = [
  { name: 'issues', theme: 'light' },
  { name: 'issue', theme: 'dark' },
  // The second entry, a crash.
  { name: 'triage', theme: 'light', key: 'j' },
  { name: 'campaign-write', theme: 'light' },
  { name: 'ideas-board', theme: 'dark' },
  { name: 'portal', theme: 'light' },
]

const viewport = { width: 1440, height: 900 }
const qualities = [80, 65, 50, 35, 20]
const settleMs = 1_500

export async function takePictures(
  browser: OpenBrowser,
  demo: Demo,
  filled: Filled,
  folder: string,
): Promise<void> {
  for (const { name, theme, key } of pictures) {
    const entry = dashboardPages.find((page) => page.name === name)
    if (entry === undefined) throw new Error(`no page is named ${name}`)
    const context = await browser.context({
      viewport,
      colorScheme: theme,
      reducedMotion: 'reduce',
    })
    await context.request.post(`${demo.apiUrl}/api/v1/login`, { data: demo.owner })
    const page = await context.newPage()
    await page.goto(`${demo.apiUrl}${pathOf(entry, { ...filled })}`)
    if (!(await isComplete(page, entry.shows))) throw new Error(`${name} does not load`)
    if (key !== undefined) await page.keyboard.press(key)
    await page.waitForTimeout(settleMs)
    if (!(await isComplete(page, entry.shows))) throw new Error(`${name} does not load`)
    const bytes = await webpOf(page)
    const path = join(folder, `${name}.webp`)
    await writeFile(path, bytes)
    process.stdout.write(`${path}: ${bytes.length} bytes\n`)
    await context.close()
  }
}

/** In the best quality that is small enough. */
async function webpOf(page: Page): Promise<Buffer> {
  const session = await page.context().newCDPSession(page)
  for (const quality of qualities) {
    const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality })
    const bytes = Buffer.from(data, 'base64')
    if (bytes.length <= pictureBytesMax) return bytes
  }
  throw new Error('the picture is too large in every quality')
}
