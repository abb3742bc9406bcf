/**
 * A sending domain is added, its records are shown, a check says what is missing, and once the name
 * server has the records the domain is verified.
 */
import { afterAll, describe, expect, test } from 'vitest'
import { startNameServer } from '../fixtures/dashboard/name-server.ts'
import { dashboardOfOwnProduct, hasBrowser } from '../fixtures/dashboard/open-dashboard.ts'

const names = await startNameServer()
afterAll(() => names.close())

describe.skipIf(!hasBrowser)('sending domains', () => {
  const dashboard = dashboardOfOwnProduct({ env: { DNS_SERVERS: names.address } })

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
    await page.getByText('Checked mail.sluice.invalid.').waitFor()
    await page
      .getByRole('listitem')
      .filter({ hasText: 'Ownership' })
      .getByText('Missing', { exact: true })
      .waitFor()
    await page.getByText('Not verified yet').waitFor()

    await page.getByRole('button', { name: 'Delete…' }).click()
    await page.getByLabel('Type mail.sluice.invalid to confirm').fill('mail.sluice.invalid')
    await page.getByRole('button', { name: 'Delete the domain' }).click()
    await page.getByText('No sending domains yet').waitFor()
    const { rowCount } = await dashboard().product.postgres.query('select from sending_domains')
    expect(rowCount).toBe(0)
  })

  test('a domain is verified once its records are there', async () => {
    const context = await dashboard().logIn()
    const page = await dashboard().open('/email/domains', { context })
    await page.getByRole('button', { name: 'Add a domain' }).first().click()
    await page.getByLabel('Domain', { exact: true }).fill('news.sluice.invalid')
    await page.getByRole('button', { name: 'Add the domain' }).click()
    await page.getByText('Not verified yet').waitFor()

    const { apiUrl } = dashboard().product.stack.demo
    const reply = await context.request.get(`${apiUrl}/api/v1/admin/email/domains`)
    const { items } = (await reply.json()) as { items: { records: DnsRecord[] }[] }
    for (const { type, name, value } of items[0]!.records) {
      if (type === 'TXT') names.addText(name, value)
      else names.addExchange(name, value.split(' ').at(-1)!)
    }
    await page.getByRole('button', { name: 'Check now' }).click()
    await page.getByText('news.sluice.invalid: all required records were found.').waitFor()
    await page.getByText('Verified', { exact: true }).waitFor()
    await page.getByText(/their bounces go to bounces\.news\.sluice\.invalid/).waitFor()
  })
})

interface DnsRecord {
  readonly type: 'TXT' | 'MX'
  readonly name: string
  readonly value: string
}
