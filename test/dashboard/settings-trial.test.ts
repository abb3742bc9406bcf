/** Filters and scrubbing are tried on a pasted and on a stored event, before they are saved. */
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import {
  dashboardOfOwnProduct,
  hasBrowser,
  overflowOf,
} from '../fixtures/dashboard/open-dashboard.ts'
import { waitUntil } from '../fixtures/processes/wait-until.ts'

describe.skipIf(!hasBrowser)('trying settings', () => {
  const dashboard = dashboardOfOwnProduct()

  const tryOn = (page: Page) => {
    const trial = page.getByRole('region', { name: 'Try it' })
    const run = () => trial.getByRole('button', { name: 'Try it' }).click()
    return { trial, run, result: trial.getByRole('status') }
  }

  async function storeEvent(event: object): Promise<{ projectId: string; eventId: string }> {
    const project = await dashboard().product.projectAtOnce('stored')
    const payload = JSON.stringify(event)
    const reply = await project.send({ body: `{}\n{"type":"event"}\n${payload}\n` })
    expect(reply.status).toBe(200)
    const eventId = await waitUntil('the event is stored', async () => {
      const rows = await dashboard().product.rowsOf<{ id: string }>(
        `select replaceAll(toString(event_id), '-', '') as id from events where project_id = ${project.dsnId}`,
      )
      return rows[0]?.id
    })
    return { projectId: project.id, eventId }
  }

  test('unsaved scrubbing is tried on a sample event, with the removed values marked', async () => {
    const page = await dashboard().open('/projects/{project}/settings/scrubbing')
    await page.getByLabel('Patterns').fill('EMP-\\d{6}')
    const { trial, run, result } = tryOn(page)
    await trial.getByLabel('Event', { exact: true }).fill('{"message": "EMP-123456"')
    await trial.getByText('must be a JSON object').waitFor()
    await trial.getByRole('button', { name: 'Insert a sample' }).click()
    await run()
    await result.getByText('Kept').waitFor()
    await trial.getByRole('row', { name: 'message pattern 1' }).waitFor()
    await trial.getByRole('row', { name: 'extra.password name of its key' }).waitFor()
    const marks = await trial.locator('mark').allTextContents()
    expect(marks).toContain('"Login of [Filtered] failed"')
    expect(marks).not.toContain('3')
    await page.getByLabel('Patterns').fill('EMP-\\d{7}')
    expect(await trial.getByRole('row').count()).toBe(0)
  })

  test('an unsaved filter is named with its rule, also on the other page and narrow', async () => {
    const page = await dashboard().open('/projects/{project}/settings/filters', { width: 390 })
    await page.getByLabel('Error messages').fill('*nothing*\n*Login of*')
    const { trial, run, result } = tryOn(page)
    await trial.getByRole('button', { name: 'Insert a sample' }).click()
    await run()
    await result.getByText('Dropped').waitFor()
    expect(await result.locator('.trial-verdict').textContent()).toContain(
      'By the filter Error messages: *Login of* matches Login of EMP-123456 failed.',
    )
    expect(await overflowOf(page)).toBe(0)
    await page.getByLabel('Error messages').fill('')
    await page.getByLabel('Web crawlers').check()
    await run()
    await result.getByText('Web crawlers').waitFor()
    await page.getByRole('link', { name: 'Data scrubbing' }).click()
    const other = tryOn(page)
    await other.trial.getByRole('button', { name: 'Insert a sample' }).click()
    await other.run()
    await other.result.getByText('Web crawlers').waitFor()
  })

  test('a stored event is chosen from the newest, and says what is gone', async () => {
    const { projectId, eventId } = await storeEvent({
      message: 'order EMP-123456 failed',
      extra: { password: 'hunter2' },
    })
    const page = await dashboard().open(`/projects/${projectId}/settings/scrubbing`)
    const { trial, run, result } = tryOn(page)
    await trial.getByLabel('A stored event').check()
    await trial.getByLabel('Event id').fill('not an id')
    await run()
    await trial.getByText('must be the id of a stored event').waitFor()
    await trial.getByRole('radio', { name: /order EMP-123456 failed/ }).check()
    expect(await trial.getByLabel('Event id').inputValue()).toBe(eventId)
    await page.getByLabel('Patterns').fill('EMP-\\d{6}')
    await run()
    await result.getByText('Kept').waitFor()
    await trial.getByRole('row', { name: 'logentry.formatted pattern 1' }).waitFor()
    await result.getByText('1 removal when the event was stored').click()
    await trial.getByRole('row', { name: 'extra.password name of its key' }).waitFor()
    expect(new URL(page.url()).search).toBe(`?try=stored&event=${eventId}`)
  })

  test('a tag that no event has is named at its line, when the rules are tried and saved', async () => {
    const { projectId, eventId } = await storeEvent({
      message: 'cart is empty',
      tags: { customer: 'acme' },
    })
    const page = await dashboard().open(`/projects/${projectId}/settings/grouping?event=${eventId}`)
    const { run, result } = tryOn(page)
    const warning = page.getByText('no event of the project has the tag costumer')
    await page
      .getByRole('textbox', { name: 'Fingerprint rules' })
      .fill('message:cart* -> cart\ntags.costumer:acme -> acme')
    await run()
    await result.getByText('Changed').waitFor()
    expect(await warning.textContent()).toContain('did you mean customer?')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('The rules apply to events that arrive from now on').waitFor()
    expect(await warning.count()).toBe(1)
    await page
      .getByRole('textbox', { name: 'Fingerprint rules' })
      .fill('message:cart* -> cart\ntags.customer:acme -> acme')
    expect(await warning.count()).toBe(0)
  })

  test('without a worker the page says so, and the next attempt works', async () => {
    const { workers } = dashboard().product.stack.services
    const page = await dashboard().open('/projects/{project}/settings/filters')
    const { trial, run, result } = tryOn(page)
    await trial.getByRole('button', { name: 'Insert a sample' }).click()
    await workers.stop()
    try {
      await run()
      await trial.getByText('No worker answered within 5 s. Check that workers run.').waitFor()
    } finally {
      await workers.start()
    }
    await run()
    await result.waitFor()
    expect(
      dashboard()
        .complaints()
        .every((text) => text.includes('status of 503')),
    ).toBe(true)
  })
})
