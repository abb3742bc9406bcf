/** The pages behind the links in alert emails, and the list of what a person has stopped. */
import { v7 as uuidv7 } from 'uuid'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  type AlertStopKind,
  alertStopPath,
  formatAlertStopToken,
} from '#schemas/alert-stop-token.ts'
import { AlertStopList } from '#schemas/rest/alerts/alert-stop.ts'
import { apiOfThisFile, type PersonLogin, type Tenant } from '../../../test/fixtures/api-fixture.ts'

const api = apiOfThisFile()
let tenant: Tenant
let login: PersonLogin
let ruleId: string
let issueId: string
const title = '<b>Error</b> & \u202eevil'

beforeAll(async () => {
  tenant = await api().tenant('Shop')
  login = await api().login(tenant, 'viewer')
  ruleId = await addRule(tenant)
  issueId = await api().addIssue(tenant, { title })
})

async function addRule({ project }: Tenant): Promise<string> {
  const id = uuidv7()
  await api().pool.query(
    `insert into alert_rules (id, project_id, name, conditions, cooldown_seconds, digest_seconds)
     values ($1, $2, 'A rule', '{"when": [], "if": {}, "quiet_hours": null}', 0, 60)`,
    [id, project.dsnId],
  )
  return id
}

function pathTo(kind: AlertStopKind, subjectId: string, { personId } = login): string {
  const token = formatAlertStopToken({ kind, personId, subjectId }, (purpose, message) =>
    api().ctx.box.mac(purpose, message),
  )
  return alertStopPath(token)
}

const form = (url: string, fields: Record<string, string> = {}) =>
  api().app.inject({
    method: 'POST',
    url,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams(fields).toString(),
  })

async function stops(of = login): Promise<string[]> {
  const { status, body } = await api().call('/api/v1/me/alert-stops', { login: of })
  expect(status).toBe(200)
  return AlertStopList.parse(body).items.map(({ type, id }) => `${type} ${id}`)
}

describe.each([
  ['rule', () => ruleId, 'A rule'],
  ['issue', () => issueId, '&lt;b&gt;Error&lt;/b&gt; &amp; evil'],
] as const)('the link of %s', (kind, idOf, name) => {
  test('changes nothing when it is opened, and says what it would stop', async () => {
    const { status, body, headers } = await api().call(pathTo(kind, idOf()))
    expect(status).toBe(200)
    expect(body).toContain(`<strong><bdi>${name}</bdi></strong> of Shop`)
    expect(body).toContain('value="stop"')
    expect(body).not.toMatch(/<script|<img|@people/)
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'/)
    expect(await stops()).toEqual([])
  })

  test('stops by its button, once, and undoes it', async () => {
    const path = pathTo(kind, idOf())
    for (let time = 1; time <= 2; time += 1) {
      const stopped = await form(path, { action: 'stop' })
      expect(stopped.statusCode).toBe(200)
      expect(stopped.body).toContain('value="undo"')
    }
    expect(await stops()).toEqual([`${kind} ${idOf()}`])
    expect((await api().call(path)).body).toContain('value="undo"')
    const undone = await form(path, { action: 'undo' })
    expect(undone.body).toContain('You get these emails again')
    expect(await stops()).toEqual([])
  })

  // biome-ignore format: the columns are the point
  test.each([
    ['the exact body of RFC 8058', 'application/x-www-form-urlencoded', 'List-Unsubscribe=One-Click'],
    ['multipart', 'multipart/form-data; boundary=b', '--b\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--b--\r\n'],
    ['JSON that is broken', 'application/json', '{'],
    ['no body', undefined, undefined],
  ] as const)('stops by one click with %s', async (_name, type, payload) => {
    const answer = await api().app.inject({
      method: 'POST',
      url: pathTo(kind, idOf()),
      headers: type === undefined ? {} : { 'content-type': type },
      ...(payload === undefined ? {} : { payload }),
    })
    expect([answer.statusCode, answer.body]).toEqual([200, 'Stopped.\n'])
    expect(answer.headers['set-cookie']).toBeUndefined()
    expect(await stops()).toEqual([`${kind} ${idOf()}`])
    await form(pathTo(kind, idOf()), { action: 'undo' })
  })
})

test('a link that was changed is unknown', async () => {
  const bytes = Buffer.from(pathTo('rule', ruleId).split('/').at(-1)!, 'base64url')
  for (const at of [0, 1, 20, 40]) {
    const forged = Buffer.from(bytes)
    forged[at]! ^= 3
    const path = alertStopPath(forged.toString('base64url'))
    expect((await form(path)).statusCode).toBe(404)
    expect((await api().call(path)).status).toBe(404)
  }
  expect(await stops()).toEqual([])
})

test('a link of a person who left, or of what was deleted, stops nothing and names nothing', async () => {
  const gone = await api().login(tenant)
  await api().pool.query('delete from memberships where person_id = $1', [gone.personId])
  for (const path of [pathTo('rule', ruleId, gone), pathTo('rule', uuidv7())]) {
    const page = await api().call(path)
    expect(page.status).toBe(200)
    expect(page.body).not.toMatch(/A rule|Shop/)
    expect((await form(path, { action: 'stop' })).body).toContain('You do not get these emails')
    expect((await form(path)).body).toBe('Stopped.\n')
  }
  const { rows } = await api().pool.query('select from alert_stops')
  expect(rows).toEqual([])
})

describe('a person who is logged in', () => {
  test('lists their own stops with names, newest first, and removes them', async () => {
    await form(pathTo('rule', ruleId))
    api().time.nowMs += 1_000
    await form(pathTo('issue', issueId))
    const { body } = await api().call('/api/v1/me/alert-stops', { login })
    const project = { id: tenant.project.id, name: 'Shop' }
    expect(body.items).toMatchObject([
      { type: 'issue', id: issueId, name: title, project },
      { type: 'rule', id: ruleId, name: 'A rule', project },
    ])
    const other = await api().login(tenant)
    expect(await stops(other)).toEqual([])
    const remove = (id: string, as: PersonLogin) =>
      api().call(`/api/v1/me/alert-stops/${id}`, { method: 'DELETE', login: as })
    expect((await remove(ruleId, other)).status).toBe(404)
    expect((await remove('x', login)).status).toBe(404)
    expect((await remove(ruleId, login)).status).toBe(204)
    expect((await remove(ruleId, login)).status).toBe(404)
    expect(await stops()).toEqual([`issue ${issueId}`])
    expect((await remove(issueId, login)).status).toBe(204)
  })

  test('does not see those of another organization', async () => {
    const elsewhere = await api().tenant('Elsewhere')
    const rule = await addRule(elsewhere)
    await api().pool.query(
      `insert into memberships (organization_id, person_id, role) values ($1, $2, 'owner')`,
      [elsewhere.organizationId, login.personId],
    )
    await form(pathTo('rule', rule))
    expect(await stops()).toEqual([])
  })

  test('needs a login', async () => {
    expect((await api().call('/api/v1/me/alert-stops')).status).toBe(401)
    const { token } = tenant
    expect((await api().call('/api/v1/me/alert-stops', { token })).status).toBe(401)
  })
})
