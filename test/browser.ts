/**
 * A real browser for tests of pages: the Chromium of the system, because none is shipped with us. On Debian or Ubuntu as root it is
 * installed when it is missing; where it cannot be had, the tests that need it say so loudly and are skipped.
 */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type BrowserContext, type BrowserContextOptions, chromium } from 'playwright-core'

const paths = [
  ...['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'],
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]
const installMsMax = 150_000

/** Undefined: there is none, and it cannot be installed. */
export async function findBrowser(): Promise<string | undefined> {
  const there = paths.find((path) => existsSync(path))
  if (there !== undefined) return there
  if (process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
    const options = { timeout: installMsMax }
    const install = ['install', '--yes', '--no-install-recommends', 'chromium']
    await promisify(execFile)('apt-get', install, options).catch(() => undefined)
  }
  const installed = paths.find((path) => existsSync(path))
  if (installed === undefined) {
    process.stderr.write(
      '\n*** NO BROWSER: the portal page was NOT tested. Install chromium (apt-get install chromium). ***\n\n',
    )
  }
  return installed
}

export interface OpenBrowser {
  /** A browser of its own: no cookie and no cache of another test. */
  readonly context: (options?: BrowserContextOptions) => Promise<BrowserContext>
  readonly close: () => Promise<void>
}

export async function openBrowser(executablePath: string): Promise<OpenBrowser> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-browser-'))
  const browser = await chromium.launch({
    executablePath,
    args: [
      ...['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-sync'],
      ...['--disable-component-update', '--disable-dev-shm-usage', `--crash-dumps-dir=${folder}`],
    ],
  })
  return {
    context: (options) => browser.newContext(options),
    close: async () => {
      await browser.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
