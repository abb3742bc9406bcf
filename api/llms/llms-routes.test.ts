import { expect, test } from 'vitest'
import { appWithoutStores } from '../../test/fixtures/api-fixture.ts'
import { docPages } from './doc-pages.ts'

const apiUrl = 'http://127.0.0.1:8031'

test('every link of /llms.txt is served, without credentials', async () => {
  const app = await appWithoutStores({ apiUrl })
  const list = await app.inject({ url: '/llms.txt' })
  expect([list.statusCode, list.headers['content-type']]).toEqual([
    200,
    'text/plain; charset=utf-8',
  ])
  const links = [...list.body.matchAll(/\]\(([^)]+)\)/g)].map(([, link]) => link!)
  expect(links.length).toBe(docPages.length + 3)
  for (const link of links) {
    expect(link.startsWith(`${apiUrl}/`)).toBe(true)
    const page = await app.inject({ url: link.slice(apiUrl.length) })
    expect([link, page.statusCode, page.body.length > 200]).toEqual([link, 200, true])
  }
  expect(list.body).toMatch(/^# Sluice\n\n> /)
  await app.close()
})

test('only listed pages are served, as Markdown that browsers do not sniff', async () => {
  const app = await appWithoutStores({ apiUrl })
  const page = await app.inject({ url: '/docs/pages/api.md' })
  expect(page.headers).toMatchObject({
    'content-type': 'text/markdown; charset=utf-8',
    'x-content-type-options': 'nosniff',
  })
  for (const wrong of ['nope.md', '%2e%2e%2f.env', 'faults.md', 'constructor']) {
    expect([wrong, (await app.inject({ url: `/docs/pages/${wrong}` })).statusCode]).toEqual([
      wrong,
      404,
    ])
  }
  await app.close()
})
