import { describe, expect, test } from 'vitest'
import { accessScopes } from '#schemas/rest/access-scope.ts'
import { rulesPerProjectMax } from '#schemas/rest/alerts/alert.ts'
import { email, rule, ruleDeskOfThisFile } from '../../test/fixtures/alerts/rule-desk.ts'
import { openTarget } from '../targets/sealed-target.ts'

const desk = ruleDeskOfThisFile()
const { api, post, patch, created } = desk
const get = async (id: string) => (await api().of(desk.tenant, `/alerts/${id}`)).body
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
    const list = await api().of(desk.tenant, '/alerts')
    expect(list.body.items).toContainEqual(made)

    const quiet_hours = { from: '22:00', to: '06:00', timezone: 'Europe/Berlin' }
    const changed = await patch(made.id, { quiet_hours, if: { level: ['fatal'] } })
    const { updated_at: _at, ...kept } = made
    expect(changed.body).toMatchObject({ ...kept, quiet_hours, if: { level: ['fatal'] } })
    // No default of a new rule overwrites what was chosen.
    expect((await patch(made.id, { name: 'Other' })).body).toMatchObject({ quiet_hours })
    expect((await patch(made.id, { quiet_hours: null })).body.quiet_hours).toBeNull()

    const gone = await api().of(desk.tenant, `/alerts/${made.id}`, { method: 'DELETE' })
    expect(gone.status).toBe(204)
    expect((await api().of(desk.tenant, `/alerts/${made.id}`)).status).toBe(404)
    expect((await patch(made.id, {})).status).toBe(404)
  })

  test('writes an audit entry without secrets for each change', async () => {
    const made = await created({ then: all })
    await patch(made.id, { then: [{ type: 'slack', url: `${slack}2` }], name: 'B' })
    await api().of(desk.tenant, `/alerts/${made.id}`, { method: 'DELETE' })
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
        [id, desk.tenant.project.dsnId],
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
    const theirs = (await post(rule, desk.other)).body.id
    for (const method of ['GET', 'PATCH', 'DELETE'] as const) {
      const body = method === 'PATCH' ? { body: {} } : {}
      const answer = await api().of(desk.tenant, `/alerts/${theirs}`, { method, ...body })
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
    const path = `/api/v1/projects/${desk.tenant.project.id}/alerts`
    const viewer = await api().login(desk.tenant, 'viewer')
    const call = (method: 'GET' | 'POST', tail = '') =>
      api().call(`${path}${tail}`, {
        login: viewer,
        method,
        ...(method === 'POST' && { body: rule }),
      })
    expect((await call('GET', `/${made.id}`)).status).toBe(200)
    expect((await call('POST', '/preview')).status).toBe(200)
    expect((await call('POST')).status).toBe(403)
    expect((await api().call(path, { login: desk.owner, method: 'POST', body: rule })).status).toBe(
      201,
    )
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
    const shown = JSON.stringify([
      await get(made.id),
      (await api().of(desk.tenant, '/alerts')).body,
    ])
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
      api().of(desk.tenant, `/alerts/${made.id}/rotate-secret`, {
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
    const unnamed = await api().of(desk.tenant, path, { method: 'POST' })
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
    expect((await api().of(desk.tenant, path, { method: 'POST' })).status).toBe(409)
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
            desk.owner.personId,
            desk.owner.email,
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
      desk.owner.personId,
      desk.owner.email,
      'On-Call@shop.test',
    ])
  })

  test('that left are flagged, and do not stop a change', async () => {
    const member = await api().login(desk.tenant, 'member')
    const to = [member.personId, member.email, 'team:backend', desk.owner.email]
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
