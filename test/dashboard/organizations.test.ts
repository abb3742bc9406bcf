/** What a viewer is shown and told, and a person who goes from one organization to another. */
import type { BrowserContext, Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { dashboardOfThisFile, hasBrowser } from '../fixtures/dashboard/open-dashboard.ts'
import { sendCrash } from '../fixtures/dashboard/send-crash.ts'
import { TestProject } from '../fixtures/test-project.ts'

const viewer = { email: 'vera@people.test', password: 'a password of the viewer' }
const unknownId = '00000000-0000-7000-8000-000000000000'

describe.skipIf(!hasBrowser)('organizations and roles', () => {
  const dashboard = dashboardOfThisFile()
  /** Of the second organization. */
  let rockets: TestProject

  beforeAll(async () => {
    const { product } = dashboard()
    const { demo } = product.stack
    const command = (...args: string[]) =>
      product.adminJson<{ id: string; dsn_id: string; dsn: string; link: string }>(...args)
    const { id } = await command('organization', 'create', '--name', 'Second')
    const second = ['--organization', id]
    await command('person', 'invite', demo.owner.email, '--role', 'owner', ...second)
    const made = await command('project', 'create', '--name', 'Rockets', ...second)
    rockets = new TestProject(product, made, '')
    const { link } = await command(
      ...['person', 'invite', viewer.email, '--role', 'viewer'],
      ...['--organization', await product.organizationId()],
    )
    const { password } = viewer
    const body = new URLSearchParams({ password, password_again: password, name: 'Vera' })
    expect((await fetch(link, { method: 'POST', body })).ok).toBe(true)
  })

  async function logInAsViewer(): Promise<BrowserContext> {
    const context = await dashboard().logIn()
    const { apiUrl } = dashboard().product.stack.demo
    const reply = await context.request.post(`${apiUrl}/api/v1/login`, { data: viewer })
    expect(reply.status()).toBe(200)
    return context
  }

  function titleOf(page: Page, name: string | RegExp) {
    return page.getByRole('heading', { level: 1, name })
  }

  test('a viewer reads, is offered nothing that writes, and is told why', async () => {
    const { id } = await firstAlert()
    const context = await logInAsViewer()
    const page = await dashboard().open(`/projects/{project}/alerts/${id}`, { context })
    await page.getByText('Viewers read rules; members change them.').waitFor()
    await page.getByText(/would (not )?have fired/).waitFor()
    expect(await page.getByRole('button', { name: /^(Save|Delete|Send a test)$/ }).count()).toBe(0)

    const texts: readonly (readonly [string, string])[] = [
      ['/projects/{project}/alerts/new', 'Members and owners create alert rules'],
      [`/projects/{project}/alerts/${id}?tab=deliveries`, 'Members and owners see the deliveries'],
      ['/organization/tokens', 'This needs the role member; yours is viewer.'],
      ['/organization/audit', 'This needs the role member; yours is viewer.'],
      ['/organization/data', 'For owners only'],
      ['/operation', 'For operators only'],
    ]
    for (const [path, text] of texts) {
      const other = await dashboard().open(path, { context })
      await other.getByRole('heading', { name: text }).waitFor()
      // Another attempt would end the same.
      expect(await other.getByRole('button', { name: 'Try again' }).count()).toBe(0)
      expect(await other.locator('.toast').count()).toBe(0)
      expect(await other.locator('#content').getByRole('textbox').count()).toBe(0)
      await other.getByTitle('Viewers read everything; members and owners make changes.').waitFor()
      await other.close()
    }
  })

  async function firstAlert(): Promise<{ readonly id: string }> {
    const { rows } = await dashboard().product.postgres.query(
      'select id from alert_rules where project_id = $1 limit 1',
      [dashboard().product.stack.demo.dsnId],
    )
    return rows[0]
  }

  test('nothing of the former organization stays, and live updates follow', async () => {
    const { demo } = dashboard().product.stack
    const here = new TestProject(
      dashboard().product,
      { id: demo.projectId, dsn_id: demo.dsnId, dsn: demo.dsn },
      '',
    )
    await sendCrash(here, { type: 'DemoError', value: 'of the demo' })
    const page = await dashboard().open('/projects/{project}/issues')
    const list = page.locator('#content')
    await list.getByText('DemoError: of the demo').waitFor()
    await page.getByLabel('Organization').selectOption({ label: 'Second' })

    await expect
      .poll(() => page.getByLabel('Project', { exact: true }).inputValue())
      .toBe(rockets.id)
    await expect.poll(() => list.getByText('DemoError').count()).toBe(0)
    await sendCrash(rockets, { type: 'RocketError', value: 'of the second' })
    // Without a reload.
    await page.getByText('RocketError: of the second').first().waitFor()
    expect(await list.getByText('DemoError').count()).toBe(0)
  })

  test('a link into another organization offers the switch and then opens', async () => {
    const { apiUrl } = dashboard().product.stack.demo
    const context = await dashboard().logIn()
    const path = `/projects/${rockets.id}/settings`
    const page = await dashboard().open(path, { context })
    await page.getByRole('heading', { name: 'This project belongs to Second' }).waitFor()
    await page.getByRole('button', { name: 'Switch to Second' }).click()
    await expect.poll(() => page.getByLabel('Name of the project').inputValue()).toBe('Rockets')
    expect(page.url()).toBe(`${apiUrl}${path}`)
  })

  test.each(['issues', 'alerts/new', 'releases', 'settings', 'ideas', 'setup'])(
    'the address of an unknown project is told as such: %s',
    async (name) => {
      const page = await dashboard().open(`/projects/${unknownId}/${name}`)
      await titleOf(page, 'No such project').waitFor()
      // The navigation leads to a project that exists.
      const issues = page.getByRole('navigation', { name: 'Main' }).getByRole('link', {
        name: /^Issues/,
      })
      expect(await issues.getAttribute('href')).not.toContain(unknownId)
    },
  )

  test('the navigation never leads to an unknown project, also before the list of projects is read', async () => {
    const context = await dashboard().logIn()
    const page = await context.newPage()
    let answer = (): void => undefined
    const held = new Promise<void>((resolve) => {
      answer = resolve
    })
    await page.route('**/api/v1/organization/projects*', async (route) => {
      await held
      await route.continue()
    })
    await page.goto(`${dashboard().product.stack.demo.apiUrl}/projects/${unknownId}/setup`)
    await titleOf(page, 'No such project').waitFor()
    const links = page.getByRole('navigation', { name: 'Main' }).getByRole('link')
    const hrefs = () => links.evaluateAll((all) => all.map((link) => link.getAttribute('href')))
    expect((await hrefs()).filter((href) => href?.includes(unknownId))).toEqual([])
    answer()
    await links.filter({ hasText: 'Issues' }).waitFor()
    expect((await hrefs()).filter((href) => href?.includes(unknownId))).toEqual([])
  })
})
