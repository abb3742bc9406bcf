/** The search of issues: suggestions, an error corrected from its message, filters, selection. */
// cspell:ignore unresolve envi Aerror
import { beforeAll, describe, expect, test } from 'vitest'
import { dashboardOfThisFile, hasBrowser } from '../fixtures/dashboard/open-dashboard.ts'
import { sendCrash } from '../fixtures/dashboard/send-crash.ts'
import { waitUntil } from '../fixtures/processes/wait-until.ts'
import type { TestProject } from '../fixtures/test-project.ts'

describe.skipIf(!hasBrowser)('the list of issues', () => {
  const dashboard = dashboardOfThisFile()
  let project: TestProject
  beforeAll(async () => {
    project = await dashboard().product.projectAtOnce('search')
    await sendCrash(project, { type: 'TypeError', value: 'one', environment: 'staging' })
    await sendCrash(project, { type: 'RangeError', value: 'two', level: 'warning' })
    await sendCrash(project, { type: 'SyntaxError', value: 'three', level: 'fatal' })
    await project.hasEvents(3)
  })

  const openList = async (search = '') => {
    const page = await dashboard().open(`/projects/${project.id}/issues${search}`)
    const field = page.getByRole('combobox', { name: 'Search issues' })
    const queryOfAddress = () => new URL(page.url()).searchParams.get('query')
    return { page, field, queryOfAddress }
  }

  test('an error is underlined where it is, and corrected from its message', async () => {
    const { page, field, queryOfAddress } = await openList()
    await page.getByRole('link', { name: 'TypeError: one' }).waitFor()
    await field.fill('is:unresolve level:fatal')
    await field.press('Enter')
    const message = page.getByRole('alert')
    await message.getByText(/^Character 4 must be one of unresolved, resolved/).waitFor()
    expect(await page.locator('mark').textContent()).toBe('unresolve')
    await expect.poll(() => field.getAttribute('aria-invalid')).toBe('true')

    await message.getByRole('button', { name: 'unresolved', exact: true }).click()
    await page.getByRole('link', { name: 'TypeError: one' }).waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'SyntaxError: three' }).waitFor()
    expect(queryOfAddress()).toBe('is:unresolved level:fatal')
    expect(await page.locator('mark').count()).toBe(0)
  })

  test('fields and values are completed from the project', async () => {
    const { page, field, queryOfAddress } = await openList()
    await page.getByRole('link', { name: 'TypeError: one' }).waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type(' envi')
    await page.getByRole('option', { name: /^environment:/ }).waitFor()
    await page.keyboard.press('Tab')
    await page.keyboard.type('st')
    await page.getByRole('option', { name: /^staging/ }).waitFor()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await waitUntil('the search', async () => queryOfAddress() !== null)
    expect(queryOfAddress()).toBe('is:unresolved environment:staging')
    await page.getByRole('link', { name: 'RangeError: two' }).waitFor({ state: 'detached' })
    await expect.poll(() => field.inputValue()).toBe('is:unresolved environment:staging')
  })

  test('a filter is a part of the query, and the way back is the browser’s', async () => {
    const { page, queryOfAddress } = await openList('?query=level%3Aerror')
    await page.getByRole('button', { name: 'Level: Error' }).click()
    await page.getByRole('menuitem', { name: 'Warning' }).click()
    await page.getByRole('link', { name: 'RangeError: two' }).waitFor()
    expect(queryOfAddress()).toBe('level:warning')
    await page.goBack()
    await page.getByRole('link', { name: 'TypeError: one' }).waitFor()
    expect(queryOfAddress()).toBe('level:error')
  })

  test('selected issues are resolved by keyboard, and the change is undone', async () => {
    const { page } = await openList()
    const rows = page.getByRole('list', { name: 'Issues' }).getByRole('listitem')
    await page.getByRole('link', { name: 'TypeError: one' }).waitFor()
    for (const key of ['j', 'x', 'j', 'x', 'e']) await page.keyboard.press(key)
    await page.getByText('Resolved 2 issues.').waitFor()
    await expect.poll(() => rows.count()).toBe(1)
    await page.keyboard.press('z')
    await page.getByText('Undone.').waitFor()
    await waitUntil('the rows', async () => (await rows.count()) === 3)
    const states = (await project.issues()).map(({ status }) => status)
    expect(states).toEqual(['unresolved', 'unresolved', 'unresolved'])
  })
})
