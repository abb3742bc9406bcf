import { randomUUID } from 'node:crypto'
import { runMigrations } from 'graphile-worker'
import { beforeAll, describe, expect, test } from 'vitest'
import { accessScopes } from '#schemas/rest/access-scope.ts'
import { rulesPerProjectMax, targetsPerRuleMax } from '#schemas/rest/alerts/alert.ts'
import { apiOfThisFile, type PersonLogin, type Tenant } from '../../test/fixtures/api-fixture.ts'
import { openTarget } from '../targets/sealed-target.ts'

const api = apiOfThisFile()
let tenant: Tenant
let other: Tenant
let owner: PersonLogin

beforeAll(async () => {
  await runMigrations({ pgPool: api().pool })
  tenant = await api().tenant('Shop', accessScopes)
  other = await api().tenant('Other', accessScopes)
  owner = await api().login(tenant, 'owner')
  await api().pool.query(
    `insert into teams (id, organization_id, slug, name) values ($1, $3, 'backend', 'Backend'), ($2, $4, 'theirs', 'Theirs')`,
    [randomUUID(), randomUUID(), tenant.organizationId, other.organizationId],
  )
  await api().pool.query(
    `insert into sending_domains (id, organization_id, domain, selector, sealed_key, public_key, state, owned_at)
     values ($1, $3, 'shop.test', 's', '', '', 'verified', now()), ($2, $3, 'pending.test', 's', '', '', 'pending', null)`,
    [randomUUID(), randomUUID(), tenant.organizationId],
  )
})

const email = { type: 'email', to: ['owners'] }
const rule = { name: 'Errors', when: [{ type: 'new_issue' }], then: [email] }
const post = (body: unknown, of = tenant) => api().of(of, '/alerts', { method: 'POST', body })
const patch = (id: string, body: unknown) =>
  api().of(tenant, `/alerts/${id}`, { method: 'PATCH', body })
const get = async (id: string) => (await api().of(tenant, `/alerts/${id}`)).body
const created = async (fields: object = {}) => {
  const { status, body } = await post({ ...rule, ...fields })
  expect([status, body.code, body.message]).toEqual([201, undefined, undefined])
  return body
}
const secretsOf = async (targetId: string) => {
  const { rows } = await api().pool.query(
    'select id, shown, sealed_settings as sealed from notification_targets where id = $1',
    [targetId],
  )
  return openTarget(api().ctx.box, rows[0])
}
const slack = 'https://hooks.slack.com/services/T0/B0/secret'
const all = [
  email,
  { type: 'webhook', url: 'https://example.com/hook?a=1' },
  { type: 'slack', url: slack },
  { type: 'discord', url: 'https://discord.com/api/webhooks/1/secret' },
  { type: 'teams', url: 'https://acme.webhook.office.com/secret' },
  { type: 'telegram', bot_token: '1:secret', chat_id: '-100' },
  { type: 'ntfy', url: 'https://ntfy.sh/topic', token: 'tk_secret' },
  { type: 'pagerduty', routing_key: 'secret-routing-key' },
  { type: 'opsgenie', api_key: 'secret-key', region: 'eu' },
]

describe('a rule', () => {
  test('is created with defaults, listed, changed in parts and deleted', async () => {
    const made = await created()
    expect(made).toMatchObject({
      ...rule,
      enabled: true,
      if: {},
      then: [{ ...email, enabled: true, disabled_at: null, paused_until: null }],
      cooldown_seconds: 1_800,
      digest_seconds: 600,
      quiet_hours: null,
      muted_until: null,
      is_default: false,
      warnings: [],
    })
    expect(await get(made.id)).toEqual(made)
    const list = await api().of(tenant, '/alerts')
    expect(list.body.items).toContainEqual(made)

    const quiet_hours = { from: '22:00', to: '06:00', timezone: 'Europe/Berlin' }
    const changed = await patch(made.id, { quiet_hours, if: { level: ['fatal'] } })
    const { updated_at: _at, ...kept } = made
    expect(changed.body).toMatchObject({ ...kept, quiet_hours, if: { level: ['fatal'] } })
    // No default of a new rule overwrites what was chosen.
    expect((await patch(made.id, { name: 'Other' })).body).toMatchObject({ quiet_hours })
    expect((await patch(made.id, { quiet_hours: null })).body.quiet_hours).toBeNull()

    const gone = await api().of(tenant, `/alerts/${made.id}`, { method: 'DELETE' })
    expect(gone.status).toBe(204)
    expect((await api().of(tenant, `/alerts/${made.id}`)).status).toBe(404)
    expect((await patch(made.id, {})).status).toBe(404)
  })

  test('writes an audit entry without secrets for each change', async () => {
    const made = await created({ then: all })
    await patch(made.id, { then: [{ type: 'slack', url: `${slack}2` }], name: 'B' })
    await api().of(tenant, `/alerts/${made.id}`, { method: 'DELETE' })
    const { rows } = await api().pool.query(
      'select action, details from audit_log where subject_id = $1 order by id',
      [made.id],
    )
    expect(rows.map(({ action }) => action)).toEqual([
      'alert.created',
      'alert.changed',
      'alert.deleted',
    ])
    expect(JSON.stringify(rows)).not.toContain('secret')
  })

  test.each([
    ['that is unmuted', { muted_until: null }, true],
    ['without its quiet hours', { quiet_hours: null }, true],
    ['with another name', { name: 'Renamed' }, true],
    ['that has not fired', { muted_until: null }, false],
  ])('%s decides again when what waits is sent', async (_name, change, hasFired) => {
    const { id } = await created()
    const later = new Date(Date.now() + 86_400_000)
    if (hasFired) {
      await api().pool.query(
        `insert into alert_firings (rule_id, project_id, type, reason, cause, at) values ($1, $2, 'new_idea', '', '', now())`,
        [id, tenant.project.dsnId],
      )
    }
    await api().pool.query(
      `select graphile_worker.add_job('notify_rule', json_build_object('rule_id', $1::text), job_key := 'notify:' || $1::text, run_at := $2)`,
      [id, later],
    )
    expect((await patch(id, change)).status).toBe(200)
    const { rows } = await api().pool.query(
      'select run_at <= now() as is_due from graphile_worker.jobs where key = $1',
      [`notify:${id}`],
    )
    expect(rows).toEqual([{ is_due: hasFired }])
  })

  test('of another project is 404', async () => {
    const theirs = (await post(rule, other)).body.id
    for (const method of ['GET', 'PATCH', 'DELETE'] as const) {
      const body = method === 'PATCH' ? { body: {} } : {}
      const answer = await api().of(tenant, `/alerts/${theirs}`, { method, ...body })
      expect([method, answer.status]).toEqual([method, 404])
    }
  })

  test('needs settings:write to be written, and issues:read to be read', async () => {
    const made = await created()
    const reader = await api().tenant('Reader', ['issues:read'])
    expect((await post(rule, reader)).body.code).toBe('missing_scope')
    expect((await api().of(reader, '/alerts')).status).toBe(200)
    const preview = await api().of(reader, '/alerts/preview', { method: 'POST', body: rule })
    expect(preview.status).toBe(200)
    const path = `/api/v1/projects/${tenant.project.id}/alerts`
    const viewer = await api().login(tenant, 'viewer')
    const call = (method: 'GET' | 'POST', tail = '') =>
      api().call(`${path}${tail}`, {
        login: viewer,
        method,
        ...(method === 'POST' && { body: rule }),
      })
    expect((await call('GET', `/${made.id}`)).status).toBe(200)
    expect((await call('POST', '/preview')).status).toBe(200)
    expect((await call('POST')).status).toBe(403)
    expect((await api().call(path, { login: owner, method: 'POST', body: rule })).status).toBe(201)
  })

  test('is one of at most 100 of a project', async () => {
    const full = await api().tenant('Full', accessScopes)
    await api().pool.query(
      `insert into alert_rules (id, project_id, name, conditions, cooldown_seconds, digest_seconds)
       select gen_random_uuid(), $1, n::text, '{"when": [{"type": "new_issue"}], "if": {}, "quiet_hours": null}', 0, 600
       from generate_series(2, $2) as n`,
      [full.project.dsnId, rulesPerProjectMax],
    )
    const answers = await Promise.all([post(rule, full), post(rule, full)])
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409])
    expect((await api().of(full, '/alerts')).body.items).toHaveLength(rulesPerProjectMax)
  })
})

describe('targets', () => {
  test('show no secret but a new one of a webhook, once', async () => {
    const made = await created({ then: all })
    expect(made.then).toMatchObject([
      email,
      { type: 'webhook', url: 'https://example.com/hook?a=1' },
      { type: 'slack', url: 'https://hooks.slack.com/…' },
      { type: 'discord', url: 'https://discord.com/…' },
      { type: 'teams', url: 'https://acme.webhook.office.com/…' },
      { type: 'telegram', chat_id: '-100' },
      { type: 'ntfy', url: 'https://ntfy.sh/topic', has_token: true },
      { type: 'pagerduty' },
      { type: 'opsgenie', region: 'eu' },
    ])
    const { secret } = made.then[1]
    expect(Buffer.from(secret.replace(/^whsec_/, ''), 'base64').length).toBeGreaterThanOrEqual(24)
    const shown = JSON.stringify([await get(made.id), (await api().of(tenant, '/alerts')).body])
    expect(shown).not.toMatch(/secret/)
    expect(shown).not.toContain(secret)
    const { rows } = await api().pool.query(
      `select coalesce(encode(sealed_settings, 'escape'), '') || shown::text as text from notification_targets`,
    )
    expect(JSON.stringify(rows)).not.toMatch(/secret|whsec_/)
    for (const [index, { id }] of made.then.entries()) {
      expect((await secretsOf(id))?.target).toEqual(all[index])
    }
  })

  test('that come back as shown keep their ids and secrets', async () => {
    const made = await created({ then: all })
    const shown = await get(made.id)
    const before = await Promise.all(shown.then.map(({ id }: { id: string }) => secretsOf(id)))
    const { body } = await patch(made.id, { then: shown.then })
    expect(body.then).toEqual(shown.then)
    const after = await Promise.all(shown.then.map(({ id }: { id: string }) => secretsOf(id)))
    expect(after).toEqual(before)
    // The same from a file, which has no ids.
    const again = await patch(made.id, { then: all })
    expect(again.body.then).toEqual(shown.then)
  })

  test('are changed one by one, added and deleted', async () => {
    const made = await created({ then: all })
    const [, webhook, hook, , , telegram] = made.then
    const { body } = await patch(made.id, {
      then: [
        { id: webhook.id, type: 'webhook', url: 'https://example.com/other' },
        { id: hook.id, type: 'slack', url: `${slack}3`, enabled: false },
        { id: telegram.id, type: 'telegram', chat_id: '@ops' },
        { type: 'webhook', url: 'https://example.com/new' },
      ],
    })
    expect(body.then).toMatchObject([
      { id: webhook.id, url: 'https://example.com/other' },
      { id: hook.id, enabled: false, disabled_reason: 'A person disabled it.' },
      { id: telegram.id, chat_id: '@ops' },
      { type: 'webhook', secret: expect.stringMatching(/^whsec_/) },
    ])
    expect(body.then[0].secret).toBeUndefined()
    expect((await secretsOf(webhook.id))?.secrets).toEqual([{ value: webhook.secret }])
    expect((await secretsOf(hook.id))?.target).toEqual({ type: 'slack', url: `${slack}3` })
    expect((await secretsOf(telegram.id))?.target).toMatchObject({ bot_token: '1:secret' })
    const { rows } = await api().pool.query('select from notification_targets where rule_id = $1', [
      made.id,
    ])
    expect(rows).toHaveLength(4)
  })

  test('are enabled again after the circuit breaker or a 410', async () => {
    const made = await created({ then: [all[1]] })
    const { id } = made.then[0]
    await api().pool.query(
      `update notification_targets set disabled_at = now(), disabled_reason = 'It answered 410.', failures = 9,
         open_until = now() + interval '1 hour' where id = $1`,
      [id],
    )
    const stopped = await get(made.id)
    expect(stopped.then[0]).toMatchObject({ enabled: false, disabled_reason: 'It answered 410.' })
    expect(stopped.warnings).toEqual([
      { field: 'then.0', rule: 'is disabled: It answered 410.' },
      { field: 'then', rule: 'reaches nobody: every target is disabled' },
    ])
    const { body } = await patch(made.id, { then: [{ id, type: 'webhook', enabled: true }] })
    expect(body.then[0]).toMatchObject({ id, enabled: true, disabled_reason: null })
    expect(body.warnings).toEqual([])
  })

  test('never send a stored token to another server', async () => {
    const made = await created({ then: [all[6]] })
    const [{ id }] = made.then
    const move = (more: object) =>
      patch(made.id, { then: [{ id, type: 'ntfy', url: 'https://evil.example/topic', ...more }] })
    const refused = await move({})
    expect([refused.status, refused.body.details[0].field]).toEqual([400, 'then.0.token'])
    expect((await move({ token: null })).body.then[0]).toMatchObject({ has_token: false })
    expect((await secretsOf(id))?.target).toEqual({
      type: 'ntfy',
      url: 'https://evil.example/topic',
    })
  })

  test('of webhooks rotate their secret: the old one signs along for a day', async () => {
    const made = await created({ then: [all[1], all[2]] })
    const [{ id, secret }] = made.then
    const rotate = (body?: unknown) =>
      api().of(tenant, `/alerts/${made.id}/rotate-secret`, {
        method: 'POST',
        ...(body ? { body } : {}),
      })
    const first = await rotate()
    const until = new Date(api().time.nowMs + 86_400_000).toISOString()
    expect([first.status, first.body]).toEqual([
      200,
      { target_id: id, secret: expect.stringMatching(/^whsec_/), previous_secret_until: until },
    ])
    expect(first.body.secret).not.toBe(secret)
    const after = [{ value: first.body.secret }, { value: secret, until }]
    expect((await secretsOf(id))?.secrets).toEqual(after)
    const second = await rotate({ target_id: id })
    expect((await secretsOf(id))?.secrets).toEqual([
      { value: second.body.secret },
      { value: first.body.secret, until },
    ])
    const wrong = await rotate({ target_id: made.then[1].id })
    expect([wrong.status, wrong.body.details[0].field]).toEqual([400, 'target_id'])
    const several = await created({ then: [all[1], { ...all[1], url: 'https://example.com/b' }] })
    const path = `/alerts/${several.id}/rotate-secret`
    const unnamed = await api().of(tenant, path, { method: 'POST' })
    expect([unnamed.status, unnamed.body.details[0].field]).toEqual([400, 'target_id'])
  })

  test('whose settings cannot be decrypted can be written again', async () => {
    const made = await created({ then: [all[1]] })
    const [{ id }] = made.then
    await api().pool.query(
      `update notification_targets set sealed_settings = '\\x00' where id = $1`,
      [id],
    )
    const path = `/alerts/${made.id}/rotate-secret`
    expect((await api().of(tenant, path, { method: 'POST' })).status).toBe(409)
    const then = [{ id, type: 'webhook', url: 'https://example.com/again' }]
    const { body } = await patch(made.id, { then })
    expect(body.then[0]).toMatchObject({ id, secret: expect.stringMatching(/^whsec_/) })
  })
})

describe('recipients', () => {
  test('are people, teams and verified domains of the organization', async () => {
    const { body } = await post({
      ...rule,
      then: [
        {
          type: 'email',
          to: [
            'owners',
            'assignee',
            'team:Backend',
            owner.personId,
            owner.email,
            'On-Call@SHOP.test',
            'owners',
          ],
        },
      ],
    })
    expect(body.then[0].to).toEqual([
      'owners',
      'assignee',
      'team:backend',
      owner.personId,
      owner.email,
      'On-Call@shop.test',
    ])
  })

  test('that left are flagged, and do not stop a change', async () => {
    const member = await api().login(tenant, 'member')
    const to = [member.personId, member.email, 'team:backend', owner.email]
    const made = await created({ then: [{ type: 'email', to }] })
    await api().pool.query('delete from memberships where person_id = $1', [member.personId])
    await api().pool.query(`delete from teams where slug = 'backend'`)
    const { body } = await patch(made.id, { then: made.then, name: 'Still' })
    expect(body.warnings.map(({ field }: { field: string }) => field)).toEqual([
      'then.0.to.0',
      'then.0.to.1',
      'then.0.to.2',
    ])
    const added = [...to, 'stranger@elsewhere.test']
    const refused = await patch(made.id, { then: [{ ...made.then[0], to: added }] })
    expect(refused.body.details).toEqual([
      { field: 'then.0.to.4', rule: expect.stringMatching(/sending domain/) },
    ])
  })
})

const deep = (levels: number): unknown => (levels === 0 ? 1 : [deep(levels - 1)])
const strange: readonly (readonly [name: string, value: unknown])[] = [
  ['null', null],
  ['a number', 1e308],
  ['a negative number', -1],
  ['a fraction', 0.5],
  ['an empty text', ''],
  ['a long text', 'x'.repeat(5_000)],
  ['NUL', 'a\0b'],
  ['a lone surrogate', 'a\ud800b'],
  ['true', true],
  ['an empty list', []],
  ['a long list', Array(200).fill('x')],
  ['a deep list', deep(40)],
  ['an object', { a: 1 }],
  ['an unknown type', [{ type: 'carrier_pigeon' }]],
]
/** Values of the table that are valid in a field. */
const valid: Readonly<Record<string, readonly string[]>> = {
  name: [],
  enabled: ['true'],
  when: [],
  if: [],
  then: [],
  cooldown_seconds: [],
  digest_seconds: [],
  quiet_hours: ['null'],
  muted_until: ['null'],
  'if.environment': [],
  'if.tags': [],
  // A text of any length up to the limit of a query.
  'if.query': ['an empty text'],
  'if.unresolved': ['true'],
  'then.0.to': [],
  'then.0.url': [],
  'quiet_hours.timezone': [],
  'quiet_hours.days': [],
}
const within: Readonly<Record<string, (value: unknown) => object>> = {
  'if.environment': (environment) => ({ if: { environment } }),
  'if.tags': (tags) => ({ if: { tags } }),
  'if.query': (query) => ({ if: { query } }),
  'if.unresolved': (unresolved) => ({ if: { unresolved } }),
  'then.0.to': (to) => ({ then: [{ type: 'email', to }] }),
  'then.0.url': (url) => ({ then: [{ type: 'webhook', url }] }),
  'quiet_hours.timezone': (timezone) => ({ quiet_hours: { from: '22:00', to: '06:00', timezone } }),
  'quiet_hours.days': (days) => ({ quiet_hours: { from: '22:00', to: '06:00', days } }),
}

test.each(Object.keys(valid))(
  'hostile values of %s are refused, and the field is named',
  async (field) => {
    const top = field.split('.')[0]!
    const made = await created()
    for (const [name, value] of strange) {
      api().time.nowMs += 1_000
      const fields = within[field]?.(value) ?? { [field]: value }
      for (const answer of [await post({ ...rule, ...fields }), await patch(made.id, fields)]) {
        const expected = valid[field]!.includes(name) ? [200, 201] : [400]
        expect([field, name, expected.includes(answer.status), answer.body.message]).toEqual([
          field,
          name,
          true,
          answer.body.message,
        ])
        if (answer.status !== 400) continue
        // What is nested too deeply is refused as a whole.
        const place = name === 'a deep list' ? 'body' : top
        expect(answer.body.details[0].field).toContain(place)
      }
    }
  },
)

// biome-ignore format: the columns are the point
test.each([
  ['an unknown field',          { colour: 'red' },                                            'colour'],
  ['an unknown field of if',    { if: { host: ['a'] } },                                      'if.host'],
  ['an unknown field of a condition', { when: [{ type: 'new_issue', level: 'error' }] },      'when.0.level'],
  ['a target without its URL',  { then: [{ type: 'webhook' }] },                              'then.0.url'],
  ['eleven targets',            { then: Array(targetsPerRuleMax + 1).fill(email) },           'then'],
  ['eleven conditions',         { when: Array(11).fill({ type: 'new_issue' }) },              'when'],
  ['a window of a second',      { when: [{ type: 'event_count', threshold: 1, window_seconds: 1 }] }, 'when.0.window_seconds'],
  ['a loopback address',        { then: [{ type: 'webhook', url: 'http://127.0.0.1/x' }] },   'then.0.url'],
  ['an address in hexadecimal', { then: [{ type: 'webhook', url: 'https://0x7f000001/' }] },  'then.0.url'],
  ['a metadata service',        { then: [{ type: 'slack', url: 'https://169.254.169.254/' }] }, 'then.0.url'],
  ['plain http',                { then: [{ type: 'webhook', url: 'http://example.com/' }] },  'then.0.url'],
  ['a script',                  { then: [{ type: 'webhook', url: 'javascript:alert(1)' }] },  'then.0.url'],
  ['a shown URL',               { then: [{ type: 'slack', url: 'https://hooks.slack.com/…' }] }, 'then.0.url'],
  ['a token with a slash',      { then: [{ type: 'telegram', bot_token: '1:a/../b', chat_id: '1' }] }, 'then.0.bot_token'],
  ['a key with a line break',   { then: [{ type: 'opsgenie', api_key: 'a\r\nX: y' }] },       'then.0.api_key'],
  ['an unknown team',           { then: [{ type: 'email', to: ['team:nobody'] }] },           'then.0.to.0'],
  ['a team of others',          { then: [{ type: 'email', to: ['owners', 'team:theirs'] }] }, 'then.0.to.1'],
  ['an unknown person',         { then: [{ type: 'email', to: [randomUUID()] }] },            'then.0.to.0'],
  ['a stranger',                { then: [{ type: 'email', to: ['a@b.example'] }] },           'then.0.to.0'],
  ['a topic of no name',        { then: [{ type: 'ntfy', url: 'https://ntfy.sh/%zz' }] },           'then.0.url'],
  ['no topic',                  { then: [{ type: 'ntfy', url: 'https://ntfy.sh/' }] },              'then.0.url'],
  ['a pending domain',          { then: [{ type: 'email', to: ['a@pending.test'] }] },        'then.0.to.0'],
  ['a domain below a verified one', { then: [{ type: 'email', to: ['a@x.shop.test'] }] },     'then.0.to.0'],
  ['an unknown word',           { then: [{ type: 'email', to: ['everybody'] }] },             'then.0.to.0'],
  ['a second target with a fault', { then: [email, { type: 'email', to: ['x'] }] },           'then.1.to.0'],
  ['a query with an open quote', { if: { query: 'a "b' } },                                   'if.query'],
  ['a query about issues',      { if: { query: 'times_seen:>5' } },                           'if.query'],
  ['too many bytes of filters', { if: { environment: Array(50).fill('é'.repeat(100)) } },     'if'],
  ['an unknown time zone',      { quiet_hours: { from: '22:00', to: '06:00', timezone: 'Mars/Base' } }, 'quiet_hours.timezone'],
  ['an offset as a time zone',  { quiet_hours: { from: '22:00', to: '06:00', timezone: '+02:00' } }, 'quiet_hours.timezone'],
  ['a time of 24:00',           { quiet_hours: { from: '24:00', to: '06:00' } },              'quiet_hours.from'],
  ['an unknown idea status',    { when: [{ type: 'idea_status', to: ['Nope'] }] },            'when.0.to.0'],
] as const)('%s is refused, and the field is named', async (_name, fields, field) => {
  const answer = await post({ ...rule, ...fields })
  expect([answer.status, answer.body.code]).toEqual([400, 'validation_failed'])
  expect(answer.body.details[0].field).toBe(field)
})
