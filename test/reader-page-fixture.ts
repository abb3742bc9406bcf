/** The pages that links of emails open, as a contact uses them. */
import { expect } from 'vitest'
import { type Answer, type ApiFixture, fixtureNowMs } from './api-fixture.ts'
import { callEmail, type MailTenant } from './email-fixture.ts'

export function readerPages(api: () => ApiFixture) {
  async function signUp(tenant: MailTenant, newsletter: string, email: string): Promise<string> {
    const body = { newsletter, email, name: 'Ada', attribs: { city: 'Rome' } }
    return (await callEmail(api(), tenant, '/contacts', { method: 'POST', body })).body.id
  }

  async function contact(id: string) {
    const { rows } = await api().pool.query('select * from contacts where id = $1', [id])
    return rows[0]
  }

  async function eventsOf(id: string) {
    const { rows } = await api().pool.query(
      'select kind, via, details from contact_events where contact_id = $1 order by at, id',
      [id],
    )
    return rows.map(({ kind, via }) => `${kind} ${via}`)
  }

  const form = (path: string, fields: Record<string, string> | [string, string][]) =>
    api().app.inject({
      method: 'POST',
      url: path,
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'user-agent': 'a browser' },
      payload: new URLSearchParams(fields).toString(),
    })

  async function atLater<T>(ms: number, work: () => Promise<T>): Promise<T> {
    api().time.nowMs = fixtureNowMs + ms
    try {
      return await work()
    } finally {
      api().time.nowMs = fixtureNowMs
    }
  }

  function expectPage(answer: Answer) {
    expect(answer.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-robots-tag': 'noindex, nofollow',
    })
    expect(answer.headers['content-security-policy']).toMatch(
      /^default-src 'none'; style-src 'sha256-/,
    )
    expect(answer.body).not.toContain('<script')
  }

  return { signUp, contact, eventsOf, form, atLater, expectPage }
}
