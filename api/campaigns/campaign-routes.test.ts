/** Campaigns over the real API: drafts and lists for programs, and administration for people. */
import { v7 as uuidv7 } from 'uuid'
import { describe, expect, test } from 'vitest'
import { apiOfThisFile } from '../../test/fixtures/api-fixture.ts'
import {
  addContact,
  addDraft,
  draft,
  openDesk,
  startSending,
} from '../../test/fixtures/campaign-desk.ts'

const api = apiOfThisFile()

describe('a draft over the email API', () => {
  test('is created with its slug and its address in the archive', async () => {
    const desk = await openDesk(api())
    const reply = await addDraft(desk)
    expect(reply).toMatchObject({
      status: 201,
      body: {
        archiveSlug: 'first-issue',
        url: `http://127.0.0.1:8031/archive/${desk.slug}/first-issue`,
      },
    })
    expect((await addDraft(desk)).body.archiveSlug).toBe('first-issue-2')
  })

  test('has no url if the archive is off', async () => {
    const reply = await addDraft(await openDesk(api(), { archive_enabled: false }))
    expect(reply.status).toBe(201)
    expect(Object.keys(reply.body).sort()).toEqual(['archiveSlug', 'id'])
  })

  test('with the same subject at the same time becomes two drafts with different slugs', async () => {
    const desk = await openDesk(api())
    const replies = await Promise.all([1, 2, 3, 4].map(() => addDraft(desk)))
    expect(replies.map(({ status }) => status)).toEqual([201, 201, 201, 201])
    expect(new Set(replies.map(({ body }) => body.archiveSlug)).size).toBe(4)
  })

  // biome-ignore format: the columns are the point
  test.each([
    ['no subject',                     { subject: undefined },                                    400, 'validation_failed', 'subject'],
    ['a blank subject',                { subject: '  ' },                                         400, 'validation_failed', 'subject'],
    ['a subject of 256 characters',    { subject: 's'.repeat(256) },                              400, 'validation_failed', 'subject'],
    ['a preview of 256 characters',    { previewText: 's'.repeat(256) },                          400, 'validation_failed', 'previewText'],
    ['neither html nor markdown',      { markdown: undefined },                                   400, 'validation_failed', 'html'],
    ['a blank markdown',               { markdown: ' \n' },                                       400, 'validation_failed', 'html'],
    ['both html and markdown',         { html: '<p>x</p>' },                                      400, 'validation_failed', 'html'],
    ['a number as markdown',           { markdown: 7 },                                           400, 'validation_failed', 'markdown'],
    ['more than 1 MiB',                { markdown: 'x'.repeat(1024 * 1024 + 1) },                 400, 'validation_failed', 'markdown'],
    ['more than the body may have',    { markdown: 'x'.repeat(4 * 1024 * 1024) },                 413, 'body_too_large', undefined],
    ['a slug in capitals',             { archiveSlug: 'First' },                                  400, 'validation_failed', 'archiveSlug'],
    ['a slug with two hyphens',        { archiveSlug: 'a--b' },                                   400, 'validation_failed', 'archiveSlug'],
    ['a slug of 101 characters',       { archiveSlug: 'a'.repeat(101) },                          400, 'validation_failed', 'archiveSlug'],
    ['a slug of the archive itself',   { archiveSlug: 'feed' },                                   400, 'validation_failed', 'archiveSlug'],
    ['1,001 placeholders',             { markdown: '{{name}} '.repeat(1_001) },                   400, 'validation_failed', 'markdown'],
    ['an unknown newsletter',          { newsletter: 'nothing' },                                 404, 'newsletter_not_found', undefined],
    ['no newsletter',                  { newsletter: undefined },                                 400, 'validation_failed', 'newsletter'],
  ] as const)('is refused with %s', async (_name, parts, status, code, field) => {
    const reply = await addDraft(await openDesk(api()), parts)
    expect(reply).toMatchObject({ status, body: { code } })
    expect(reply.body.details?.[0]?.field).toBe(field)
  })

  test('is refused with a slug that is taken, and counts blank ones as missing', async () => {
    const desk = await openDesk(api())
    expect((await addDraft(desk, { archiveSlug: 'x' })).status).toBe(201)
    const taken = await addDraft(desk, { archiveSlug: 'x' })
    expect(taken).toMatchObject({ status: 409, body: { code: 'archive_slug_taken' } })
    expect(await addDraft(desk, { archiveSlug: ' ', html: ' ', previewText: '' })).toMatchObject({
      status: 201,
      body: { archiveSlug: 'first-issue' },
    })
    expect((await addDraft(desk, { archiveSlug: 'a'.repeat(100) })).status).toBe(201)
  })

  test('that is requested twice with one Idempotency-Key is created once', async () => {
    const desk = await openDesk(api())
    const once = { ...desk, key: { ...desk.key, 'idempotency-key': 'november' } }
    const first = await addDraft(once)
    const again = await addDraft(once)
    expect(again).toMatchObject({ status: 201, body: first.body })
    expect(again.headers['idempotent-replayed']).toBe('true')
    expect(await addDraft(once, { subject: 'Other' })).toMatchObject({
      status: 422,
      body: { code: 'idempotency_key_reused' },
    })
  })

  test('needs a key, and a key of the newsletter’s organization', async () => {
    const [desk, other] = [await openDesk(api()), await openDesk(api())]
    expect((await addDraft({ ...desk, key: {} })).body.code).toBe('missing_key')
    const strange = await addDraft({ ...desk, key: other.key })
    expect(strange).toMatchObject({ status: 404, body: { code: 'newsletter_not_found' } })
  })
})

describe('the list of sent campaigns', () => {
  test('lists campaigns whose sending began, newest first, and no drafts', async () => {
    const desk = await openDesk(api())
    const sent = await addDraft(desk, { previewText: 'Soon' })
    await addDraft(desk, { subject: 'A draft' })
    await startSending(desk, sent.body.id)
    const list = (query: string) =>
      api().call(`/api/v1/campaigns?newsletter=${desk.slug}${query}`, { headers: desk.key })
    expect((await list('')).body).toEqual({
      campaigns: [
        {
          id: sent.body.id,
          subject: 'First issue',
          previewText: 'Soon',
          archiveSlug: 'first-issue',
          url: sent.body.url,
          sentAt: '2026-11-21T01:00:00.000Z',
        },
      ],
      hasMore: false,
      total: 1,
    })
    expect((await list('&offset=1')).body).toEqual({ campaigns: [], hasMore: false, total: 1 })
    expect((await list('&limit=0')).status).toBe(400)
    expect((await list('&limit=101')).status).toBe(400)
    expect((await list('&offset=-1')).status).toBe(400)
    const { body } = await list('&ofset=1')
    expect(body.error).toBe('`ofset`: unknown field. Did you mean `offset`?')
  })

  test('needs a newsletter of the caller', async () => {
    const desk = await openDesk(api())
    const headers = desk.key
    const list = (query: string) => api().call(`/api/v1/campaigns${query}`, { headers })
    expect((await list('')).body.details[0].field).toBe('newsletter')
    expect((await list('?newsletter=nothing')).body.code).toBe('newsletter_not_found')
    expect((await list('?newsletter=a%00b')).body.code).toBe('validation_failed')
  })
})

describe('a draft in the dashboard', () => {
  test('is created, changed, duplicated and deleted; other organizations do not see it', async () => {
    const [desk, other] = [await openDesk(api()), await openDesk(api())]
    const { login } = desk
    const call = (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: unknown) =>
      api().call(`/api/v1/admin/email/campaigns${path}`, { method, login, body })
    const made = await call('POST', '', { newsletter: desk.slug, ...draft })
    expect(made).toMatchObject({ status: 201, body: { state: 'draft', createdBy: login.email } })
    const path = `/${made.body.id}`
    const changed = await call('PATCH', path, { subject: 'Second', html: '<p>x</p>' })
    expect(changed.body).toMatchObject({ subject: 'Second', html: '<p>x</p>', markdown: null })
    expect((await call('PATCH', path, { html: null })).body.details[0].field).toBe('html')
    const copy = await call('POST', `${path}/duplicate`)
    expect(copy.body).toMatchObject({ archiveSlug: 'second', html: '<p>x</p>' })
    expect((await call('PATCH', path, { archiveSlug: 'second' })).body.code).toBe(
      'archive_slug_taken',
    )
    const list = await call('GET', `?newsletter=${desk.slug}&limit=1`)
    expect(list.body.items).toMatchObject([{ id: copy.body.id }])
    const rest = await call('GET', `?limit=1&cursor=${list.body.next_cursor}`)
    expect(rest.body).toMatchObject({ items: [{ id: made.body.id }], next_cursor: null })
    const strange = await api().call(`/api/v1/admin/email/campaigns${path}`, { login: other.login })
    expect(strange.status).toBe(404)
    expect((await call('DELETE', path)).status).toBe(204)
    expect((await call('GET', path)).status).toBe(404)
  })

  test('cannot change once it is sent', async () => {
    const desk = await openDesk(api())
    const { body } = await addDraft(desk)
    await startSending(desk, body.id)
    const path = `/api/v1/admin/email/campaigns/${body.id}`
    const { login } = desk
    const change = { method: 'PATCH', login, body: { subject: 'Other' } } as const
    expect(await api().call(path, change)).toMatchObject({
      status: 409,
      body: { code: 'conflict' },
    })
    expect((await api().call(path, { method: 'DELETE', login })).status).toBe(409)
  })

  test('is previewed for a contact, and with changes that are not saved', async () => {
    const desk = await openDesk(api())
    const { body } = await addDraft(desk, { markdown: 'Hi {{name}} of {{attr.city | town}}' })
    const { login } = desk
    const preview = (parts: object) =>
      api().call(`/api/v1/admin/email/campaigns/${body.id}/preview`, {
        method: 'POST',
        login,
        body: parts,
      })
    const { contactId } = await addContact(desk)
    const blank = await preview({ contactId })
    expect(blank.body).toMatchObject({ subject: 'First issue', missing: ['name', 'attr.city'] })
    expect(blank.body.text).toContain('Hi  of town')
    const ada = await preview({ name: '<Ada>', draft: { subject: 'For {{name}} {{foo}}' } })
    expect(ada.body.subject).toBe('For <Ada> {{foo}}')
    expect(ada.body.html).toContain('Hi &lt;Ada&gt; of town')
    expect(ada.body.warnings[0]).toContain('{{foo}}')
    expect((await preview({ contactId: uuidv7() })).status).toBe(404)
  })

  test('is checked before it is sent', async () => {
    const desk = await openDesk(api())
    const markdown = '{{attr.city}} [x](relative) [y](https://{{attr.host}}/a)'
    const { body } = await addDraft(desk, { markdown })
    const { login } = desk
    const path = `/api/v1/admin/email/campaigns/${body.id}/preflight`
    expect((await api().call(path, { login })).body).toMatchObject({ ready: false })
    const { addressId } = await addContact(desk)
    await addContact(desk)
    await api().pool.query(
      `update addresses set suppressed_at = now(), suppression_cause = 'hard' where id = $1`,
      [addressId],
    )
    const ready = await api().call(path, { login })
    expect(ready.body).toMatchObject({
      ready: true,
      audience: { subscribed: 2, suppressed: 1, receiving: 1 },
    })
    const sentences = Object.fromEntries(
      ready.body.checks.map((check: { name: string; sentence: string }) => [
        check.name,
        check.sentence,
      ]),
    )
    expect(sentences['links']).toBe('Links that lead nowhere: "relative".')
    expect(sentences['values']).toContain('2 subscribers have no value for {{attr.')
  })

  test('is sent to oneself', async () => {
    const desk = await openDesk(api(), { track_clicks: true })
    const { body } = await addDraft(desk)
    const { login } = desk
    const path = `/api/v1/admin/email/campaigns/${body.id}/test`
    const sent = await api().call(path, { method: 'POST', login, body: { name: 'Ada' } })
    expect(sent).toMatchObject({ status: 200, body: { to: login.email, status: 'queued' } })
    const { rows } = await api().pool.query('select * from sends where id = $1', [sent.body.id])
    expect(rows[0]).toMatchObject({ kind: 'test', subject: '[Test] First issue', priority: 2 })
    expect(rows[0].text).toContain('Hello Ada')
    const wrong = await api().call(path, { method: 'POST', login, body: { to: 'nobody' } })
    expect(wrong.body.details[0].field).toBe('to')
  })
})

describe('a draft that two people edit', () => {
  async function edited() {
    const desk = await openDesk(api())
    const { body } = await addDraft(desk)
    const path = `/api/v1/admin/email/campaigns/${body.id}`
    const { login } = desk
    const change = (parts: object) => api().call(path, { method: 'PATCH', login, body: parts })
    const { updatedAt } = (await api().call(path, { login })).body
    return { desk, id: body.id as string, change, updatedAt }
  }

  test('is not overwritten by the one who read it earlier', async () => {
    const { change, updatedAt } = await edited()
    api().time.nowMs += 1_000
    const first = await change({ subject: 'Of Ada', ifUpdatedAt: updatedAt })
    expect(first).toMatchObject({ status: 200, body: { subject: 'Of Ada' } })
    expect(await change({ subject: 'Of Bob', ifUpdatedAt: updatedAt })).toMatchObject({
      status: 409,
      body: { code: 'changed_meanwhile' },
    })
    const next = { subject: 'Of Bob', ifUpdatedAt: first.body.updatedAt }
    expect(await change(next)).toMatchObject({ status: 200, body: { subject: 'Of Bob' } })
    expect((await change({ subject: 'Without a time' })).status).toBe(200)
  })

  test('names its state before the time of the change', async () => {
    const { desk, id, change, updatedAt } = await edited()
    await startSending(desk, id)
    expect(await change({ subject: 'x', ifUpdatedAt: updatedAt })).toMatchObject({
      status: 409,
      body: { code: 'conflict' },
    })
  })

  test('has one entry of the log for many saved changes of the same fields', async () => {
    const { desk, id, change } = await edited()
    for (const markdown of ['a', 'b', 'c']) await change({ markdown })
    await change({ subject: 'x' })
    const { rows } = await api().pool.query(
      `select details from audit_log where organization_id = $1 and subject_id = $2 order by id`,
      [desk.tenant.organizationId, id],
    )
    expect(rows.map(({ details }) => details.fields)).toEqual([['markdown'], ['subject']])
  })
})

test('lists of several states, with the counts of those whose sending has begun', async () => {
  const desk = await openDesk(api())
  const { body: draftOf } = await addDraft(desk)
  const { body: sending } = await addDraft(desk)
  await startSending(desk, sending.id)
  await api().pool.query(
    `insert into campaign_counts (campaign_id, audience, waiting, sent, opens, opens_machine)
     values ($1, 3, 1, 2, 5, 4), ($2, 1, 1, 0, 0, 0)`,
    [sending.id, draftOf.id],
  )
  const { login } = desk
  const list = (states: string) =>
    api().call(`/api/v1/admin/email/campaigns?state=${states}`, { login })
  const both = await list('draft,sending')
  const counts = new Map(
    both.body.items.map((item: { id: string; counts: object }) => [item.id, item.counts]),
  )
  expect(counts.get(draftOf.id)).toBeNull()
  expect(counts.get(sending.id)).toMatchObject({ audience: 3, waiting: 1, sent: 2, opens: 1 })
  expect((await list('paused,sent')).body.items).toEqual([])
  expect((await list('draft,nothing')).body.details[0].field).toBe('state')
})

test('results count people apart from machines, over time', async () => {
  const desk = await openDesk(api(), { track_readers: true, track_opens: true })
  const { body } = await addDraft(desk, { markdown: '[a](https://example.com/a)' })
  const { contactId } = await addContact(desk)
  const { login } = desk
  const path = `/api/v1/admin/email/campaigns/${body.id}/results`
  expect((await api().call(path, { login })).body).toMatchObject({ series: [], unsubscribes: 0 })
  await startSending(desk, body.id)
  await api().pool.query(
    `insert into tracking_hits (campaign_id, contact_id, kind, machine, at) values
       ($1, $2, 'open', false, '2026-11-21T01:10:00Z'), ($1, $2, 'open', false, '2026-11-21T01:20:00Z'),
       ($1, $2, 'open', true, '2026-11-21T01:00:01Z'), ($1, $2, 'click', false, '2026-11-21T01:21:00Z')`,
    [body.id, contactId],
  )
  await api().pool.query(
    `insert into campaign_counts (campaign_id, opens, opens_machine, clicks) values ($1, 3, 1, 1)`,
    [body.id],
  )
  await api().pool.query(
    `update contacts set status = 'unsubscribed', unsubscribed_at = '2026-11-21T01:25:00Z' where id = $1`,
    [contactId],
  )
  await api().pool.query(
    `insert into contact_events (id, contact_id, kind, via, details)
     values (gen_random_uuid(), $1, 'unsubscribed', 'one_click', $2)`,
    [contactId, JSON.stringify({ campaignId: body.id })],
  )
  const results = await api().call(path, { login })
  expect(results.body).toMatchObject({
    opens: { human: 2, total: 3 },
    clicks: { human: 1, total: 1 },
    people: { opened: 1, clicked: 1 },
    unsubscribes: 1,
    step: 'hour',
    hitsExpired: false,
  })
  expect(results.body.series[0]).toEqual({
    at: '2026-11-21T01:00:00.000Z',
    sent: 0,
    opens: 2,
    clicks: 1,
    unsubscribes: 1,
    ...{ hardBounces: 0, softBounces: 0, complaints: 0 },
  })
})
