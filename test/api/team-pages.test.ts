/**
 * The pages behind the links in alert emails, in a real browser on a small screen. Any error that
 * the browser reports (content security policy, missing file) fails the test that caused it.
 */
import type { BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { issuePath } from '#schemas/page-path.ts'
import { apiOfThisFile, at, type Tenant } from '../fixtures/api-fixture.ts'
import { hostileEvent, ordinaryEvent } from '../fixtures/pages/issue-event.ts'
import { password, peopleOf } from '../fixtures/people-fixture.ts'
import { findBrowser, type OpenBrowser, openBrowser } from '../fixtures/processes/browser.ts'

const executable = await findBrowser()
const api = apiOfThisFile()
const { person } = peopleOf(api)
const phone = { viewport: { width: 390, height: 844 } }
let browser: OpenBrowser
let origin: string
let tenant: Tenant
let email: string

const complaints: string[] = []
const requests: string[] = []

beforeAll(async () => {
  origin = await api().app.listen({ host: '127.0.0.1', port: 0 })
  if (executable !== undefined) browser = await openBrowser(executable)
  tenant = await api().tenant('Shop')
  email = (await person(tenant, 'member')).email
})
afterAll(() => browser?.close())
afterEach(() => {
  expect(complaints.splice(0)).toEqual([])
  expect(requests.splice(0).filter((url) => !url.startsWith(`${origin}/projects/`))).toEqual([])
})

async function open(url: string, options: BrowserContextOptions = phone): Promise<Page> {
  const context = await browser.context(options)
  const page = await context.newPage()
  page.setDefaultTimeout(10_000)
  page.on('request', (request) => requests.push(request.url()))
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('dialog', (dialog) => complaints.push(dialog.message()))
  page.on('console', (message) => {
    // The login form is a 401.
    if (message.type() === 'error' && !message.text().includes('status of 401')) {
      complaints.push(message.text())
    }
  })
  await page.goto(url)
  return page
}

async function logIn(page: Page, given = password): Promise<void> {
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').fill(given)
  await page.getByRole('button', { name: 'Log in' }).click()
}

async function addCrash(payload: object): Promise<string> {
  const title = "TypeError: Cannot read properties of undefined (reading 'price')"
  const hash = `hash ${JSON.stringify(payload).length}`
  const facts = { title, culprit: 'priceOf', substatus: 'new', triage: 'new' } as const
  const id = await api().addIssue(tenant, { hashes: [hash], ...facts, count: 42 })
  const event = { id: hash, hash, title, release: 'shop@1.4.1', payload: JSON.stringify(payload) }
  await api().addEvents(tenant, [{ ...event, receivedAt: at(-2), environment: 'production' }])
  return id
}

const tooWide = (page: Page) =>
  page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')

describe.skipIf(executable === undefined)('in a browser', () => {
  test('the link of an email leads to a login, the crash, and a decision', async () => {
    const id = await addCrash(ordinaryEvent)
    const url = `${origin}${issuePath(tenant.project.id, id)}`
    const page = await open(url)
    await logIn(page, 'a wrong password')
    await page.getByText('The email address or the password is wrong.').waitFor()
    await logIn(page)
    await page.getByRole('heading', { name: 'TypeError: Cannot read properties' }).first().waitFor()
    expect(page.url()).toBe(url)
    await page.getByText('priceOf (src/cart/priceOf.ts:7:7)').waitFor()
    expect(await page.locator('details[open] .now').first().isVisible()).toBe(true)
    expect(await tooWide(page)).toBe(0)
    await page.getByRole('button', { name: 'Resolve', exact: true }).click()
    await page.getByRole('status').getByText('The issue is resolved.').waitFor()
    await page.getByText('Resolved', { exact: true }).waitFor()
    expect((await api().of(tenant, `/issues/${id}`)).body.status).toBe('resolved')
    await page.getByLabel('Comment').fill('Rolled back.\n价格')
    await page.getByRole('button', { name: 'Add the comment' }).click()
    await page.getByText('Your comment was added.').waitFor()
    const { activity } = (await api().of(tenant, `/issues/${id}`)).body
    expect(activity[0].data.text).toBe('Rolled back.\n价格')
    await page.getByRole('button', { name: 'Log out' }).click()
    await page.getByRole('heading', { name: 'Log in' }).waitFor()
    await page.goBack()
    await page.getByRole('heading', { name: 'Log in' }).waitFor()
  })

  test('a form on another site changes nothing and logs nobody in', async () => {
    const id = await addCrash({ ...ordinaryEvent, extra: 1 })
    const url = `${origin}${issuePath(tenant.project.id, id)}`
    const page = await open(url)
    await logIn(page)
    await page.getByRole('button', { name: 'Resolve', exact: true }).waitFor()
    const form = `<form method="post" action="${url}"><button name="action" value="resolve">x</button></form>`
    // The browser takes a page from data: for one of another site.
    await page.goto(`data:text/html,${encodeURIComponent(form)}`)
    await page.getByRole('button').click()
    await page.getByText('This did not work').waitFor()
    expect((await api().of(tenant, `/issues/${id}`)).body.status).toBe('unresolved')
    expect(complaints.splice(0).every((text) => text.includes('status of 403'))).toBe(true)
    requests.splice(0)
  })

  test.each(['light', 'dark'] as const)('a hostile event is text, %s', async (colorScheme) => {
    const hostile = '"><img src=x onerror=alert(1)><script>alert(1)</script>'.repeat(20)
    const id = await addCrash({ ...hostileEvent(hostile), colorScheme })
    const page = await open(`${origin}${issuePath(tenant.project.id, id)}`, {
      ...phone,
      colorScheme,
    })
    await logIn(page)
    await page.getByText('Last breadcrumbs').waitFor()
    expect(await page.locator('img, script').count()).toBe(0)
    expect(await tooWide(page)).toBe(0)
    await page.setViewportSize({ width: 1440, height: 900 })
    expect(await tooWide(page)).toBe(0)
  })
})
