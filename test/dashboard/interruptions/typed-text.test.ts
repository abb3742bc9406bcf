/**
 * A login ends while a person types: in every form of every page, what was typed is still there
 * after the person has logged in again. Forms are found, not listed: the fields of a page, and
 * those of each dialog that a button of the page opens.
 */
import type { Locator, Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Filled, fillDashboard } from '../../fixtures/dashboard/fill-dashboard.ts'
import { dashboardOfOwnProduct, hasBrowser } from '../../fixtures/dashboard/open-dashboard.ts'
import { dashboardPages, pathOf } from '../../fixtures/dashboard/pages.ts'

/** Reads are refreshed when they are older than this and the network returns. */
const staleMs = 40_000
const dialogsMax = 6

const kept = ['checkbox', 'radio', 'file', 'color', 'date', 'datetime-local']
  .map((type) => `:not([type=${type}])`)
  .join('')
const fields = `input${kept}:not([disabled]):not([readonly]), textarea:not([disabled]):not([readonly])`
const opensDialog = /…$|^(New|Create|Add|Invite|Edit|Change|Import|Send|Link)\b/

/** Of a button that opens none; a dialog that opens later would cover the next button. */
const dialogMsMax = 5_000
const isShown = (dialog: Locator) =>
  dialog.waitFor({ timeout: dialogMsMax }).then(
    () => true,
    () => false,
  )

/** A text that a field of this type takes. */
const samples: Readonly<Record<string, string>> = {
  number: '7',
  email: 'typed@example.com',
  url: 'https://typed.example/',
  time: '10:10',
}

describe.skipIf(!hasBrowser)('what was typed', () => {
  const dashboard = dashboardOfOwnProduct()
  let filled: Filled
  beforeAll(async () => {
    filled = await fillDashboard(dashboard().product.stack.demo, Date.now())
  })

  /** The server forgets all logins, and the page finds out. */
  async function endLogin(page: Page): Promise<void> {
    await dashboard().product.postgres.query('delete from logins')
    await page.clock.fastForward(staleMs)
    await page.evaluate("for (const type of ['offline', 'online']) dispatchEvent(new Event(type))")
    const { owner } = dashboard().product.stack.demo
    const login = page.getByRole('dialog', { name: 'Your login has ended' })
    await login.getByLabel('Password').fill(owner.password)
    await login.getByRole('button', { name: 'Log in' }).click()
    await login.waitFor({ state: 'detached' })
  }

  /** Number of fields of the form. */
  async function typeAndLogIn(page: Page, form: Locator): Promise<number> {
    const inputs = await form.locator(fields).filter({ visible: true }).all()
    if (inputs.length === 0) return 0
    for (const [index, input] of inputs.entries()) {
      await input.fill(samples[(await input.getAttribute('type')) ?? ''] ?? `typed ${index}`)
    }
    const read = () => Promise.all(inputs.map((input) => input.inputValue()))
    const typed = await read()
    await endLogin(page)
    expect(await read()).toEqual(typed)
    return inputs.length
  }

  async function dialogNames(page: Page): Promise<readonly string[]> {
    const buttons = page.locator('#content').getByRole('button', { name: opensDialog })
    const names = await buttons.filter({ visible: true }).allInnerTexts()
    return [...new Set(names.map((name) => name.trim()))].slice(0, dialogsMax)
  }

  test.each(dashboardPages.filter(({ name }) => name !== 'design'))(
    'stays when the login ends: $name',
    async (entry) => {
      const context = await dashboard().logIn()
      const page = await context.newPage()
      await page.clock.install()
      await page.goto(`${dashboard().product.stack.demo.apiUrl}${pathOf(entry, { ...filled })}`)
      const content = page.locator('#content')
      await content.getByText(entry.shows).filter({ visible: true }).first().waitFor()
      await typeAndLogIn(page, content)
      // The address has opened a dialog, and the page behind it takes no clicks.
      const isOpened = (await page.locator('dialog[open]').count()) > 0
      for (const name of isOpened ? [] : await dialogNames(page)) {
        const button = content.getByRole('button', { name, exact: true }).first()
        if (await button.isDisabled()) continue
        await button.click()
        const dialog = page.locator('dialog[open]').last()
        if (!(await isShown(dialog))) continue
        await typeAndLogIn(page, dialog)
        await dialog.getByRole('button', { name: 'Close' }).first().click()
        await page.locator('dialog[open]').waitFor({ state: 'detached' })
      }
      dashboard().complaints()
    },
  )
})
