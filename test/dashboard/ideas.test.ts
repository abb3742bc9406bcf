/** A product manager works through the queue, merges a duplicate and takes it back. */
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { dashboardOfThisFile, hasBrowser } from '../fixtures/dashboard/open-dashboard.ts'

describe.skipIf(!hasBrowser)('ideas', () => {
  const dashboard = dashboardOfThisFile()
  // biome-ignore lint/suspicious/noExplicitAny: the replies are checked by the API's own tests.
  type Body = any

  async function callFrom(page: Page, method: string, path: string, data?: object): Promise<Body> {
    const { apiUrl } = dashboard().product.stack.demo
    const me = await (await page.request.get(`${apiUrl}/api/v1/me`)).json()
    const reply = await page.request.fetch(`${apiUrl}/api/v1${path}`, {
      method,
      headers: { 'x-csrf-token': me.csrf_token },
      ...(data === undefined ? {} : { data }),
    })
    expect([path, reply.ok()]).toEqual([path, true])
    return reply.status() === 204 ? null : reply.json()
  }

  const adminPath = () => `/admin/portal/${dashboard().product.stack.demo.projectId}`
  const create = (page: Page, title: string) =>
    callFrom(page, 'POST', `${adminPath()}/ideas`, { title, description: `${title}, please.` })
  const vote = (page: Page, id: string, name: string) =>
    callFrom(page, 'POST', `${adminPath()}/ideas/${id}/voters`, { enduser_id: name })

  test('the queue is worked through by keyboard, with undo', async () => {
    const page = await dashboard().open('/projects/{project}/ideas')
    await callFrom(page, 'PATCH', `${adminPath()}/settings`, { moderation: 'all' })
    const { projectKey } = dashboard().product.stack.demo
    await create(page, 'Dark mode everywhere')
    for (const [index, title] of ['Dark mode', 'Buy watches', 'Fax of the invoice'].entries()) {
      await callFrom(page, 'POST', `/p/${projectKey}/ideas/suggest`, {
        title,
        description: 'Because.',
        enduser_id: `visitor-${index}`,
      })
    }
    await page.goto(page.url().replace('/ideas', '/moderation'))
    const item = page.getByRole('article')
    await item.getByRole('heading', { name: 'Dark mode', exact: true }).waitFor()
    await item.getByRole('link', { name: 'Dark mode everywhere' }).waitFor()

    await page.keyboard.press('a')
    await item.getByRole('heading', { name: 'Buy watches' }).waitFor()
    await page.keyboard.press('z')
    const queue = page.getByRole('list', { name: 'Waiting for a decision' })
    await queue.getByText('Dark mode', { exact: true }).waitFor()
    await page.keyboard.press('k')
    await item.getByRole('heading', { name: 'Dark mode', exact: true }).waitFor()
    await page.keyboard.press('a')

    await item.getByRole('heading', { name: 'Buy watches' }).waitFor()
    await page.keyboard.press('s')
    await page.getByRole('button', { name: 'Block the user' }).click()

    await item.getByRole('heading', { name: 'Fax of the invoice' }).waitFor()
    await page.keyboard.press('d')
    await page.getByLabel('Reason').fill('We cannot send faxes.')
    await page.getByRole('dialog').getByRole('button', { name: 'Decline' }).click()
    await page.getByText('Nothing waits for a decision').waitFor()

    // Leaving the page sends what undo still held back.
    await page.getByRole('link', { name: 'Ideas', exact: true }).click()
    await expect
      .poll(async () => {
        const { items } = await callFrom(page, 'GET', `${adminPath()}/ideas?sort=newest`)
        return Object.fromEntries(items.map((idea: Body) => [idea.title, idea.moderation]))
      })
      .toMatchObject({
        'Dark mode': 'published',
        'Buy watches': 'rejected',
        'Fax of the invoice': 'rejected',
      })
  })

  test('comments of all ideas are found, and a deletion can be undone', async () => {
    const page = await dashboard().open('/projects/{project}/ideas')
    const { id } = await create(page, 'Calendar view')
    for (const body of ['Yes please.', 'Buy watches at a discount']) {
      await callFrom(page, 'POST', `${adminPath()}/ideas/${id}/comments`, { body })
    }
    const left = async () =>
      (await callFrom(page, 'GET', `${adminPath()}/comments?idea_id=${id}`)).items.length
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Comments' }).click()
    const list = page.getByRole('list', { name: 'Comments' })
    await list.getByText('Yes please.').waitFor()
    await page.getByRole('searchbox', { name: 'Search comments' }).fill('WATCHES')
    await list.getByText('Yes please.').waitFor({ state: 'hidden' })
    const remove = async () => {
      await list.getByRole('button', { name: /^Actions for the comment/ }).click()
      await page.getByRole('menuitem', { name: 'Delete' }).click()
      await page.getByText('No comment matches').waitFor()
    }
    await remove()
    await page.getByRole('button', { name: 'Undo', exact: true }).click()
    await list.getByText('Buy watches at a discount').waitFor()
    expect(await left()).toBe(2)
    await remove()
    // Leaving the page sends what undo still held back.
    await page.getByRole('link', { name: 'Ideas', exact: true }).first().click()
    await expect.poll(left).toBe(1)
  })

  test('the page of an idea tells the team who wrote a comment without a name', async () => {
    const page = await dashboard().open('/projects/{project}/ideas')
    const { projectKey } = dashboard().product.stack.demo
    await callFrom(page, 'PATCH', `${adminPath()}/settings`, { moderation: 'off' })
    const { id } = await create(page, 'Printed invoices')
    const body = 'For the **archive** <img src=x>.'
    const comment = { body, enduser_id: 'u-17', enduser_email: 'pa@shop.test' }
    await callFrom(page, 'POST', `/p/${projectKey}/ideas/${id}/comments`, comment)
    await page.goto(page.url().replace(/\/ideas.*/, `/ideas/${id}`))
    const comments = page.getByRole('region', { name: 'Comments' })
    await comments.getByText('For the archive <img src=x>.').waitFor()
    expect(await comments.locator('.markdown strong').textContent()).toBe('archive')
    await comments.getByRole('link', { name: 'pa@shop.test' }).click()
    await page.getByText('u-17').first().waitFor()
  })

  test('a merge is previewed, made and undone', async () => {
    const page = await dashboard().open('/projects/{project}/ideas')
    const stays = await create(page, 'Export as spreadsheet')
    const goes = await create(page, 'Spreadsheet export')
    for (const name of ['ann', 'ben']) await vote(page, stays.id, name)
    for (const name of ['ben', 'cat', 'dan']) await vote(page, goes.id, name)

    await page.goto(page.url().replace(/\/ideas.*/, `/ideas/${goes.id}`))
    await page.getByRole('heading', { name: 'Spreadsheet export' }).waitFor()
    await page.keyboard.press('m')
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('The idea that stays').fill('as spreadsheet')
    await dialog.getByRole('button', { name: /Export as spreadsheet/ }).click()
    await dialog.getByText('4 votes').waitFor()
    await dialog.getByText('1 voter voted for both').waitFor()
    await dialog.getByRole('button', { name: 'Merge' }).click()

    await page.getByText('This idea is merged into').waitFor()
    const votes = async () =>
      (await callFrom(page, 'GET', `${adminPath()}/ideas/${stays.id}`)).vote_count
    expect(await votes()).toBe(4)

    await page.getByRole('button', { name: 'Undo', exact: true }).click()
    await page.getByText('This idea is merged into').waitFor({ state: 'hidden' })
    await expect.poll(votes).toBe(2)
  })

  test('a card moves by keyboard, and undo moves it back', async () => {
    const page = await dashboard().open('/projects/{project}/ideas')
    await create(page, 'Offline reading')
    await page.goto(`${page.url()}?view=board`)
    const column = (name: string) => page.getByRole('region', { name, exact: true })
    const card = (name: string) => column(name).getByRole('link', { name: 'Offline reading' })
    await card('Open').focus()
    await page.keyboard.press(']')
    await card('Planned').waitFor()
    await page.getByRole('button', { name: 'Undo', exact: true }).click()
    await card('Open').waitFor()
    expect(await card('Planned').count()).toBe(0)
  })

  test('unsaved branding is shown in the preview, and only there', async () => {
    const page = await dashboard().open('/projects/{project}/portal')
    const frame = page.frameLocator('iframe[data-next="false"]')
    await frame.getByRole('heading', { level: 1 }).waitFor()
    await page.getByLabel('Name', { exact: true }).fill('Acme wishes')
    await frame.getByRole('heading', { name: 'Acme wishes' }).waitFor()
    const { apiUrl, projectKey } = dashboard().product.stack.demo
    const hosted = await (await page.request.get(`${apiUrl}/portal/${projectKey}`)).text()
    expect(hosted).not.toContain('Acme wishes')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Visitors see it within three seconds').waitFor()
  })
})
