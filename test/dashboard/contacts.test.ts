/** A list of 10,000 people from another service, from the file to the list of contacts. */
import { describe, expect, test } from 'vitest'
import { dashboardOfThisFile, hasBrowser } from '../fixtures/dashboard/open-dashboard.ts'

const people = 10_000

describe.skipIf(!hasBrowser)('contacts', () => {
  const dashboard = dashboardOfThisFile()

  test('10,000 contacts are imported with a mapping', async () => {
    const page = await dashboard().open('/email/contacts/import')
    const file = { name: 'readers.csv', mimeType: 'text/csv', buffer: Buffer.from(listOf(people)) }
    await page.getByLabel('File').setInputFiles(file)
    await page.getByRole('cell', { name: /reader0@example\.org/ }).waitFor()

    // The column that says who left has to be decided on before anything happens.
    await page.getByLabel('Meaning of Address').selectOption({ label: 'Email' })
    await page.getByLabel('Meaning of Who').selectOption({ label: 'Name' })
    await page.getByRole('button', { name: 'Import the others as attributes' }).click()
    expect(await page.getByLabel('Meaning of City').inputValue()).toBe('attribute')
    expect(await page.getByLabel('Meaning of Opt out').inputValue()).toBe('')
    await page.getByRole('button', { name: 'Check the file' }).click()
    await page.getByText('Looks like an opt-out.').waitFor()
    await page
      .getByLabel('Meaning of Opt out')
      .selectOption({ label: 'Unsubscribed: yes or a date' })
    await page.getByRole('button', { name: 'Check the file' }).click()

    // The dry run stores nothing.
    const start = page.getByRole('button', { name: 'Import 10,000 contacts' })
    await start.waitFor()
    await page.getByText('Line 10,002').waitFor()
    expect(await contactsNow()).toBe(0)

    await start.click()
    await page.getByRole('link', { name: 'Open the contacts' }).click()
    await page.getByRole('link', { name: 'Subscribed 9,900' }).waitFor()
    await page.getByRole('link', { name: 'Unsubscribed 100' }).waitFor()
    expect(await contactsNow()).toBe(people)

    await page.getByLabel('Search contacts').fill('reader4321@')
    await page.getByRole('link', { name: 'reader4321@example.org' }).click()
    await page.getByRole('heading', { name: 'reader4321@example.org' }).waitFor()
    await page.getByText('Lisbon').waitFor()
  })

  test('a person is edited, unsubscribed and erased', async () => {
    const page = await dashboard().open('/email/contacts')
    await page.getByRole('button', { name: 'Add a contact' }).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Email').fill('not an address')
    await dialog.getByLabel('Email').evaluate((field) => field.setAttribute('type', 'text'))
    await dialog.getByRole('button', { name: 'Add the contact' }).click()
    await dialog.getByText('must be an email address').waitFor()
    await dialog.getByLabel('Email').fill('grace@example.net')
    await dialog.getByRole('button', { name: 'Add the contact' }).click()
    await page.getByRole('heading', { name: 'grace@example.net' }).waitFor()

    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByLabel('Name', { exact: true }).fill('Grace <script>')
    await page.getByRole('button', { name: 'Add an attribute' }).click()
    await page.getByLabel('Attribute 1', { exact: true }).fill('ships')
    await page.getByLabel('Value 1', { exact: true }).fill('3')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Grace <script>').waitFor()
    const { rows } = await dashboard().product.postgres.query(
      `select attribs from contacts where name = 'Grace <script>'`,
    )
    expect(rows).toEqual([{ attribs: { ships: 3 } }])

    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Unsubscribe' }).click()
    await page.getByText('Unsubscribed grace@example.net.').waitFor()

    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Erase the person…' }).click()
    const erase = page.getByRole('button', { name: 'Erase the person' })
    await expect.poll(() => erase.isDisabled()).toBe(true)
    await page.getByLabel('Type erase to confirm').fill('erase')
    await erase.click()
    await page.getByText('The person was erased.').waitFor()
    const left = await dashboard().product.postgres.query(
      `select from contacts where name = 'Grace <script>'`,
    )
    expect(left.rowCount).toBe(0)
  })

  async function contactsNow(): Promise<number> {
    const { rows } = await dashboard().product.postgres.query<{ count: number }>(
      `select count(*)::int as count from contacts where name like 'Reader %'
       and organization_id = (select organization_id from projects where id = $1)`,
      [dashboard().product.stack.demo.projectId],
    )
    return rows[0]?.count ?? -1
  }
})

/** The last row is not valid; every hundredth person has left. */
function listOf(count: number): string {
  const rows = Array.from(
    { length: count },
    (_, index) =>
      `reader${index}@example.org;Reader ${index};Lisbon;${index % 100 === 0 ? 'yes' : ''}`,
  )
  return ['Address;Who;City;Opt out', ...rows, 'nobody;Nobody;;', ''].join('\n')
}
