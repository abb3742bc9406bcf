/** Why events are one issue: in words, with the pieces that were used and no others. */
import { describe, expect, test } from 'vitest'
import { findViolations } from '../fixtures/dashboard/find-violations.ts'
import { crashEvent } from '../fixtures/dashboard/issue-events.ts'
import {
  dashboardOfThisFile,
  hasBrowser,
  overflowOf,
} from '../fixtures/dashboard/open-dashboard.ts'

const screens = [
  { width: 1440, theme: 'light' },
  { width: 390, theme: 'dark' },
] as const

describe.skipIf(!hasBrowser)('why events are one issue', () => {
  const dashboard = dashboardOfThisFile()

  async function issueOf(name: string, events: readonly object[]): Promise<string> {
    const project = await dashboard().product.projectAtOnce(name)
    for (const [index, event] of events.entries()) {
      const body = `{}\n{"type":"event"}\n${JSON.stringify(event)}\n`
      expect((await project.send({ method: 'POST', body })).status).toBe(200)
      await project.hasEvents(index + 1)
    }
    // All of them are one issue.
    const [issue, ...others] = await project.issues()
    expect(others).toEqual([])
    return `/projects/${project.id}/issues/${issue!.id}?tab=grouping`
  }

  test('a stack is shown as frames, the failing one first', async () => {
    const path = await issueOf('why stack', [crashEvent({ order: 1 }), crashEvent({ order: 2 })])
    for (const screen of screens) {
      const page = await dashboard().open(path, screen)
      const compared = page.getByRole('region', { name: 'Compared: app' })
      await compared.waitFor()
      expect(await compared.getByRole('listitem').allInnerTexts()).toEqual([
        expect.stringMatching(/^Exception type\s+OrderError$/),
        expect.stringMatching(/^Failed in\s+orders\.ts in placeOrder$/),
        expect.stringMatching(/^Further exception\s+RangeError$/),
        expect.stringMatching(/^Failed in\s+orders\.ts in placeOrder$/),
      ])
      await page.getByText(/^Another exception type, .* would have made another issue/).waitFor()
      expect(await overflowOf(page)).toBe(0)
      expect(await findViolations(page)).toEqual([])
    }
  })

  test('a message is shown with its variable parts replaced', async () => {
    const message = (id: string, file: string, status: number) => ({
      level: 'error',
      message: `upload of ${id} to /var/lib/shop/${file} failed with status code ${status}: {"id":"${id}"}`,
    })
    const path = await issueOf('why message', [
      message('01HZX3K9Q2W7E8R5T6Y1S4J0PA', 'a.png', 503),
      message('01J00B7M3N5V6C8X9Z2Q4W1E7R', 'b.png', 503),
    ])
    for (const screen of screens) {
      const page = await dashboard().open(path, screen)
      await page
        .getByText('upload of <id> to <path> failed with status code 503: <json>')
        .first()
        .waitFor()
      await page.getByText('Other words in the message would have made another issue').waitFor()
      await page.getByText('1 × JSON body, 1 × id, 1 × path').waitFor()
      expect(await overflowOf(page)).toBe(0)
    }
  })
})
