/** Whether a page has arrived: its main text first, and then everything beside it. */
import type { Locator, Page } from 'playwright-core'

const completeMsMax = 15_000
/** The page of all components shows one that stays. */
const loading = '.skeleton:not(.design-skeleton > .skeleton)'

/** Returns false if it takes longer than 15 s. */
export async function isComplete(page: Page, shows: string | undefined): Promise<boolean> {
  const content = page.locator('#content')
  // The same text may stand in a closed list of options, too.
  const text = content
    .getByText(shows ?? '')
    .filter({ visible: true })
    .first()
  const isShown = shows === undefined || (await isReached(text, 'visible'))
  return isShown && isReached(content.locator(loading).first(), 'detached')
}

function isReached(locator: Locator, state: 'visible' | 'detached'): Promise<boolean> {
  return locator.waitFor({ state, timeout: completeMsMax }).then(
    () => true,
    () => false,
  )
}
