import { describe, expect, test } from 'vitest'
import { apiOfThisFile } from '../../../test/fixtures/api-fixture.ts'
import { addDraft, openDesk } from '../../../test/fixtures/campaign-desk.ts'
import { asScheme, previewPolicy, withoutImages } from './preview-document.ts'

const api = apiOfThisFile()

describe('the color scheme of a preview', () => {
  const css = '@media (prefers-color-scheme:dark){a{}} @media ( Prefers-Color-Scheme : light ){b{}}'

  test.each([
    ['dark', '@media (min-width: 0){a{}} @media (max-width: 0){b{}}'],
    ['light', '@media (max-width: 0){a{}} @media (min-width: 0){b{}}'],
  ] as const)('%s applies its own media queries alone', (scheme, wanted) => {
    expect(asScheme(css, scheme)).toBe(wanted)
  })

  test('replaces the schemes that the email supports', () => {
    const given = '<meta name="color-scheme" content="light dark">'
    expect(asScheme(given, 'dark')).toBe('<meta name="color-scheme" content="dark">')
  })
})

test.each([
  ['block', 'img-src data:;'],
  ['load', 'img-src https: http: data:;'],
] as const)('a policy that %ss images allows no script', (images, wanted) => {
  const policy = previewPolicy(images)
  expect(policy).toContain(wanted)
  expect(policy).toContain("default-src 'none'")
  expect(policy).not.toMatch(/script|allow-forms|allow-top/)
})

test('images of other servers are left out, and their texts stay', () => {
  const given =
    '<img alt="A" src="https://a.test/x.png" width="2"><img src="data:image/png,x" alt="">'
  expect(withoutImages(given)).toBe('<img alt="A" width="2"><img src="data:image/png,x" alt="">')
})

describe('the document of a preview', () => {
  const hostile = [
    '<script>parent.document.title = 1</script><img src="https://tracker.test/a.png" onerror="x()">',
    '<a href="https://example.com/" target="_top">go</a><form action="/x"><button>b</button></form>',
  ].join('\n')

  async function open(query = '', parts: object = {}) {
    const desk = await openDesk(api(), { track_clicks: true, track_opens: true })
    const { body } = await addDraft(desk, parts)
    const path = `/api/v1/admin/email/campaigns/${body.id}/preview.html${query}`
    return { path, reply: await api().call(path, { login: desk.login }) }
  }

  test('is HTML with its own policy, for frames of the same origin', async () => {
    const { reply } = await open()
    expect(reply.status).toBe(200)
    expect(reply.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': previewPolicy('block'),
      'x-frame-options': 'SAMEORIGIN',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    })
    expect(reply.body).toContain('Hello there')
    expect(reply.body).toContain('<base target="_blank">')
  })

  test('contains neither scripts nor forms nor handlers', async () => {
    const { reply } = await open('?images=load&scheme=dark', { html: hostile, markdown: undefined })
    expect(reply.status).toBe(200)
    expect(reply.body).not.toMatch(/<script|onerror|<form/i)
    expect(reply.body).toContain('href="https://example.com/"')
    expect(reply.headers['content-security-policy']).toBe(previewPolicy('load'))
  })

  test.each([
    ['a scheme that is none', '?scheme=blue', 400],
    ['a contact that is no id', '?contact_id=x', 400],
    ['a contact that does not exist', '?contact_id=019ab2c4-7f00-7c3e-9d41-5b0f5f7a9e10', 404],
  ])('is refused with %s', async (_name, query, status) => {
    const { reply } = await open(query)
    expect(reply.status).toBe(status)
    expect(reply.headers['content-security-policy']).toContain("frame-ancestors 'none'")
  })

  test('needs a login', async () => {
    const { path } = await open()
    expect((await api().call(path)).status).toBe(401)
  })
})
