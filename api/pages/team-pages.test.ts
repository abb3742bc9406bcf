/** The pages that links in notifications open: who sees them, and what their forms do. */
import { v7 as uuidv7 } from 'uuid'
import { beforeAll, describe, expect, test } from 'vitest'
import { feedbackPath, ideaPath, issuePath, monitorPath } from '#schemas/page-path.ts'
import {
  apiOfThisFile,
  appWithoutStores,
  at,
  type PersonLogin,
  type Tenant,
} from '../../test/fixtures/api-fixture.ts'
import { ordinaryEvent } from '../../test/fixtures/pages/issue-event.ts'
import { password, peopleOf } from '../../test/fixtures/people-fixture.ts'

const api = apiOfThisFile()
const { person, loginOf, linkTo } = peopleOf(api)
let tenant: Tenant
let member: PersonLogin
let viewer: PersonLogin

beforeAll(async () => {
  tenant = await api().tenant('Shop')
  member = await api().login(tenant, 'member')
  viewer = await api().login(tenant, 'viewer')
})

interface Page {
  readonly status: number
  readonly text: string
  readonly headers: Readonly<Record<string, unknown>>
}

async function get(path: string, login?: PersonLogin): Promise<Page> {
  const { status, body, headers } = await api().call(path, login === undefined ? {} : { login })
  return { status, text: String(body), headers }
}

async function post(
  path: string,
  fields: Readonly<Record<string, string>>,
  options: { login?: PersonLogin; headers?: Readonly<Record<string, string>> } = {},
): Promise<Page> {
  const response = await api().app.inject({
    method: 'POST',
    url: path,
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      ...(options.login === undefined ? {} : { cookie: options.login.cookie }),
      ...options.headers,
    },
    payload: new URLSearchParams(fields).toString(),
  })
  return { status: response.statusCode, text: response.body, headers: response.headers }
}

/** Sends a form of a page as the browser of the person does. */
const submit = (path: string, login: PersonLogin, fields: Readonly<Record<string, string>>) =>
  post(path, { csrf_token: login.csrf, ...fields }, { login })

const pathOf = (issueId: string, of = tenant) => issuePath(of.project.id, issueId)

async function newIssue(of = tenant): Promise<string> {
  return api().addIssue(of, { substatus: 'regressed', triage: 'regressed' })
}

async function stateOf(issueId: string) {
  return (await api().of(tenant, `/issues/${issueId}`)).body
}

test('the page of an issue has what the brief has', async () => {
  const title = "TypeError: Cannot read properties of undefined (reading 'price')"
  const facts = { title, culprit: 'priceOf', substatus: 'regressed', triage: 'regressed' } as const
  const id = await api().addIssue(tenant, {
    hashes: ['full'],
    release: '1.4.1',
    count: 42,
    ...facts,
  })
  await api().addIssue(tenant, { title: 'Error: similar', culprit: 'priceOf' })
  await api().addEvents(tenant, [
    {
      id: 'newest',
      hash: 'full',
      receivedAt: at(-2),
      title,
      release: 'shop@1.4.1',
      environment: 'production',
      tags: { queue: 'orders' },
      payload: JSON.stringify(ordinaryEvent),
    },
  ])
  const comment = { method: 'POST', body: { text: 'Seen on *two* hosts.' } } as const
  await api().of(tenant, `/issues/${id}/comments`, comment)
  const { status, text, headers } = await get(pathOf(id), member)
  expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
  for (const part of [
    'Cannot read properties of undefined (reading &#39;price&#39;)',
    'Unresolved, regressed',
    'it came back after it was resolved',
    '<strong>42</strong> events',
    'last seen 1 minute ago',
    '<bdi>shop@1.4.1</bdi>',
    'priceOf (src/cart/priceOf.ts:7:7)',
    '<span class="now"><i>42</i>  return items.find((item) =&gt; ',
    'caused by </span><bdi>ConnectionError: connect ECONNREFUSED',
    'POST https://shop.test/cart/items',
    '<span class="soft"><bdi>queue</bdi></span> <bdi>orders</bdi>',
    'info http GET /cart',
    'Seen on *two* hosts.',
    'Error: similar',
    'value="resolve"',
  ]) {
    expect(text).toContain(part)
  }
  // Frames of the application are open, the crash in a library is closed.
  expect(text.match(/<details open>/g)).toHaveLength(3)
  expect(text.match(/<details>/g)).toHaveLength(1)
})

test('every page is strict about scripts, frames, caches and referrers', async () => {
  const id = await newIssue()
  for (const page of [
    await get(pathOf(id)),
    await get(pathOf(id), member),
    await get(pathOf(uuidv7()), member),
    await post(pathOf(id), {}, { headers: { 'sec-fetch-site': 'cross-site' } }),
  ]) {
    expect(page.headers['content-security-policy']).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
    )
    expect(page.headers).toMatchObject({
      'cache-control': 'no-store',
      'referrer-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'x-robots-tag': 'noindex, nofollow',
    })
    expect(page.text).not.toMatch(
      /<script|<link|<img|javascript:|https?:\/\/(?!shop)| style=| on\w+=/,
    )
  }
})

describe('a decision', () => {
  const states = {
    resolve: { status: 'resolved', resolution: { in: 'now' } },
    resolve_next: { status: 'resolved', resolution: { in: 'next_release' } },
    ignore: { status: 'ignored', ignore_until: null },
    ignore_escalating: { status: 'ignored', ignore_until: { escalating: true } },
    review: { status: 'unresolved', substatus: 'ongoing', triage: null },
    assign_me: { status: 'unresolved', triage: null },
  } as const

  test.each(Object.entries(states))(
    '%s takes the issue out of the queue',
    async (action, state) => {
      const id = await newIssue()
      const { status, headers } = await submit(pathOf(id), member, { action })
      expect([status, headers['location']]).toEqual([303, `./${id}?done=${action}`])
      const issue = await stateOf(id)
      expect(issue).toMatchObject({ ...state, triage: null })
      expect(issue.activity[0].actor).toMatchObject({ type: 'person', label: member.email })
      const after = await get(`${pathOf(id)}?done=${action}`, member)
      expect(after.text).toContain('role="status"')
    },
  )

  test('can be undone, and shows in the page and its activity', async () => {
    const id = await newIssue()
    await submit(pathOf(id), member, { action: 'resolve_next' })
    const resolved = await get(pathOf(id), member)
    expect(resolved.text).toContain('Resolved in the next release, at 2026-11-21')
    expect(resolved.text).toContain('changed the state to resolved in the next release')
    expect(resolved.text).not.toMatch(/value="resolve"|role="status"/)
    await submit(pathOf(id), member, { action: 'reopen' })
    expect(await stateOf(id)).toMatchObject({ status: 'unresolved' })
  })

  test('assigns to the person who is logged in', async () => {
    const id = await newIssue()
    await submit(pathOf(id), member, { action: 'assign_me' })
    expect((await stateOf(id)).assignee.id).toBe(member.personId)
    expect((await get(pathOf(id), member)).text).not.toContain('value="assign_me"')
    expect((await get(pathOf(id), viewer)).text).toContain(`<bdi>${'member'}</bdi>`)
  })

  test('of a viewer is refused, and the page has no buttons for it', async () => {
    const id = await newIssue()
    const page = await get(pathOf(id), viewer)
    expect(page.status).toBe(200)
    expect(page.text).toContain('Your role can read issues, and not change them.')
    expect(page.text).not.toMatch(/value="(?:resolve|comment)"/)
    for (const action of [...Object.keys(states), 'reopen', 'comment']) {
      const refused = await submit(pathOf(id), viewer, { action, text: 'x' })
      expect([action, refused.status]).toEqual([action, 403])
      expect(refused.text).toContain('Your role does not allow this operation.')
    }
    expect(await stateOf(id)).toMatchObject({ status: 'unresolved', activity: [] })
  })

  test('that no button has is refused with the page', async () => {
    const id = await newIssue()
    for (const action of ['', 'delete', '__proto__', 'constructor']) {
      const refused = await submit(pathOf(id), member, { action })
      expect([action, refused.status]).toEqual([action, 400])
      expect(refused.text).toContain('must be a button of this page')
    }
  })
})

describe('a comment', () => {
  test('is added as it was written', async () => {
    const id = await newIssue()
    const text = '<b>One</b>\r\n\r\n  two & three'
    expect((await submit(pathOf(id), member, { action: 'comment', text })).status).toBe(303)
    expect((await stateOf(id)).activity[0].data).toEqual({ text: '<b>One</b>\n\n  two & three' })
    const page = await get(`${pathOf(id)}?done=comment`, member)
    expect(page.text).toContain('&lt;b&gt;One&lt;/b&gt;\n\n  two &amp; three')
    expect(page.text).toContain('Your comment was added.')
  })

  test.each([
    ['empty', '', 'must not be empty'],
    ['blank', ' \n ', 'white space'],
    ['too long', '<i>'.repeat(3_334), 'at most 10000 characters'],
    ['with NUL', 'a\0b', 'NUL'],
  ])('that is %s is refused', async (_name, text, rule) => {
    const id = await newIssue()
    const refused = await submit(pathOf(id), member, { action: 'comment', text })
    expect(refused.status).toBe(400)
    expect(refused.text).toContain(rule)
    expect((await stateOf(id)).activity).toEqual([])
  })

  test('that is refused is not lost', async () => {
    const text = `\n  <i>${'x'.repeat(10_000)}`
    const refused = await submit(pathOf(await newIssue()), member, { action: 'comment', text })
    expect(refused.text).toContain(
      `<textarea name="text" required maxlength="10000">\n\n  &lt;i&gt;x`,
    )
  })
})

describe('a form of another site', () => {
  test.each([
    ['cross-site', { 'sec-fetch-site': 'cross-site' }],
    ['same-site', { 'sec-fetch-site': 'same-site' }],
    ['with a foreign Origin', { origin: 'https://evil.test' }],
    ['with the Origin null', { origin: 'null' }],
    ['with a foreign Referer', { referer: 'https://evil.test/x' }],
  ])('%s is refused, also with the right token', async (_name, headers) => {
    const id = await newIssue()
    const options = { login: member, headers }
    for (const action of ['resolve', 'comment', 'logout', 'login', 'forgotten', 'switch']) {
      const fields = {
        action,
        csrf_token: member.csrf,
        text: 'x',
        email: 'a@b.test',
        password: 'x',
      }
      const refused = await post(pathOf(id), fields, options)
      expect([action, refused.status, refused.headers['set-cookie']]).toEqual([
        action,
        403,
        undefined,
      ])
      expect(refused.text).toContain('sent from a page of another site')
    }
    expect(await stateOf(id)).toMatchObject({ status: 'unresolved', activity: [] })
  })

  test('without the token of the login is refused', async () => {
    const id = await newIssue()
    for (const csrf_token of [undefined, '', viewer.csrf, `${member.csrf}x`]) {
      for (const action of ['resolve', 'comment', 'logout', 'switch']) {
        const fields = { action, text: 'x', ...(csrf_token === undefined ? {} : { csrf_token }) }
        expect((await post(pathOf(id), fields, { login: member })).status).toBe(403)
      }
    }
    expect(await stateOf(id)).toMatchObject({ status: 'unresolved', activity: [] })
    expect((await get(pathOf(id), member)).status).toBe(200)
  })
})

describe('without a login', () => {
  test('all addresses show the same form, whether or not they exist', async () => {
    const there = await get(pathOf(await newIssue()))
    expect(there.status).toBe(401)
    expect(there.text).toContain('type="password"')
    const ended = { ...member, cookie: 'sluice_login=abc' }
    for (const page of [
      await get(pathOf(uuidv7())),
      await get(issuePath(uuidv7(), uuidv7())),
      await get(monitorPath(tenant.project.id, 'nightly')),
      await get(pathOf(uuidv7()), ended),
    ]) {
      expect([page.status, page.text]).toEqual([401, there.text])
    }
  })

  test('a form changes nothing', async () => {
    const id = await newIssue()
    const page = await post(pathOf(id), { action: 'resolve', csrf_token: member.csrf })
    expect(page.status).toBe(401)
    expect(page.text).toContain('nothing was changed')
    expect(await stateOf(id)).toMatchObject({ status: 'unresolved' })
  })

  test('logging in opens the page of the address, and logging out ends the login', async () => {
    const { email } = await person(tenant, 'member')
    const id = await newIssue()
    const evil = { next: 'https://evil.test', to: '//evil.test', done: 'https://evil.test' }
    const fields = { action: 'login', email: ` ${email.toUpperCase()} `, password, ...evil }
    const path = `${pathOf(id)}?next=https://evil.test&to=//evil.test`
    const { status, headers } = await post(path, fields)
    expect([status, headers['location']]).toEqual([303, `./${id}`])
    expect(headers['set-cookie']).toMatch(
      /^sluice_login=\S+; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax$/,
    )
    const cookie = String(headers['set-cookie']).split(';', 1)[0]!
    const page = await get(pathOf(id), { personId: '', email, cookie, csrf: '' })
    expect(page.status).toBe(200)
    const csrf = /name="csrf_token" value="([^"]+)"/.exec(page.text)?.[1] ?? ''
    const login = { personId: '', email, cookie, csrf }
    const left = await submit(pathOf(id), login, { action: 'logout' })
    expect([left.status, left.headers['location']]).toEqual([303, `./${id}`])
    expect(left.headers['set-cookie']).toMatch(/^sluice_login=; Max-Age=0/)
    expect((await get(pathOf(id), login)).status).toBe(401)
    const { rows } = await api().pool.query(
      "select from audit_log where action = 'person.logged_in' and actor = $1",
      [email],
    )
    expect(rows).toHaveLength(1)
  })

  test('a wrong password shows the sentence of the API, and later the delay', async () => {
    const { email } = await person(tenant)
    const path = pathOf(uuidv7())
    const fields = { action: 'login', email, password: 'wrong"><b>' }
    const wrong = await post(path, fields)
    expect([wrong.status, wrong.headers['set-cookie']]).toEqual([401, undefined])
    expect(wrong.text).toContain('The email address or the password is wrong.')
    expect(wrong.text).toContain(`value="${email}"`)
    expect(wrong.text).not.toContain('wrong&quot;')
    for (let attempt = 0; attempt < 4; attempt += 1) await post(path, fields)
    const late = await post(path, { ...fields, password })
    expect([late.status, late.headers['retry-after']]).toEqual([429, '60'])
    expect(late.text).toContain('Too many wrong passwords: try again in 60 s.')
  })

  test('a forgotten password gets an email, and the reply is the same for every address', async () => {
    const { email } = await person(tenant)
    const path = pathOf(uuidv7())
    const sent = await post(path, { action: 'forgotten', email })
    expect(sent.text).toContain('an email with a link to choose another password is on its way')
    expect(await linkTo(email)).toMatch(/^\/welcome\//)
    const other = await post(path, { action: 'forgotten', email: 'nobody@example.com' })
    const plain = (text: string, address: string) => text.replace(address, '')
    expect(plain(other.text, 'nobody@example.com')).toBe(plain(sent.text, email))
    for (let time = 0; time < 2; time += 1) await post(path, { action: 'forgotten', email })
    const late = await post(path, { action: 'forgotten', email })
    expect(late.status).toBe(429)
    expect((await post(path, { action: 'forgotten', email: '' })).status).toBe(400)
  })

  test.each([
    ['', 'x'],
    ['a@b.test', ''],
    ['"><script>alert(1)</script>', 'x'],
    ['a@b.test', 'x'.repeat(201)],
    ['a\0@b.test', 'x'],
  ])('an email address %j and a password of this kind are refused', async (email, given) => {
    const page = await post(pathOf(uuidv7()), { action: 'login', email, password: given })
    expect([400, 401]).toContain(page.status)
    expect(page.text).toContain('role="alert"')
    expect(page.text).not.toContain('<script')
  })
})

describe('a person of another organization', () => {
  test('gets a page for ids of others as for unknown ids', async () => {
    const stranger = await api().login(await api().tenant('Stranger'), 'owner')
    const id = await newIssue()
    const there = await get(pathOf(id), stranger)
    const unknown = await get(issuePath(uuidv7(), uuidv7()), stranger)
    expect([there.status, there.text]).toEqual([404, unknown.text])
    expect(there.text).toContain('The resource was not found.')
    const refused = await submit(pathOf(id), stranger, { action: 'resolve' })
    expect([refused.status, refused.text]).toEqual([404, there.text])
    const switched = await submit(pathOf(id), stranger, { action: 'switch' })
    expect([switched.status, switched.text]).toEqual([404, there.text])
    expect(await stateOf(id)).toMatchObject({ status: 'unresolved' })
  })

  test('logs in as usual and gets the page of an unknown id', async () => {
    const { email } = await person(await api().tenant('Elsewhere'))
    const path = pathOf(await newIssue())
    const entered = await post(path, { action: 'login', email, password })
    expect(entered.status).toBe(303)
    const cookie = String(entered.headers['set-cookie']).split(';', 1)[0]!
    expect((await get(path, { personId: '', email, cookie, csrf: '' })).status).toBe(404)
  })

  test('does not find an issue below a project of their own', async () => {
    const other = await api().tenant('Own project')
    const stranger = await api().login(other, 'owner')
    const path = issuePath(other.project.id, await newIssue())
    expect((await get(path, stranger)).status).toBe(404)
    expect((await submit(path, stranger, { action: 'resolve' })).status).toBe(404)
  })
})

describe('a person of several organizations', () => {
  async function both() {
    const first = await api().tenant('First')
    const { id, email } = await person(first)
    await api().pool.query("insert into memberships values ($1, $2, 'member')", [
      tenant.organizationId,
      id,
    ])
    return email
  }

  test('is logged in to the organization of the address', async () => {
    const email = await both()
    const path = pathOf(await newIssue())
    const { headers } = await post(path, { action: 'login', email, password })
    const cookie = String(headers['set-cookie']).split(';', 1)[0]!
    expect((await get(path, { personId: '', email, cookie, csrf: '' })).status).toBe(200)
  })

  test('with a login to another one can switch', async () => {
    const login = await loginOf(await both())
    const id = await newIssue()
    const page = await get(pathOf(id), login)
    expect(page.status).toBe(404)
    expect(page.text).toContain('Switch to <bdi>Shop</bdi>')
    expect(page.text).not.toContain('Error: it broke')
    const switched = await submit(pathOf(id), login, { action: 'switch' })
    expect([switched.status, switched.headers['location']]).toEqual([303, `./${id}`])
    expect((await get(pathOf(id), login)).status).toBe(200)
  })
})

describe('a merged issue', () => {
  test('redirects to the issue that has its events', async () => {
    const from = await api().addIssue(tenant, { hashes: ['from'] })
    const into = await api().addIssue(tenant, { hashes: ['into'] })
    await api().of(tenant, `/issues/${from}/merge`, { method: 'POST', body: { into } })
    const { status, headers } = await get(pathOf(from), member)
    expect([status, headers['location']]).toEqual([303, `./${into}`])
    for (const action of ['resolve', 'comment']) {
      const form = await submit(pathOf(from), member, { action, text: 'x' })
      expect([form.status, form.headers['location']]).toEqual([303, `./${into}?done=merged`])
    }
    const page = await get(`${pathOf(into)}?done=merged`, member)
    expect(page.text).toContain('Nothing was changed')
    expect(await stateOf(into)).toMatchObject({ status: 'unresolved' })
  })
})

test.each([
  ['x', 404],
  ['%00', 400],
  [`${uuidv7()}x`, 404],
  [uuidv7().toUpperCase(), 404],
])('the id %s gets a page with the status %d', async (id, expected) => {
  const { status, headers } = await get(pathOf(id), member)
  expect([status, headers['content-type']]).toEqual([expected, 'text/html; charset=utf-8'])
})

test('while the stores are away, the form is shown, and a page says so', async () => {
  const app = await appWithoutStores()
  const path = pathOf(uuidv7())
  expect((await api().call(path, {}, app)).status).toBe(401)
  const { status, headers, body } = await api().call(path, { login: member }, app)
  expect([status, headers['retry-after']]).toEqual([503, '5'])
  expect(body).toMatch(/^<!doctype html>/)
  expect(body).toContain('Retry in a few seconds.')
  await app.close()
})

test('a confirmation that no form has is not shown', async () => {
  const id = await newIssue()
  for (const done of ['x', '__proto__', 'toString', '<b>', 'resolve&done=resolve']) {
    expect((await get(`${pathOf(id)}?done=${done}`, member)).text).not.toContain('role="status"')
  }
})

describe('the other pages', () => {
  test('a monitor', async () => {
    const { dsnId, id } = tenant.project
    const monitorId = uuidv7()
    await api().pool.query(
      `insert into monitors (id, project_id, slug, partition_hash, schedule, timezone)
       values ($1, $2, 'nightly-backup', 7, '{"type": "crontab", "value": "0 3 * * *"}', 'Europe/Berlin')`,
      [monitorId, dsnId],
    )
    await api().pool.query(
      `insert into monitor_environments (monitor_id, environment, partition_hash, last_check_in_at, incident_kind, incident_opened_at)
       values ($1, 'production', 7, $2, 'missed', $3)`,
      [monitorId, at(-90), at(-30)],
    )
    const { status, text } = await get(monitorPath(id, 'nightly-backup'), viewer)
    expect(status).toBe(200)
    for (const part of ['nightly-backup', 'Failing', '0 3 * * *', 'a run was missed']) {
      expect(text).toContain(part)
    }
    expect((await get(monitorPath(id, 'unknown'), viewer)).status).toBe(404)
    const refused = await submit(monitorPath(id, 'nightly-backup'), member, { action: 'resolve' })
    expect(refused.status).toBe(405)
    const left = await submit(monitorPath(id, 'Nightly backup'), member, { action: 'switch' })
    expect([left.status, left.headers['location']]).toEqual([303, './nightly-backup'])
  })

  test('an idea', async () => {
    const { id: projectId } = tenant.project
    const ideaId = uuidv7()
    await api().pool.query(
      'insert into portal_settings (project_id) values ($1) on conflict do nothing',
      [projectId],
    )
    await api().pool.query(
      `insert into ideas (id, project_id, title, description, created_at, updated_at)
       values ($1, $2, '<b>Dark</b> mode', '<img src=x onerror=alert(1)>', now(), now())`,
      [ideaId, projectId],
    )
    const { status, text } = await get(ideaPath(projectId, ideaId), viewer)
    expect(status).toBe(200)
    expect(text).toContain('&lt;b&gt;Dark&lt;/b&gt; mode')
    expect(text).toContain('&lt;img src=x')
    expect(text).not.toContain('<img')
    expect((await get(ideaPath(projectId, uuidv7()), viewer)).status).toBe(404)
  })

  test('a feedback item', async () => {
    const { id: projectId } = tenant.project
    const owner = await api().login(tenant, 'owner')
    const created = await api().call(`/api/v1/admin/feedback/${projectId}`, {
      method: 'POST',
      login: owner,
      body: { message: 'The <b>cart</b> forgets.', type: 'Bug' },
    })
    expect(created.status).toBe(201)
    const { status, text } = await get(feedbackPath(projectId, created.body.id), viewer)
    expect(status).toBe(200)
    expect(text).toContain('The &lt;b&gt;cart&lt;/b&gt; forgets.')
    expect((await get(feedbackPath(projectId, uuidv7()), viewer)).status).toBe(404)
  })

  test('are not found by another organization', async () => {
    const stranger = await api().login(await api().tenant('Other'), 'owner')
    const { id } = tenant.project
    for (const path of [monitorPath(id, 'nightly-backup'), ideaPath(id, uuidv7())]) {
      expect((await get(path, stranger)).status).toBe(404)
    }
  })
})
