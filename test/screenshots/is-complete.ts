/** Whether a page has arrived: its main text first, and then everything beside it. */
import type { Locator, Page } from 'playwright-core'
import { errorCodes } from '#schemas/error-codes.ts'

const completeMsMax = 15_000
/** The page of all components shows one that stays. */
const loading = '.skeleton:not(.design-skeleton > .skeleton)'

/** The limit of requests counts a minute, and the page repeats what it refused. */
const limitedMsMax = 90_000
const limitedText = errorCodes.rate_limited[1]

/** Returns false if it takes longer than 15 s, not counted while requests are limited. */
export async function isComplete(page: Page, shows: string | undefined): Promise<boolean> {
  const hasArrived = await isThere(page, shows)
  const limited = page.getByText(limitedText).first()
  if ((await limited.count()) === 0) return hasArrived
  return (await isReached(limited, 'detached', limitedMsMax)) && isThere(page, shows)
}

async function isThere(page: Page, shows: string | undefined): Promise<boolean> {
  const content = page.locator('#content')
  // The same text may stand in a closed list of options, too.
  const text = content
    .getByText(shows ?? '')
    .filter({ visible: true })
    .first()
  const isShown = shows === undefined || (await isReached(text, 'visible'))
  return isShown && isReached(content.locator(loading).first(), 'detached')
}

function isReached(
  locator: Locator,
  state: 'visible' | 'detached',
  timeout = completeMsMax,
): Promise<boolean> {
  return locator.waitFor({ state, timeout }).then(
    () => true,
    () => false,
  )
}
