/**
 * Error messages for visitors: never the text of a validator, always in the language of the page.
 */
import { v7 as uuidv7 } from 'uuid'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { apiOfThisFile, type Tenant } from '../../../../test/fixtures/api-fixture.ts'
import { addIdea } from '../../../../test/fixtures/portal-fixture.ts'
import { refusalKeys } from './refusal-keys.ts'
import { refusalSentence } from './refusals.ts'
import { languageOf } from './words.ts'

const api = apiOfThisFile()
const locales = ['en', 'de', 'ar'] as const
const portals = new Map<string, { tenant: Tenant; path: string; ideaId: string }>()
let addresses = 0

beforeAll(async () => {
  for (const locale of locales) {
    const tenant = await api().tenant(`Sentences ${locale}`)
    await api().pool.query(
      'insert into portal_settings (project_id, moderation, branding) values ($1, $2, $3)',
      [tenant.project.id, 'all', JSON.stringify({ locale })],
    )
    const ideaId = await addIdea(api().pool, tenant, { title: 'Dark mode' })
    portals.set(locale, { tenant, ideaId, path: `/portal/${tenant.project.projectKey}` })
  }
})
beforeEach(() => {
  api().time.nowMs += 61_000
})

const validatorWords =
  /The field|is not valid:|expected|Expected|Too big|Too small|Invalid input|validation|must (?:be|not|have|lie)|"code"|undefined|\{count\}|NaN/

async function send(url: string, fields: Record<string, string>, headers: object = {}) {
  addresses += 1
  const { pathname } = new URL(url, 'http://here.invalid')
  const form = await api().app.inject({
    url: pathname.replace(/\/(?:vote|comments)$/, '').replace(/\/ideas\/[^/]+$/, '/suggest'),
  })
  const stamp = /name="stamp" value="([^"]+)"/.exec(form.body)?.[1] ?? ''
  api().time.nowMs += 3_000
  return api().app.inject({
    ...{ method: 'POST', url, remoteAddress: `198.51.100.${addresses}` },
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    payload: new URLSearchParams({ stamp, website: '', ...fields }).toString(),
  })
}

test('every refusal has a sentence in every language, and no two languages share one', () => {
  for (const key of refusalKeys) {
    const [code = '', field = ''] = key.split(':')
    const details = field === '' ? [] : [{ field, rule: 'x' }]
    const sentences = locales.map((locale) =>
      refusalSentence(languageOf(locale).words, { body: { code, details }, limit: 5 }),
    )
    expect(new Set(sentences).size).toBe(locales.length)
    for (const sentence of sentences) {
      expect(sentence).not.toMatch(validatorWords)
      expect(sentence.length).toBeGreaterThan(10)
    }
  }
  const { words } = languageOf('de')
  expect(refusalSentence(words, { body: { code: 'constructor' }, limit: 1 })).toBe(words.failed)
  expect(refusalSentence(words, { body: {}, limit: undefined })).toBe(words.failed)
})

describe.each(locales)('in %s', (locale) => {
  const { words } = languageOf(locale)
  const portal = () => portals.get(locale)!
  const long = 'x'.repeat(10_001)

  // biome-ignore format: the columns are the point
  test.each([
    ['a blank title',        '/suggest',        { title: ' ', description: 'x' },          'validation_failed:title'],
    ['an invisible title',   '/suggest',        { title: '\u3164\u200b', description: 'x' }, 'validation_failed:title'],
    ['a title too long',     '/suggest',        { title: long.slice(0, 300), description: 'x' }, 'validation_failed:title'],
    ['no description',       '/suggest',        { title: 'x' },                            'validation_failed:description'],
    ['a description too long', '/suggest',      { title: 'x', description: long },         'validation_failed:description'],
    ['an odd address',       '/suggest',        { title: 'x', description: 'x', enduser_email: 'nope' }, 'validation_failed:enduser_email'],
    ['a blank comment',      '/ideas/ID/comments', { body: '\u2800' },                     'validation_failed:body'],
    ['a comment too long',   '/ideas/ID/comments', { body: long },                         'validation_failed:body'],
    ['an unknown parent',    '/ideas/ID/comments', { body: 'x', parent_id: uuidv7() },     'validation_failed:parent_id'],
    ['no such parent',       '/ideas/ID/comments', { body: 'x', parent_id: 'x' },          'validation_failed:parent_id'],
  ] as const)('%s', async (_name, below, fields, key) => {
    const { path, ideaId } = portal()
    const answer = await send(`${path}${below.replace('ID', ideaId)}`, fields)
    expect(answer.statusCode).toBe(400)
    expect(answer.body).toContain(`role="alert">${words.refusals[key].replace(/'/g, '&#39;')}<`)
  })

  test('malformed and too large requests get a page as well', async () => {
    const { path, ideaId } = portal()
    const url = `${path}/ideas/${ideaId}/comments`
    const large = await send(url, { body: 'x'.repeat(200_000) })
    expect([large.statusCode, large.headers['content-type']]).toEqual([
      413,
      'text/html; charset=utf-8',
    ])
    expect(large.body).toContain(words.refusals.body_too_large)
    const odd = await send(url, {}, { 'content-type': 'application/octet-stream' })
    expect([odd.statusCode, odd.headers['content-type']]).toEqual([415, 'text/html; charset=utf-8'])
    expect(odd.body).toContain(words.failed)
  })

  test('a refusal by rate names the limit and has Retry-After', async () => {
    const { path, ideaId } = portal()
    const vote = (remoteAddress: string) =>
      api().app.inject({
        ...{ method: 'POST', url: `${path}/ideas/${ideaId}/vote`, remoteAddress },
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        payload: 'want=vote',
      })
    let last = await vote('198.51.100.250')
    for (let number = 0; number < 5; number += 1) last = await vote('198.51.100.250')
    expect(last.statusCode).toBe(429)
    expect(Number(last.headers['retry-after'])).toBeGreaterThan(0)
    expect(last.body).toContain(words.refusals['rate_limited:vote'].replace('{count}', '5'))
    expect(last.body.replace(/data-refusals="[^"]*"/, '')).not.toMatch(validatorWords)
  })

  test('a pending idea is visible to its author only, with a note', async () => {
    const { path } = portal()
    const sent = await send(`${path}/suggest`, { title: `Mine ${locale}`, description: 'x' })
    const cookie = String(sent.headers['set-cookie']).split(';', 1)[0]!
    const url = String(sent.headers.location)
    const own = await api().app.inject({ url, headers: { cookie } })
    expect(own.statusCode).toBe(200)
    expect(own.body).toContain(words.pendingNote)
    expect(own.body).toContain(`<span>${words.pendingEvent}</span>`)
    const list = await api().app.inject({ url: path, headers: { cookie } })
    expect(list.body).toContain(`Mine ${locale}`)
    expect(list.body).toContain(words.pendingNote)
    const comment = await send(`${url}/comments`, { body: 'More of it' }, { cookie })
    expect(comment.statusCode).toBe(303)
    const again = await api().app.inject({ url, headers: { cookie } })
    expect(again.body).toContain(words.pendingCommentNote)
    // A script says it in a header where cookies are kept back.
    const visitorId = cookie.split('=')[1]!
    const framed = await api().app.inject({ url, headers: { 'x-sluice-reader': visitorId } })
    expect(framed.statusCode).toBe(200)

    for (const headers of [
      {},
      { cookie: `sluice_reader=${uuidv7()}` },
      { 'x-sluice-reader': uuidv7() },
    ]) {
      expect((await api().app.inject({ url, headers })).statusCode).toBe(404)
      expect((await api().app.inject({ url: path, headers })).body).not.toContain(`Mine ${locale}`)
    }
    const base = `/api/v1/p/${portal().tenant.project.projectKey}/ideas/${url.split('/').at(-1)}`
    for (const below of ['', '/timeline', '/comments']) {
      expect((await api().app.inject({ url: `${base}${below}` })).statusCode).toBe(404)
      expect(
        (await api().app.inject({ url: `${base}${below}?enduser_id=${visitorId}` })).statusCode,
      ).toBe(200)
    }
  })
})
