/** The files of the dashboard as browsers get them, from a folder that stands for the build's. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { feedbackPath, ideaPath, issuePath, monitorPath } from '#schemas/page-path.ts'
import { appWithoutStores } from '../../test/fixtures/api-fixture.ts'
import type { ApiInstance } from '../http/route.ts'
import { checkedRoutes } from '../http/validation/check-request.ts'
import { dashboardSegments } from './dashboard-routes.ts'

const html =
  '<!doctype html><title>Sluice</title><script type="module" src="/assets/app.js"></script>'
const script = `console.log(${JSON.stringify('x'.repeat(3_000))})`
const id = '01939c1e-7d00-7000-8000-000000000001'
const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
let folder: string
let app: ApiInstance
let unbuilt: ApiInstance

beforeAll(async () => {
  const parent = mkdtempSync(join(tmpdir(), 'dashboard-'))
  folder = join(parent, 'dashboard')
  mkdirSync(join(folder, 'assets/deeper'), { recursive: true })
  writeFileSync(join(parent, 'secret.js'), 'secret')
  writeFileSync(join(folder, 'index.html'), html)
  writeFileSync(join(folder, 'favicon.svg'), '<svg/>')
  for (const name of ['app-a1b2.js', 'only-plain.css', '.hidden.js', 'no-extension']) {
    writeFileSync(join(folder, 'assets', name), script)
  }
  writeFileSync(join(folder, 'assets/deeper/x.js'), script)
  writeFileSync(join(folder, 'assets/app-a1b2.js.br'), brotliCompressSync(script))
  writeFileSync(join(folder, 'assets/app-a1b2.js.gz'), gzipSync(script))
  app = await appWithoutStores({ dashboardFolder: folder })
  unbuilt = await appWithoutStores({ dashboardFolder: join(parent, 'nothing') })
})
afterAll(async () => {
  await Promise.all([app?.close(), unbuilt?.close()])
  rmSync(join(folder, '..'), { recursive: true })
})

function get(url: string, headers: Record<string, string> = {}, of = app) {
  return of.inject({ method: 'GET', url, headers })
}

describe('the page', () => {
  const addresses = [
    '/',
    ...dashboardSegments.flatMap((segment) => [`/${segment}`, `/${segment}/some/page?a=b`]),
    issuePath(id, id),
    monitorPath(id, 'a/b'),
    ideaPath(id, id),
    feedbackPath(id, id),
  ]

  test.each(addresses)('is at %s for any Accept header', async (address) => {
    for (const headers of [{}, browser]) {
      const { statusCode, body, headers: given } = await get(address, headers)
      expect([statusCode, body]).toEqual([200, html])
      expect(given['content-type']).toBe('text/html; charset=utf-8')
    }
  })

  test.each(['?a=100%', '?a=%00', '?__proto__=x', '/%00', '/x/%E2%80%AE'])(
    'is there for the hostile address /projects%s, because only its script reads it',
    async (rest) => {
      const { statusCode, body } = await get(`/projects${rest}`)
      expect([statusCode, body]).toEqual([200, html])
    },
  )

  test('is strict about scripts, frames, referrers and search engines', async () => {
    const { headers } = await get('/')
    expect(headers).toMatchObject({
      'content-security-policy':
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; manifest-src 'self'",
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'same-origin',
      'x-robots-tag': 'noindex, nofollow',
    })
  })

  test('is asked for again each time, and sent again only when it has changed', async () => {
    const { headers } = await get('/')
    expect(headers['cache-control']).toBe('no-cache')
    const etag = String(headers.etag)
    const again = await get('/login', { 'if-none-match': etag })
    expect([again.statusCode, again.body, again.headers.etag]).toEqual([304, '', etag])
    expect((await get('/', { 'if-none-match': '"other"' })).statusCode).toBe(200)
  })

  test('is sent in the encoding that the client accepts', async () => {
    const unpack = { br: brotliDecompressSync, gzip: gunzipSync }
    for (const [encoding, read] of Object.entries(unpack)) {
      const { headers, rawPayload } = await get('/', { 'accept-encoding': encoding })
      expect([headers['content-encoding'], headers.vary]).toEqual([encoding, 'accept-encoding'])
      expect(read(rawPayload).toString()).toBe(html)
    }
  })

  test('changes with the next build, without a restart', async () => {
    const before = await get('/')
    writeFileSync(join(folder, 'index.html'), `${html}<p>next</p>`)
    const after = await get('/', { 'if-none-match': String(before.headers.etag) })
    writeFileSync(join(folder, 'index.html'), html)
    expect([after.statusCode, after.body]).toEqual([200, `${html}<p>next</p>`])
  })
})

describe('an unknown path', () => {
  test.each(['/nothing', '/projects-2', '/portal/a/b/c/d', '/Projects', '/healthy'])(
    '%s is the page with status 404 for a browser, and JSON for a program',
    async (path) => {
      const page = await get(path, browser)
      expect([page.statusCode, page.body]).toEqual([404, html])
      // No 304, which would keep its status of the first time.
      expect([page.headers['cache-control'], page.headers.etag]).toEqual(['no-store', undefined])
      const data = await get(path, { accept: '*/*' })
      expect([data.statusCode, data.json().code]).toEqual([404, 'not_found'])
    },
  )

  test.each(['/api/v1/nothing', '/api', '/assets/nothing.js', '/assets/', '/assets'])(
    '%s is JSON for a browser as well',
    async (path) => {
      const { statusCode, headers, json } = await get(path, browser)
      expect([statusCode, json().code]).toEqual([404, 'not_found'])
      expect(headers['content-type']).toContain('application/json')
    },
  )

  test('is not a page for writes', async () => {
    for (const [method, status] of [
      ['POST', 404],
      ['DELETE', 404],
    ] as const) {
      const reply = await app.inject({ method, url: '/nothing', headers: browser })
      expect([reply.statusCode, reply.json().code]).toEqual([status, 'not_found'])
    }
    const reply = await app.inject({ method: 'POST', url: '/projects/x', headers: browser })
    expect([reply.statusCode, reply.json().code]).toEqual([405, 'method_not_allowed'])
  })
})

describe('a file of the build', () => {
  test('is kept for ever', async () => {
    const { statusCode, body, headers } = await get('/assets/app-a1b2.js')
    expect([statusCode, body]).toEqual([200, script])
    expect(headers).toMatchObject({
      'cache-control': 'public, max-age=31536000, immutable',
      'content-type': 'application/javascript; charset=utf-8',
      'x-content-type-options': 'nosniff',
      vary: 'accept-encoding',
    })
  })

  // biome-ignore format: the columns are the point
  test.each([
    ['gzip, deflate, br',    'br'],
    ['gzip, deflate',        'gzip'],
    ['br;q=0, gzip',         'gzip'],
    ['identity',             undefined],
    ['zstd',                 undefined],
  ])('for Accept-Encoding `%s` is sent as %s', async (accepted, encoding) => {
    const { headers, rawPayload } = await get('/assets/app-a1b2.js', { 'accept-encoding': accepted })
    expect([headers['content-encoding'], headers['content-type'], headers.vary]).toEqual([
      encoding,
      'application/javascript; charset=utf-8',
      'accept-encoding',
    ])
    const text =
      encoding === 'br'
        ? brotliDecompressSync(rawPayload)
        : encoding === 'gzip'
          ? gunzipSync(rawPayload)
          : rawPayload
    expect(text.toString()).toBe(script)
  })

  test('without compressed copies is sent as it is', async () => {
    const { headers, body } = await get('/assets/only-plain.css', { 'accept-encoding': 'br, gzip' })
    expect([headers['content-encoding'], body]).toEqual([undefined, script])
  })

  // biome-ignore format: the columns are the point
  test.each([
    ['the folder above',            '/assets/../../secret.js'],
    ['the folder above, encoded',   '/assets/%2e%2e/%2e%2e/secret.js'],
    ['with encoded slashes',        '/assets/..%2f..%2fsecret.js'],
    ['with backslashes',            '/assets/..%5c..%5csecret.js'],
    ['encoded twice',               '/assets/%252e%252e/secret.js'],
    ['another file of the build',   '/assets/../index.html'],
    ['a hidden file',               '/assets/.hidden.js'],
    ['a folder below',              '/assets/deeper/x.js'],
    ['a compressed copy',           '/assets/app-a1b2.js.br'],
    ['a compressed copy',           '/assets/app-a1b2.js.gz'],
    ['a file of no kind',           '/assets/no-extension'],
    ['a NUL',                       '/assets/app-a1b2.js%00'],
    ['a broken escape',             '/assets/%E0%A4%A'],
    ['an absolute path',            '/assets//etc/passwd'],
    ['a folder',                    '/assets/deeper'],
    ['a name of 3,000 characters',  `/assets/${'a'.repeat(3_000)}.js`],
  ])('%s is not one', async (_what, path) => {
    const { statusCode, body } = await get(path)
    expect([400, 404]).toContain(statusCode)
    expect(JSON.parse(body)).toHaveProperty('code')
    expect(body).not.toContain('secret')
  })

  test('is the icon, whose name never changes, for an hour', async () => {
    const { statusCode, body, headers } = await get('/favicon.svg')
    expect([statusCode, body, headers['content-type'], headers['cache-control']]).toEqual([
      200,
      '<svg/>',
      'image/svg+xml',
      'public, max-age=3600',
    ])
  })
})

test('without a build, the page says how to make one, and the API works', async () => {
  const page = await get('/', browser, unbuilt)
  expect([page.statusCode, page.headers['content-type']]).toEqual([503, 'text/html; charset=utf-8'])
  expect(page.body).toContain('npm run build')
  expect((await get('/nothing', browser, unbuilt)).statusCode).toBe(404)
  expect((await get('/assets/app.js', browser, unbuilt)).statusCode).toBe(404)
  expect((await get('/favicon.svg', {}, unbuilt)).statusCode).toBe(404)
  expect((await get('/health', {}, unbuilt)).json()).toEqual({ status: 'ok' })
})

test('no other GET route has a first segment of the dashboard', () => {
  const urls = checkedRoutes(app)
    .filter(({ method }) => method === 'GET')
    .map(({ url }) => url)
  const taken = urls.filter((url) => dashboardSegments.some((own) => url.split('/')[1] === own))
  expect(taken.sort()).toEqual(dashboardSegments.flatMap((own) => [`/${own}`, `/${own}/*`]).sort())
})
