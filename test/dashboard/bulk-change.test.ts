/** A change of all issues that match says before how many they are. */
import { describe, expect, test } from 'vitest'
import { dashboardOfThisFile, hasBrowser } from '../fixtures/dashboard/open-dashboard.ts'
import { sendCrash } from '../fixtures/dashboard/send-crash.ts'

describe.skipIf(!hasBrowser)('bulk changes', () => {
  const dashboard = dashboardOfThisFile()

  test('all that match are counted, resolved, and those of another search stay', async () => {
    const project = await dashboard().product.projectAtOnce('bulk')
    // One more than a page of the list has.
    const count = 51
    for (let index = 0; index < count; index++) {
      await sendCrash(project, { type: `Crash${index}`, value: 'timeout' })
    }
    await sendCrash(project, { type: 'Other', value: 'refused' })
    await project.hasEvents(count + 1)
    const query = encodeURIComponent('is:unresolved timeout environment:production')
    const page = await dashboard().open(`/projects/${project.id}/issues?query=${query}`)
    await page.getByText('Crash50: timeout').waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('x')
    await page.getByText('1 issue selected').waitFor()
    await page.getByRole('button', { name: 'Select all that match' }).click()
    const bar = page.getByRole('toolbar', { name: 'Selected issues' })
    await bar.getByText('51 issues selected').waitFor()
    await bar.getByRole('button', { name: 'Resolve', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Resolve 51 issues?' })
    await dialog.getByText('51 issues match.').waitFor()
    await dialog.getByRole('button', { name: 'Resolve 51 issues' }).click()
    await page.getByText('Resolved 51 issues.').waitFor()
    const { body } = await project.api<{ items: { title: string }[] }>('/issues?status=unresolved')
    expect(body.items.map(({ title }) => title)).toEqual(['Other: refused'])
  })
})
