import { describe, expect, test } from 'vitest'
import { apiOfThisFile } from '../../../test/fixtures/api-fixture.ts'
import { addDraft, openDesk } from '../../../test/fixtures/campaign-desk.ts'
import { previewPolicy } from './preview-look.ts'

const api = apiOfThisFile()

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
    ['an unknown scheme', '?scheme=blue', 400],
    ['a contact that is no id', '?contactId=x', 400],
    ['a contact that does not exist', '?contactId=019ab2c4-7f00-7c3e-9d41-5b0f5f7a9e10', 404],
  ])('is refused with %s', async (_name, query, status) => {
    const { reply } = await open(query)
    expect(reply.status).toBe(status)
    expect(reply.headers['content-security-policy']).toContain("frame-ancestors 'none'")
  })

  test('of a scheduled campaign is the frozen email, with direct links', async () => {
    const desk = await openDesk(api(), { track_clicks: true, track_opens: true })
    const markdown = 'Hello {{name | there}}, [read more](https://example.com/a?b=1&c=2).'
    const { body } = await addDraft(desk, { markdown, html: undefined })
    const path = `/api/v1/admin/email/campaigns/${body.id}`
    const scheduled = await api().call(`${path}/send`, {
      method: 'POST',
      login: desk.login,
      body: { scheduledAt: new Date(Date.now() + 3_600_000).toISOString(), force: true },
    })
    expect(scheduled.status).toBe(200)
    await api().pool.query("update newsletters set footer = 'A footer of later'")
    const frozen = await api().call(`${path}/preview.html`, { login: desk.login })
    expect(frozen.body).toContain('Hello there')
    expect(frozen.body).toContain('href="https://example.com/a?b=1&amp;c=2"')
    expect(frozen.body).not.toContain('A footer of later')
    expect(frozen.body).not.toContain('/c/preview')
    const cancelled = await api().call(`${path}/cancel`, { method: 'POST', login: desk.login })
    expect(cancelled.body.state).toBe('draft')
    const draft = await api().call(`${path}/preview.html`, { login: desk.login })
    expect(draft.body).toContain('A footer of later')
  })

  test('needs a login', async () => {
    const { path } = await open()
    expect((await api().call(path)).status).toBe(401)
  })
})
