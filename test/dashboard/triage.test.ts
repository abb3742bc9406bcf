/** Ten issues are decided on by keyboard; the latest decision can be taken back. */
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { dashboardOfThisFile, hasBrowser } from '../fixtures/dashboard/open-dashboard.ts'
import { sendCrash } from '../fixtures/dashboard/send-crash.ts'
import { waitUntil } from '../fixtures/processes/wait-until.ts'
import type { TestProject } from '../fixtures/test-project.ts'

interface State {
  readonly title: string
  readonly status: string
  readonly triage: { readonly snoozed_until: string | null } | null
  readonly assignee: { readonly email: string } | null
  readonly ignore_until: { readonly escalating: boolean } | null
}

describe.skipIf(!hasBrowser)('triage', () => {
  const dashboard = dashboardOfThisFile()

  const statesOf = async (project: TestProject) => {
    const { body } = await project.api<{ items: State[] }>('/issues?sort=first_seen')
    return new Map(body.items.map((issue) => [issue.title, issue]))
  }
  const shows = (page: Page, title: string) =>
    page.getByRole('article').getByRole('heading', { name: title }).waitFor()

  test('works through ten issues without the mouse', async () => {
    const project = await dashboard().product.projectAtOnce('triage')
    const titleOf = (index: number) => `Crash${index}: it broke in place ${index}`
    for (let index = 0; index < 10; index++) {
      await sendCrash(project, { type: `Crash${index}`, value: `it broke in place ${index}` })
      await project.hasEvents(index + 1)
    }
    const page = await dashboard().open(`/projects/${project.id}/triage`)
    await shows(page, titleOf(0))
    const press = (...keys: string[]) =>
      keys.reduce((before, key) => before.then(() => page.keyboard.press(key)), Promise.resolve())

    // Resolved, taken back, resolved again.
    await press('e')
    await shows(page, titleOf(1))
    await press('z')
    await shows(page, titleOf(0))
    await press('e')
    await shows(page, titleOf(1))
    await press('a')
    await shows(page, titleOf(2))
    await press('r')
    await shows(page, titleOf(3))
    await press('i')
    await page.getByRole('combobox', { name: /^Ignore/ }).waitFor()
    await press('Enter')
    await shows(page, titleOf(4))
    await press('s')
    await page.getByRole('combobox', { name: /^Snooze/ }).waitFor()
    await press('Enter')
    for (const index of [5, 6, 7, 8]) {
      await shows(page, titleOf(index))
      await press('e')
    }
    await shows(page, titleOf(9))
    await press('k', 'j', 'r')
    await page.getByRole('heading', { name: 'Nothing waits for a decision' }).waitFor()
    await page.getByText('You made 10 decisions.').waitFor()

    // The last decision is held until it can no longer be taken back.
    const states = await waitUntil('the last decision', async () => {
      const found = await statesOf(project)
      return found.get(titleOf(9))?.triage === null && found
    })
    const { owner } = dashboard().product.stack.demo
    const stateOf = (index: number) => states.get(titleOf(index))
    expect(stateOf(1)).toMatchObject({ status: 'unresolved', assignee: { email: owner.email } })
    expect(stateOf(2)).toMatchObject({ status: 'unresolved', triage: null })
    expect(stateOf(3)).toMatchObject({ status: 'ignored', ignore_until: { escalating: true } })
    expect(stateOf(4)?.triage?.snoozed_until).toEqual(expect.any(String))
    for (const index of [0, 5, 6, 7, 8]) expect(stateOf(index)?.status).toBe('resolved')
    expect(stateOf(9)).toMatchObject({ status: 'unresolved', triage: null })
  })

  test('a decision is sent when the person leaves the page', async () => {
    const project = await dashboard().product.projectAtOnce('triage left')
    await sendCrash(project, { type: 'Left', value: 'x' })
    await project.hasEvents(1)
    const page = await dashboard().open(`/projects/${project.id}/triage`)
    await shows(page, 'Left: x')
    await page.keyboard.press('e')
    await page.getByRole('link', { name: 'Open the issues' }).click()
    await page.getByRole('heading', { name: 'Issues', exact: true }).waitFor()
    await waitUntil('the decision', async () => {
      const states = await statesOf(project)
      return states.get('Left: x')?.status === 'resolved'
    })
  })
})
