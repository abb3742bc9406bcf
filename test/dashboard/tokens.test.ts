/** An access token from its creation to its end, and a login that ends while a person types. */
import { describe, expect, test } from 'vitest'
import { dashboardOfThisFile, hasBrowser } from '../fixtures/dashboard/open-dashboard.ts'

describe.skipIf(!hasBrowser)('access tokens', () => {
  const dashboard = dashboardOfThisFile()

  async function statusWith(token: string | null): Promise<number> {
    const { apiUrl, projectId } = dashboard().product.stack.demo
    const url = `${apiUrl}/api/v1/projects/${projectId}/issues`
    const reply = await fetch(url, { headers: { 'x-api-key': token ?? '' } })
    return reply.status
  }

  test('a token is created, used and revoked', async () => {
    const page = await dashboard().open('/organization/tokens')
    await page.getByRole('button', { name: 'Create a token' }).click()
    await page.getByLabel('Label').fill('nightly report')
    await page.getByRole('button', { name: 'Create the token' }).click()
    const secret = page.getByRole('dialog', { name: 'The new token' })
    const token = await secret.getByText(/^oat_[\w-]{20,}$/).textContent()
    expect(token).toMatch(/^oat_/)
    expect(await statusWith(token)).toBe(200)

    await secret.getByRole('button', { name: 'Close' }).click()
    await page.getByRole('button', { name: 'Actions for nightly report' }).click()
    await page.getByRole('menuitem', { name: 'Revoke…' }).click()
    await page.getByRole('button', { name: 'Revoke the token' }).click()
    await page.getByText('Revoked nightly report.').waitFor()
    await page
      .getByRole('row', { name: /nightly report/ })
      .getByText('Revoked')
      .waitFor()
    expect(await statusWith(token)).toBe(401)
  })

  test('a login that ends while a person types loses nothing', async () => {
    const { owner } = dashboard().product.stack.demo
    const page = await dashboard().open('/organization/tokens')
    await page.getByRole('button', { name: 'Create a token' }).click()
    await page.getByLabel('Label').fill('typed before the login ended')
    await dashboard().product.postgres.query(
      'delete from logins where person_id in (select id from people where email = $1)',
      [owner.email],
    )

    await page.getByRole('button', { name: 'Create the token' }).click()
    const login = page.getByRole('dialog', { name: 'Your login has ended' })
    expect(await login.getByLabel('Email').inputValue()).toBe(owner.email)
    await login.getByLabel('Password').fill(owner.password)
    await login.getByRole('button', { name: 'Log in' }).click()

    const secret = page.getByRole('dialog', { name: 'The new token' })
    await secret.getByText(/^oat_/).first().waitFor()
    await secret.getByRole('button', { name: 'Close' }).click()
    await page.getByRole('row', { name: /typed before the login ended/ }).waitFor()
  })
})
