/**
 * The hosted portal in a real browser, over a real socket and real stores. Any error that the
 * browser reports (content security policy, script, missing file) fails the test that caused it.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { BrowserContext, BrowserContextOptions, FrameLocator, Page } from 'playwright-core'
import { v7 as uuidv7 } from 'uuid'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { apiOfThisFile, at, type Tenant } from '../fixtures/api-fixture.ts'
import { findBrowser, type OpenBrowser, openBrowser } from '../fixtures/processes/browser.ts'

const executable = await findBrowser()
const api = apiOfThisFile()
let browser: OpenBrowser
let origin: string

const complaints: string[] = []
const contexts: BrowserContext[] = []

beforeAll(async () => {
  origin = await api().app.listen({ host: '127.0.0.1', port: 0 })
  if (executable !== undefined) browser = await openBrowser(executable)
})
afterAll(() => browser?.close())
// All tests share one client address, and votes and submissions are rate-limited by address.
beforeEach(() => {
  api().time.nowMs += 61_000
})
afterEach(async () => {
  await Promise.all(contexts.splice(0).map((context) => context.close()))
  expect(complaints.splice(0)).toEqual([])
})

async function open(path: string, options: BrowserContextOptions = {}): Promise<Page> {
  const context = await browser.context(options)
  contexts.push(context)
  const page = await context.newPage()
  page.setDefaultTimeout(120_000)
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => {
    // A 4xx of the API can be the expected response, but the browser logs it as an error.
    const isRefusal =
      /status of 4\d\d/.test(message.text()) &&
      /\/(?:api\/v1\/|suggest)/.test(message.location().url)
    if (message.type() === 'error' && !isRefusal) complaints.push(message.text())
  })
  await page.goto(`${origin}${path}`)
  return page
}

async function portal(name: string, branding: object = {}): Promise<Tenant & { path: string }> {
  const tenant = await api().tenant(name)
  await api().pool.query(
    'insert into portal_settings (project_id, branding) values ($1, $2) on conflict do nothing',
    [tenant.project.id, JSON.stringify({ title: `${name} ideas`, ...branding })],
  )
  return { ...tenant, path: `/portal/${tenant.project.projectKey}` }
}

async function idea(tenant: Tenant, title: string, votes = 0): Promise<string> {
  const id = uuidv7()
  await api().pool.query(
    `insert into ideas (id, project_id, title, description, created_at, updated_at) values ($1, $2, $3, $4, $5, $5)`,
    [id, tenant.project.id, title, `About ${title}.`, at(-votes)],
  )
  await api().pool.query('update idea_counts set vote_count = $2 where idea_id = $1', [id, votes])
  return id
}

async function votesOf(ideaId: string): Promise<number> {
  const sql = 'select count(*)::int as count from votes where idea_id = $1'
  const { rows } = await api().pool.query<{ count: number }>(sql, [ideaId])
  return rows[0]!.count
}

/** Evaluated in the page, so it can use nothing of this file. */
const measure = `({
  tooWide: document.documentElement.scrollWidth - document.documentElement.clientWidth,
  ground: getComputedStyle(document.body).backgroundColor,
  direction: getComputedStyle(document.body).direction,
})`

const voteOf = (page: Page | FrameLocator, title: string) =>
  page.getByRole('button', { name: `Vote for “${title}”` })

describe.skipIf(executable === undefined)('in a browser', () => {
  test('a vote by keyboard is counted, shown on the next visit, and can be withdrawn', async () => {
    const tenant = await portal('Voting')
    const id = await idea(tenant, 'Dark mode')
    const page = await open(tenant.path)
    const vote = voteOf(page, 'Dark mode')
    await vote.focus()
    await page.keyboard.press('Enter')
    await page.getByRole('status').getByText('Your vote was counted.').waitFor()
    await expect.poll(() => vote.getAttribute('aria-pressed')).toBe('true')
    expect(await vote.locator('.vote-count').textContent()).toBe('1')
    expect(await votesOf(id)).toBe(1)
    await page.reload()
    await expect.poll(() => vote.getAttribute('aria-pressed')).toBe('true')
    await page.getByRole('link', { name: 'Dark mode' }).click()
    await expect.poll(() => vote.getAttribute('aria-pressed')).toBe('true')
    await vote.click()
    await page.getByText('Your vote was withdrawn.').waitFor()
    expect([await vote.locator('.vote-count').textContent(), await votesOf(id)]).toEqual(['0', 0])
  })

  test('a vote over the rate limit is reverted and the reason is shown', async () => {
    const tenant = await portal('Limits')
    for (let number = 1; number <= 6; number += 1) await idea(tenant, `Idea ${number}`)
    const page = await open(tenant.path)
    for (let number = 1; number <= 5; number += 1) {
      await voteOf(page, `Idea ${number}`).click()
      await expect.poll(() => page.locator('[aria-busy]').count()).toBe(0)
    }
    const sixth = voteOf(page, 'Idea 6')
    await sixth.click()
    await page.getByText('5 votes a minute').waitFor()
    await expect.poll(() => sixth.getAttribute('aria-pressed')).toBe('false')
    expect(await sixth.locator('.vote-count').textContent()).toBe('0')
  })

  test('search runs while typing, and a term without results can be suggested as an idea', async () => {
    const tenant = await portal('Search')
    await idea(tenant, 'Dark mode', 5)
    const similar = await idea(tenant, 'Export as CSV', 3)
    const page = await open(tenant.path)
    await page.keyboard.press('/')
    await page.keyboard.type('exp')
    await expect.poll(() => page.locator('.idea').count()).toBe(1)
    expect(page.url()).toContain('search=exp')
    await page.getByRole('searchbox').fill('export to excel')
    await page.getByRole('link', { name: 'Suggest “export to excel”' }).click()
    const title = page.getByLabel('Title', { exact: true })
    await expect.poll(() => title.inputValue()).toBe('export to excel')
    await title.fill('Export as a file')
    await page.locator(`.similar a[href$="${similar}"]`).waitFor()
    await page.getByLabel('Description', { exact: true }).fill('Give it to **accounting**.')
    await page.getByRole('button', { name: 'Send idea' }).click()
    await page.getByRole('heading', { name: 'Export as a file' }).waitFor()
    expect(await page.locator('.prose strong').textContent()).toBe('accounting')
    expect(await voteOf(page, 'Export as a file').getAttribute('aria-pressed')).toBe('true')
  })

  test('a comment and a reply appear in the right place', async () => {
    const tenant = await portal('Comments')
    const id = await idea(tenant, 'Dark mode')
    const page = await open(`${tenant.path}/ideas/${id}`)
    await page.getByLabel('Add a comment').fill('Yes <b>please</b>')
    await page.getByRole('button', { name: 'Post comment' }).click()
    const first = page.locator('.comment', { hasText: 'Yes <b>please</b>' })
    await first.waitFor()
    await first.locator('summary').click()
    await first.getByLabel('Your reply').fill('And soon')
    await first.getByRole('button', { name: 'Reply' }).click()
    await first.locator('.comment', { hasText: 'And soon' }).waitFor()
    expect(await page.getByRole('heading', { name: '2 comments' }).count()).toBe(1)
    await page.getByLabel('Email (optional)').fill('not an address')
    expect(await page.locator('#comment-email:invalid').count()).toBe(1)
  })

  test('tabs, tags and more change the list and the address, and Back goes back', async () => {
    const tenant = await portal('Tabs')
    for (let number = 1; number <= 25; number += 1) await idea(tenant, `Idea ${number}`, number)
    await api().pool.query(
      "update ideas set status = 'Planned' where project_id = $1 and title = 'Idea 7'",
      [tenant.project.id],
    )
    const page = await open(tenant.path)
    expect(await page.locator('.idea').count()).toBe(20)
    await page.getByRole('link', { name: 'Show more' }).click()
    await expect.poll(() => page.locator('.idea').count()).toBe(25)
    await page.getByRole('link', { name: 'Planned 1' }).click()
    await expect.poll(() => page.locator('.idea').count()).toBe(1)
    expect(page.url()).toContain('status=Planned')
    await page.goBack()
    await expect.poll(() => page.locator('.idea').count()).toBe(20)
    await page.getByRole('link', { name: 'New', exact: true }).click()
    await expect.poll(() => page.locator('.idea h2').first().textContent()).toBe('Idea 1')
  })

  test('everything works without JavaScript', async () => {
    const tenant = await portal('Plain')
    const id = await idea(tenant, 'Dark mode')
    const page = await open(tenant.path, { javaScriptEnabled: false })
    await voteOf(page, 'Dark mode').click()
    expect(await voteOf(page, 'Dark mode').getAttribute('aria-pressed')).toBe('true')
    expect(await votesOf(id)).toBe(1)
    await page.getByRole('link', { name: 'Dark mode' }).click()
    api().time.nowMs += 5_000
    await page.getByLabel('Add a comment').fill('Plain and simple')
    await page.getByRole('button', { name: 'Post comment' }).click()
    expect(await page.locator('.comment').textContent()).toContain('Plain and simple')
    await page.goto(`${origin}${tenant.path}/suggest`)
    await page.getByLabel('Title', { exact: true }).fill('Too quick')
    await page.getByLabel('Description', { exact: true }).fill('Send before anybody could type it.')
    await page.getByRole('button', { name: 'Send idea' }).click()
    await page.getByText('The form was sent too fast.').waitFor()
    api().time.nowMs += 5_000
    await page.getByRole('button', { name: 'Send idea' }).click()
    await page.getByRole('heading', { name: 'Too quick' }).waitFor()
  })

  // biome-ignore format: the columns are the point
  test.each([
    ['off',   'with a script',    false, false],
    ['ideas', 'with a script',    true,  false],
    ['all',   'with a script',    true,  true],
    ['off',   'without a script', false, false],
    ['ideas', 'without a script', true,  false],
    ['all',   'without a script', true,  true],
  ] as const)('moderation of %s, %s: the author sees their idea and comment, and whether they await moderation', async (moderation, how, ideaWaits, commentWaits) => {
    const tenant = await portal(`Moderated ${moderation} ${how}`)
    await api().pool.query('update portal_settings set moderation = $2 where project_id = $1', [
      ...[tenant.project.id, moderation],
    ])
    const page = await open(`${tenant.path}/suggest`, { javaScriptEnabled: how === 'with a script' })
    await page.getByLabel('Title', { exact: true }).fill('Dark mode')
    await page.getByLabel('Description', { exact: true }).fill('Read at night.')
    api().time.nowMs += 5_000
    await page.getByRole('button', { name: 'Send idea' }).click()
    await page.getByRole('heading', { name: 'Dark mode' }).waitFor()
    const note = page.locator('.note', { hasText: 'This idea awaits moderation' })
    await expect.poll(() => note.count()).toBe(ideaWaits ? 1 : 0)
    expect(await page.locator('.history', { hasText: 'Awaits moderation' }).count()).toBe(ideaWaits ? 1 : 0)
    const address = page.url()
    await page.getByLabel('Add a comment').fill('And in the morning.')
    api().time.nowMs += 5_000
    await page.getByRole('button', { name: 'Post comment' }).click()
    const comment = page.locator('.comment', { hasText: 'And in the morning.' })
    await comment.waitFor()
    expect(await comment.getByText('This comment awaits moderation').count()).toBe(commentWaits ? 1 : 0)
    await page.goto(`${origin}${tenant.path}`)
    expect(await page.locator('.idea', { hasText: 'Dark mode' }).count()).toBe(1)
    expect(await page.locator('.idea .pending-line').count()).toBe(ideaWaits ? 1 : 0)

    const stranger = await open(tenant.path)
    expect(await stranger.locator('.idea').count()).toBe(ideaWaits ? 0 : 1)
    if (!ideaWaits) return
    const response = await stranger.goto(address)
    expect(response?.status()).toBe(404)
    complaints.length = 0
  })

  test('in a frame that may store nothing the author sees their waiting idea, also after coming back', async () => {
    const tenant = await portal('Framed moderation')
    await api().pool.query("update portal_settings set moderation = 'all' where project_id = $1", [
      tenant.project.id,
    ])
    const site = createServer((_request, response) => {
      response.setHeader('content-type', 'text/html')
      const key = tenant.project.projectKey
      response.end(
        `<!doctype html><body><link rel="icon" href="data:,"><script src="${origin}/portal/embed.js" data-portal="${key}" data-path="/suggest"></script>`,
      )
    })
    await new Promise<void>((listening) => site.listen(0, '127.0.0.1', listening))
    try {
      const page = await open(tenant.path)
      await page.goto(`http://localhost:${(site.address() as AddressInfo).port}`)
      const frame = page.frameLocator('iframe')
      await frame.getByLabel('Title', { exact: true }).fill('Dark mode')
      await frame.getByLabel('Description', { exact: true }).fill('Read at night.')
      await frame.getByRole('button', { name: 'Send idea' }).click()
      await frame.getByText('This idea awaits moderation').first().waitFor()
      await frame.getByLabel('Add a comment').fill('And in the morning.')
      await frame.getByRole('button', { name: 'Post comment' }).click()
      await frame.getByText('This comment awaits moderation').first().waitFor()
      await frame.getByRole('link', { name: 'All ideas' }).click()
      await frame.locator('.idea .pending-line').waitFor()
      expect(await voteOf(frame, 'Dark mode').getAttribute('aria-pressed')).toBe('true')
      await frame.getByRole('link', { name: 'Dark mode' }).click()
      await frame.getByText('This idea awaits moderation').first().waitFor()
      expect(await frame.locator('body').evaluate('location.href')).not.toContain('reader=')
      // The server does not know the author when the page first loads, so the browser reports a
      // 404.
      expect(complaints.filter((line) => !line.includes('status of 404'))).toEqual([])
      complaints.length = 0
    } finally {
      site.closeAllConnections()
      site.close()
    }
  })

  test('markup in ideas is shown as text, and the policy forbids inline code', async () => {
    const tenant = await portal('Hostile', { custom_css: '.brand { letter-spacing: 3px }' })
    const title = `<img src=x onerror=alert(1)>"'><script>alert(2)</script>`
    const id = await idea(tenant, title)
    await api().pool.query('update ideas set description = $2 where id = $1', [
      id,
      '[a](javascript:alert(1)) <svg onload=alert(2)> ![x](https://evil.example/x.png)',
    ])
    for (const path of [tenant.path, `${tenant.path}/ideas/${id}`]) {
      const page = await open(path)
      expect(await page.getByText(title).count()).toBeGreaterThan(0)
      expect(
        await page.locator('main img, main script, main svg[onload], a[href^=javascript]').count(),
      ).toBe(0)
      const spacing = page.evaluate(
        "getComputedStyle(document.querySelector('.brand')).letterSpacing",
      )
      expect(await spacing).toBe('3px')
    }
  })

  // biome-ignore format: the columns are the point
  test.each([
    ['wide and light',   1280, 'light', 'en', 'rgb(246, 247, 249)', 'ltr'],
    ['narrow and dark',  320,  'dark',  'en', 'rgb(14, 16, 21)',    'ltr'],
    ['right to left',    375,  'light', 'ar', 'rgb(246, 247, 249)', 'rtl'],
  ] as const)('%s: nothing overflows the page', async (name, width, colorScheme, locale, ground, direction) => {
    const tenant = await portal(name, { locale })
    const id = await idea(tenant, 'W'.repeat(200), 1_234_567)
    for (const path of ['', `/ideas/${id}`, '/suggest', '?search=nothing-like-it']) {
      const page = await open(`${tenant.path}${path}`, { viewport: { width, height: 700 }, colorScheme })
      const seen = await page.evaluate(measure)
      expect(seen).toEqual({ tooWide: 0, ground, direction })
    }
  })

  test('embedded in another site, the frame gets the height of its content; sites that are not allowed cannot embed it', async () => {
    const tenant = await portal('Frame')
    for (let number = 1; number <= 12; number += 1) await idea(tenant, `Idea ${number}`)
    const site = createServer((_request, response) => {
      response.setHeader('content-type', 'text/html')
      const key = tenant.project.projectKey
      response.end(
        `<!doctype html><body><link rel="icon" href="data:,"><script src="${origin}/portal/embed.js" data-portal="${key}"></script>`,
      )
    })
    await new Promise<void>((listening) => site.listen(0, '127.0.0.1', listening))
    const embedding = `http://localhost:${(site.address() as AddressInfo).port}`
    try {
      const page = await open(tenant.path)
      await page.goto(embedding)
      const frame = page.frameLocator('iframe')
      await voteOf(frame, 'Idea 3').click()
      await frame.getByText('Your vote was counted.').waitFor()
      const height = async () => (await page.locator('iframe').boundingBox())?.height
      await expect.poll(height).toBeGreaterThan(900)
      await api().pool.query(
        "update portal_settings set allowed_origins = '{https://other.example}' where project_id = $1",
        [tenant.project.id],
      )
      api().time.nowMs += 10_000
      await page.reload()
      await expect.poll(() => complaints.join(' ')).toContain('frame-ancestors')
      expect(await frame.locator('.idea').count()).toBe(0)
      complaints.length = 0
    } finally {
      site.closeAllConnections()
      site.close()
    }
  })
})
