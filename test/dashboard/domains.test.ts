/**
 * A sending domain is added, its records are shown, and a check says what is missing. The product
 * asks the name servers of the machine, which do not know the domain, or do not answer at all.
 */
import { describe, expect, test } from 'vitest'
import { dashboardOfThisFile, hasBrowser } from '../fixtures/dashboard/open-dashboard.ts'

const checkMsMax = 60_000

describe.skipIf(!hasBrowser)('sending domains', () => {
  const dashboard = dashboardOfThisFile()

  test('a domain is added, checked and deleted', async () => {
    const page = await dashboard().open('/email/domains')
    await page.getByRole('button', { name: 'Add a domain' }).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Domain', { exact: true }).fill('co.uk')
    await dialog.getByRole('button', { name: 'Add the domain' }).click()
    await dialog.getByText(/public suffix/).waitFor()
    await dialog.getByLabel('Domain', { exact: true }).fill('mail.sluice.invalid')
    await dialog.getByRole('button', { name: 'Add the domain' }).click()

    await page.getByRole('heading', { name: 'mail.sluice.invalid' }).waitFor()
    await page.getByText('_sluice.mail.sluice.invalid').waitFor()
    await page.getByText('sluice._domainkey.mail.sluice.invalid').waitFor()
    await page.getByText(/^v=DKIM1; k=rsa; p=/).waitFor()
    await page.getByRole('button', { name: 'Copy the value of SPF' }).waitFor()

    await page.getByRole('button', { name: 'Check now' }).click()
    await page.getByText('Checked mail.sluice.invalid.').waitFor({ timeout: checkMsMax })
    await page
      .getByRole('listitem')
      .filter({ hasText: 'Ownership' })
      .getByText(/^(?:Missing|No answer)$/)
      .waitFor()
    await page.getByText('Not verified yet').waitFor()

    await page.getByRole('button', { name: 'Delete…' }).click()
    await page.getByLabel('Type mail.sluice.invalid to confirm').fill('mail.sluice.invalid')
    await page.getByRole('button', { name: 'Delete the domain' }).click()
    await page.getByText('No sending domains yet').waitFor()
    const { rowCount } = await dashboard().product.postgres.query('select from sending_domains')
    expect(rowCount).toBe(0)
  }, 120_000)

  test('a verified domain says so', async () => {
    const page = await dashboard().open('/email/domains')
    await page.getByRole('button', { name: 'Add a domain' }).first().click()
    await page.getByLabel('Domain', { exact: true }).fill('news.sluice.invalid')
    await page.getByRole('button', { name: 'Add the domain' }).click()
    await page.getByText('Not verified yet').waitFor()
    await dashboard().product.postgres.query(
      `update sending_domains set state = 'verified', state_reason = null, state_at = now()`,
    )
    await page.reload()
    await page.getByText('Verified', { exact: true }).waitFor()
    await page.getByText(/their bounces go to bounces\.news\.sluice\.invalid/).waitFor()
  })
})
