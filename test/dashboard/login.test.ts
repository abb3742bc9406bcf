/** Logging in, and a login that ends while a person types. */
import { describe, expect, test } from 'vitest'
import { dashboardOfThisFile, hasBrowser } from '../fixtures/dashboard/open-dashboard.ts'

describe.skipIf(!hasBrowser)('the login', () => {
  const dashboard = dashboardOfThisFile()

  test('opens the page that was asked for', async () => {
    const { owner } = dashboard().product.stack.demo
    const page = await dashboard().open('/design', { login: false })
    await page.getByLabel('Email').fill(owner.email)
    await page.getByLabel('Password').fill('wrong password')
    await page.getByRole('button', { name: 'Log in' }).click()
    await page.getByRole('alert').waitFor()
    await page.getByLabel('Password').fill(owner.password)
    await page.getByRole('button', { name: 'Log in' }).click()
    await page.getByRole('heading', { name: 'Design' }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/design')
  })

  test('an address that does not exist is a page with status 404', async () => {
    const context = await dashboard().logIn()
    const page = await context.newPage()
    const { apiUrl } = dashboard().product.stack.demo
    const reply = await page.goto(`${apiUrl}/no-such-page`)
    expect(reply?.status()).toBe(404)
    await page.getByRole('heading', { name: 'Page not found' }).waitFor()
    dashboard().complaints()
  })
})
