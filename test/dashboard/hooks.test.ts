/** Hooks of email providers from their creation to the bounce, and the secret of a webhook. */
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { dashboardOfThisFile, hasBrowser } from '../fixtures/dashboard/open-dashboard.ts'

describe.skipIf(!hasBrowser)('hooks', () => {
  const dashboard = dashboardOfThisFile()

  const secretIn = async (page: Page) => {
    const shown = page.getByRole('dialog', { name: 'The signing secret' })
    const secret = await shown.getByText(/^whsec_/).textContent()
    return { shown, secret }
  }

  test('the secret of a webhook is rotated only after a question', async () => {
    const page = await dashboard().open('/organization/webhooks')
    await page.getByRole('button', { name: 'Create a webhook' }).click()
    await page.getByLabel('URL').fill('https://example.com/hook')
    await page.getByLabel('idea.created').check()
    await page.getByRole('button', { name: 'Create the webhook' }).click()
    const first = await secretIn(page)
    expect(await first.shown.textContent()).not.toContain('previous secret')
    await first.shown.getByRole('button', { name: 'Close' }).click()

    const rotations = async () => {
      const { rows } = await dashboard().product.postgres.query(
        `select from audit_log where action = 'webhook.secret_rotated'`,
      )
      return rows.length
    }
    const ask = async () => {
      await page.getByRole('button', { name: /^Actions for https:\/\/example\.com/ }).click()
      await page.getByRole('menuitem', { name: 'Rotate the secret…' }).click()
      return page.getByRole('dialog', { name: 'Rotate the secret' })
    }
    const question = await ask()
    await question.getByText(/For 24 hours every request is signed with the present/).waitFor()
    await question.getByRole('button', { name: 'Cancel' }).click()
    await question.waitFor({ state: 'detached' })
    expect(await rotations()).toBe(0)

    await (await ask()).getByRole('button', { name: 'Rotate the secret' }).click()
    const second = await secretIn(page)
    expect(second.secret).not.toBe(first.secret)
    await second.shown.getByText(/^Until .* also signed with the previous secret\.$/).waitFor()
    expect(await rotations()).toBe(1)
  })

  test('a bounce that a provider reports to its hook is listed, and suppresses', async () => {
    const page = await dashboard().open('/email/bounces?tab=hooks')
    await page.getByRole('button', { name: 'Create a hook' }).click()
    await page.getByRole('combobox', { name: 'Provider' }).selectOption('Postmark')
    await page.getByLabel('User').fill('postmark')
    await page.getByLabel('Password').fill('a long password 17')
    await page.getByRole('button', { name: 'Create the hook' }).click()
    const shown = page.getByRole('dialog', { name: 'The URL of the hook' })
    const url = new URL((await shown.getByText(/^http/).textContent()) ?? '')
    const credentials = decodeURIComponent(`${url.username}:${url.password}`)
    expect(credentials).toBe('postmark:a long password 17')
    await shown.getByRole('button', { name: 'Close' }).click()
    const row = page.getByRole('row', { name: /Postmark/ })
    await row.waitFor()

    const report = (password: string) =>
      fetch(new URL(url.pathname, dashboard().product.stack.demo.apiUrl), {
        method: 'POST',
        headers: {
          authorization: `Basic ${Buffer.from(`postmark:${password}`).toString('base64')}`,
          'content-type': 'application/json',
        },
        body: JSON.stringify({
          RecordType: 'Bounce',
          Type: 'HardBounce',
          Email: 'gone@example.com',
          Details: '550 5.1.1 <script>alert(1)</script> no such user',
          BouncedAt: new Date().toISOString(),
        }),
      })
    expect((await report('guessed')).status).toBe(401)
    expect((await report('a long password 17')).status).toBe(200)

    await page.getByRole('link', { name: 'Reports' }).click()
    await page.getByText('gone@example.com').waitFor()
    await page.getByText(/no such user/).waitFor()
    await page.getByRole('link', { name: 'Suppressions' }).click()
    await page.getByText('gone@example.com').waitFor()

    await page.goto(`${dashboard().product.stack.demo.apiUrl}/email/bounces?tab=hooks`)
    await row.getByRole('button', { name: 'Delete the hook of Postmark' }).click()
    await page.getByRole('button', { name: 'Delete the hook', exact: true }).click()
    await page.getByText('No provider hooks yet').waitFor()
    expect((await report('a long password 17')).status).toBe(404)
  })
})
