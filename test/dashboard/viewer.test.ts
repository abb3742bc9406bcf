/** Somebody who may read only: every page of email, ideas and feedback, without what writes. */
import type { BrowserContext, Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Filled, fillDashboard } from '../fixtures/dashboard/fill-dashboard.ts'
import { dashboardOfThisFile, hasBrowser } from '../fixtures/dashboard/open-dashboard.ts'
import { dashboardPages, pathOf } from '../fixtures/dashboard/pages.ts'
import { waitUntil } from '../fixtures/processes/wait-until.ts'

const viewer = { email: 'reader@example.com', password: 'only for reading' }

/** The pages, each with the buttons and links that only members see. */
const writes: Readonly<Record<string, readonly string[]>> = {
  contacts: ['Add a contact', 'More'],
  contact: ['Edit'],
  suppressions: ['Suppress an address', 'More', 'Lift…'],
  bounces: [],
  'provider-hooks': ['Create a hook'],
  'sending-domains': ['Add a domain'],
  'sending-domain': ['Check now', 'Delete…'],
  'send-log': [],
  'email-settings': ['Block the domain'],
  newsletters: ['New newsletter'],
  newsletter: ['Save changes'],
  campaigns: ['New campaign'],
  'campaign-review': ['Send a test'],
  'campaign-results': [],
  ideas: ['New idea'],
  'ideas-board': ['New idea'],
  idea: ['Change the status', 'Send'],
  'idea-tags': ['New tag'],
  moderation: ['Approve', 'Approve and trust', 'Decline'],
  portal: ['Save', 'Add a link'],
  'portal-rules': ['Save'],
  'portal-sign-in': ['New secret'],
  feedback: ['New feedback'],
  'feedback-item': ['Resolve', 'Archive'],
}

describe.skipIf(!hasBrowser)('a viewer', () => {
  const dashboard = dashboardOfThisFile()
  let filled: Filled
  beforeAll(async () => {
    filled = await fillDashboard(dashboard().product.stack.demo, Date.now())
    await invite()
  })

  async function invite(): Promise<void> {
    const { apiUrl, owner } = dashboard().product.stack.demo
    const login = await fetch(`${apiUrl}/api/v1/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(owner),
    })
    const { csrf_token } = (await login.json()) as { csrf_token: string }
    const cookie = login.headers.getSetCookie()[0]?.split(';', 1)[0] ?? ''
    const invited = await fetch(`${apiUrl}/api/v1/organization/people`, {
      method: 'POST',
      headers: { cookie, 'x-csrf-token': csrf_token, 'content-type': 'application/json' },
      body: JSON.stringify({ email: viewer.email, role: 'viewer', name: 'Rita Reader' }),
    })
    expect(invited.status).toBe(201)
    const link = await waitUntil('the invitation arrives', () => linkTo(viewer.email))
    const joined = await fetch(link, {
      method: 'POST',
      headers: { origin: apiUrl },
      body: new URLSearchParams({ password: viewer.password }),
    })
    expect([joined.status, await joined.text()]).toEqual([
      200,
      expect.stringContaining('Open the dashboard'),
    ])
  }

  async function linkTo(email: string): Promise<string | undefined> {
    const { apiUrl } = dashboard().product.stack.demo
    const { items } = (await (await fetch(`${apiUrl}/dev/mailbox`)).json()) as {
      readonly items: readonly { readonly id: string }[]
    }
    const found = items.find((item) => JSON.stringify(item).includes(email))
    if (found === undefined) return undefined
    const text = await (await fetch(`${apiUrl}/dev/mailbox/${found.id}`)).text()
    return /https?:\/\/[^\s"\\]+\/welcome\/[\w-]{20,}(?=\\[nr])/.exec(text)?.[0]
  }

  async function logIn(context: BrowserContext): Promise<void> {
    const { apiUrl } = dashboard().product.stack.demo
    await context.clearCookies()
    const reply = await context.request.post(`${apiUrl}/api/v1/login`, { data: viewer })
    expect(reply.status()).toBe(200)
  }

  const offered = (page: Page, name: string) =>
    page
      .locator('#content')
      .getByRole('button', { name, exact: true, disabled: false })
      .or(page.locator('#content').getByRole('link', { name, exact: true }))
      .count()

  test('reads every page and is offered nothing that would be refused', async () => {
    const { apiUrl } = dashboard().product.stack.demo
    const context = await dashboard().logIn()
    const page = await context.newPage()
    const found: string[] = []
    page.on('response', (reply) => {
      if (reply.status() === 403) found.push(`${page.url()}: 403 of ${reply.url()}`)
    })
    for (const [index, [name, buttons]] of Object.entries(writes).entries()) {
      if (index % 12 === 0) await logIn(context)
      const entry = dashboardPages.find((one) => one.name === name)
      if (entry === undefined) throw new Error(`no page is named ${name}`)
      await page.goto(`${apiUrl}${pathOf(entry, { ...filled })}`)
      const content = page.locator('#content')
      await content.getByRole('heading', { level: 1 }).waitFor()
      await expect.poll(() => content.locator('.skeleton').count()).toBe(0)
      for (const button of buttons) {
        if ((await offered(page, button)) > 0) found.push(`${name}: offers ${button}`)
      }
      const problems = await content.locator('.problem').allInnerTexts()
      found.push(...problems.map((text) => `${name}: ${text}`))
    }
    expect(found).toEqual([])

    // Beside the name and the role there is room for all buttons.
    const row = page.locator('.person-box')
    await row.getByText('Viewer').waitFor()
    const overflow = await row.evaluate((box) => box.scrollWidth - box.clientWidth)
    expect(overflow).toBeLessThanOrEqual(0)
  })
})
