/** Reading a crash, deciding about it, and an event that wants to do harm. */
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { findViolations } from '../fixtures/dashboard/find-violations.ts'
import { crashEvent, hostileEvent, hostileText } from '../fixtures/dashboard/issue-events.ts'
import {
  dashboardOfThisFile,
  hasBrowser,
  overflowOf,
} from '../fixtures/dashboard/open-dashboard.ts'
import { runProgram } from '../fixtures/processes/run-program.ts'
import type { TestProject } from '../fixtures/test-project.ts'

describe.skipIf(!hasBrowser)('the page of an issue', () => {
  const dashboard = dashboardOfThisFile()

  async function projectWith(name: string, events: readonly object[]): Promise<TestProject> {
    const project = await dashboard().product.projectAtOnce(name)
    for (const [index, event] of events.entries()) {
      const payload = JSON.stringify(event)
      const reply = await project.send({
        method: 'POST',
        body: `{}\n{"type":"event"}\n${payload}\n`,
      })
      expect(reply.status).toBe(200)
      // One after the other, so that their order is known.
      await project.hasEvents(index + 1)
    }
    return project
  }

  async function openIssue(project: TestProject, issueId: string, query = ''): Promise<Page> {
    const page = await dashboard().open(`/projects/${project.id}/issues/${issueId}${query}`)
    await page.getByRole('navigation', { name: 'Views of this issue' }).waitFor()
    return page
  }

  test('a log record of the OpenTelemetry exporter reads like any other event', async () => {
    const project = await dashboard().product.projectAtOnce('otlp record')
    const end = await runProgram(
      process.execPath,
      ['test/clients/otlp-logs.mjs', '@opentelemetry/exporter-logs-otlp-http', 'none', 'one'],
      {
        OTEL_EXPORTER_OTLP_ENDPOINT: `${dashboard().product.stack.urls.ingest}/api/${project.dsnId}/otlp`,
        OTEL_EXPORTER_OTLP_HEADERS: `x-sentry-auth=sentry sentry_key=${project.publicKey}`,
      },
    )
    expect(end).toMatchObject({ code: 0 })
    await project.hasEvents(1)
    const page = await openIssue(project, (await project.issue()).id)
    await page.getByRole('heading', { level: 1, name: /card 4711 was declined/ }).waitFor()
    const trace = page.getByRole('region', { name: 'Trace' })
    await trace.getByText('0af7651916cd43dd8448eb211c80319c').waitFor()
    await page.getByRole('region', { name: 'OpenTelemetry' }).getByText('ERROR').waitFor()
    await page.getByRole('region', { name: 'Resource' }).getByText('host.name').waitFor()
    for (const body of await page.locator('.panel-body:visible').allTextContents())
      expect(body.trim()).not.toBe('')
    expect(await overflowOf(page)).toBe(0)
  })

  const eventIn = (page: Page) => new URL(page.url()).searchParams.get('event')

  test('a crash is read, with two requests until it is there', async () => {
    const crashes = [1, 2, 3].map((order) => crashEvent({ order }))
    const ids = crashes.map((crash) => (crash as { event_id: string }).event_id)
    const project = await projectWith('read a crash', crashes)
    const { id } = await project.issue()
    const context = await dashboard().logIn()
    const asked: string[] = []
    context.on('request', (request) => {
      const path = new URL(request.url()).pathname
      if (path.includes(`/issues/${id}`) && path.startsWith('/api/')) asked.push(path)
    })
    const page = await dashboard().open(`/projects/${project.id}/issues/${id}`, { context })
    await page.getByText('order 3 was not placed').last().waitFor()
    expect(asked.slice(0, 2).map((path) => path.replace(/.*\/issues\/[^/]+/, ''))).toEqual([
      '',
      '/events/recommended',
    ])

    // What failed is first, its cause below; the line is marked, libraries are folded.
    const headings = page.locator('.issue-exception h3')
    await expect
      .poll(() => headings.allTextContents())
      .toEqual(['OrderError', 'Caused by RangeError'])
    const line = page.locator('[data-current="true"]').first()
    await expect.poll(() => line.textContent()).toContain('throw new OrderError(order)')
    const run = page.getByRole('button', { name: '3 library frames' }).first()
    expect(await page.getByText('node_modules/router/next.js').count()).toBe(0)
    await run.click()
    await page.getByText('node_modules/router/next.js').waitFor()

    // j and k move through the frames, Enter folds the one that has the focus.
    await page.locator('h1').click()
    await page.keyboard.press('j')
    await expect.poll(() => line.isVisible()).toBe(true)
    await page.keyboard.press('Enter')
    expect(await page.locator('.issue-exception').first().locator('.issue-source').count()).toBe(0)

    await page.getByText('−250 ms').waitFor()
    await page.getByText('POST /charge → 402').waitFor()

    // The events before it, and back.
    await page.keyboard.press('[')
    await page.getByText('order 2 was not placed').waitFor()
    expect(eventIn(page)).toBe(ids[1])
    await page.getByRole('link', { name: 'First event' }).click()
    await page.getByText('order 1 was not placed').waitFor()
    await page.keyboard.press(']')
    await page.getByText('order 2 was not placed').waitFor()
    expect(eventIn(page)).toBe(ids[1])

    await page.getByRole('button', { name: 'Raw JSON' }).click()
    expect(await page.getByRole('dialog').textContent()).toContain('"order 2 was not placed"')
    await page.keyboard.press('Escape')
  })

  test('the crash is drawn first, then the rest in tasks of their own', async () => {
    const project = await projectWith('drawn in steps', [crashEvent({ order: 1 })])
    const { id } = await project.issue()
    const context = await dashboard().logIn()
    await context.addInitScript(noteDrawings)
    const page = await dashboard().open(`/projects/${project.id}/issues/${id}`, { context })
    await page.locator('.issue-numbers').waitFor()
    // An observer is told once for each task, with everything that the task has drawn.
    expect(await page.evaluate('window.drawings')).toEqual([
      'issue-exception-head',
      'issue-crumbs',
      'issue-tags',
      'issue-contexts',
      'issue-folded',
      'issue-numbers',
    ])
  })

  test('a comment is written, the issue is resolved, and that is undone', async () => {
    const project = await projectWith('comment', [crashEvent({ order: 1 })])
    const { id } = await project.issue()
    const page = await openIssue(project, id, '?tab=activity')
    const comment = `It **fails** since 1.4.0 ${hostileText} [x](javascript:window.harm=1)`
    await page.getByLabel('Comment, in Markdown').fill(comment)
    await page.keyboard.press('Control+Enter')
    await page.locator('.markdown strong', { hasText: 'fails' }).waitFor()
    expect(await page.locator('.markdown a, .markdown img').count()).toBe(0)
    expect(await page.evaluate('window.harm')).toBeUndefined()

    await page.locator('h1').click()
    await page.keyboard.press('e')
    await page.getByRole('button', { name: 'Reopen' }).waitFor()
    await page.getByText('resolved it').waitFor()
    expect((await project.issue()).status).toBe('resolved')
    await page.keyboard.press('z')
    await page.getByRole('button', { name: 'Resolve', exact: true }).waitFor()
    await page.getByText('reopened it').waitFor()
    expect((await project.issue()).status).toBe('unresolved')
  })

  test('issues are merged by search, split again, and the split is undone', async () => {
    const project = await projectWith('merge', [
      crashEvent({ order: 1 }),
      crashEvent({ order: 2, place: 'refundOrder' }),
    ])
    const [newer, older] = await project.issues()
    const page = await openIssue(project, newer!.id, '?tab=grouping')
    await page
      .getByText(/^Grouped by/)
      .first()
      .waitFor()
    await page.getByRole('button', { name: 'Merge into another issue' }).click()
    await page.getByLabel('Find an issue').fill(`issue:${older!.short_id}`)
    await page.getByRole('button', { name: new RegExp(older!.short_id) }).click()

    // The page of the other issue, which has both groups now.
    await page.waitForURL((url) => url.pathname.endsWith(older!.id))
    await page.getByRole('heading', { name: '2 groups' }).waitFor()
    expect((await project.issue()).count).toBe(2)

    // The former address leads there.
    await page.goto(page.url().replace(older!.id, newer!.id))
    await page.waitForURL((url) => url.pathname.endsWith(older!.id))

    const groups = page.getByRole('list', { name: 'Groups of this issue' })
    const former = groups.getByRole('listitem').filter({ hasText: 'gives it back' })
    await former.getByRole('checkbox').check()
    await page.getByRole('button', { name: 'Split off 1' }).click()
    await page.getByRole('heading', { name: '1 group' }).waitFor()
    expect(await project.issues()).toHaveLength(2)
    await page.getByRole('button', { name: 'Undo' }).last().click()
    await page.getByRole('heading', { name: '2 groups' }).waitFor()
    expect((await project.issue()).count).toBe(2)
  })

  test.each([1440, 390])(
    'an event that wants to do harm is harmless at %d pixels',
    async (width) => {
      const project = await projectWith(`hostile ${width}`, [hostileEvent()])
      const { id } = await project.issue()
      const page = await dashboard().open(`/projects/${project.id}/issues/${id}`, { width })
      await page.getByText('library frames').first().waitFor()
      expect(await page.locator('h1').textContent()).toContain('⟨U+202E⟩txt.exe <script>')
      for (const mode of ['All frames', 'Text', 'In app']) {
        await page.getByRole('button', { name: mode }).click()
        expect(await overflowOf(page)).toBe(0)
      }
      for (const tab of ['Events', 'Tags', 'Activity', 'Similar', 'Grouping', 'Event']) {
        await page.getByRole('link', { name: new RegExp(`^${tab}\\s*\\d*$`) }).click()
        await page.locator('.tabs a[aria-current]', { hasText: tab }).waitFor()
        await page.locator('.page-body .skeleton').waitFor({ state: 'detached' })
        expect(await overflowOf(page)).toBe(0)
      }
      expect(await page.evaluate('window.harm')).toBeUndefined()
      expect(await page.locator('.issue-page img, .issue-page script').count()).toBe(0)
      expect(await findViolations(page)).toEqual([])
      const elements = await page.evaluate<number>('document.querySelectorAll("*").length')
      expect(elements).toBeLessThan(5_000)
    },
  )

  test('an issue that was deleted, an event that has expired', async () => {
    const project = await projectWith('gone', [crashEvent({ order: 1 })])
    const { id } = await project.issue()
    const page = await openIssue(project, id, `?event=${'0'.repeat(32)}`)
    await page.getByText('This event is not stored').waitFor()
    // What is known about the issue is shown all the same.
    await page.getByRole('region', { name: 'Users' }).getByRole('link').waitFor()
    await page.getByRole('link', { name: 'Show the newest event of the issue' }).click()
    await page.getByText('order 1 was not placed').last().waitFor()
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Delete…' }).click()
    await page.getByRole('button', { name: 'Delete the issue' }).click()
    await page.waitForURL((url) => url.pathname.endsWith('/issues'))
    await page.goBack()
    await page.reload()
    await page.getByText('There is no issue at this address').waitFor()
  })
})

/** Notes in `window.drawings`, as `a + b` if one task has drawn both, which parts come when. */
const noteDrawings = `
  const parts = ['issue-exception-head', 'issue-crumbs', 'issue-tags', 'issue-contexts', 'issue-folded', 'issue-numbers']
  window.drawings = []
  new MutationObserver(() => {
    const noted = window.drawings.join(' + ').split(' + ')
    const drawn = parts.filter((name) => !noted.includes(name) && document.querySelector('.' + name))
    if (drawn.length > 0) window.drawings.push(drawn.join(' + '))
  }).observe(document, { childList: true, subtree: true })
`
