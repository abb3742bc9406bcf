import { runMigrations } from 'graphile-worker'
import { v7 as uuidv7 } from 'uuid'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { accessScopes } from '#schemas/rest/access-scope.ts'
import { apiOfThisFile, type PersonLogin, type Tenant } from '../../test/fixtures/api-fixture.ts'

const api = apiOfThisFile()
let tenant: Tenant
let login: PersonLogin
let ruleId: string
let targetIds: string[]

beforeAll(async () => {
  tenant = await api().tenant('Shop', accessScopes)
  login = await api().login(tenant, 'member')
  await runMigrations({ pgPool: api().pool })
})

beforeEach(async () => {
  await api().pool.query('delete from graphile_worker._private_jobs')
  ruleId = uuidv7()
  await api().pool.query(
    `insert into alert_rules (id, project_id, name, conditions, cooldown_seconds, digest_seconds)
     values ($1, $2, 'New in production', '{"when": [{"type": "new_issue"}], "if": {}, "quiet_hours": null}', 0, 60)`,
    [ruleId, tenant.project.dsnId],
  )
  targetIds = [await addTarget({ rule_id: ruleId }), await addTarget({ rule_id: ruleId })]
})

async function addTarget(owner: { rule_id: string } | { webhook_id: string }): Promise<string> {
  const [[column, ownerId]] = Object.entries(owner) as [[string, string]]
  const id = uuidv7()
  await api().pool.query(
    `insert into notification_targets (id, organization_id, ${column}, type, shown)
     values ($1, $2, $3, 'webhook', '{"type": "webhook", "url": "https://example.com/hook"}')`,
    [id, tenant.organizationId, ownerId],
  )
  return id
}

async function addDelivery(state: 'pending' | 'delivered' | 'failed'): Promise<string> {
  const id = uuidv7()
  const attempts = [
    { at: '2026-11-21T01:00:00.000Z', status: 500, latency_ms: 7, error: 'No.', response: 'oh' },
  ]
  await api().pool.query(
    `insert into notification_deliveries
       (id, organization_id, target_id, rule_id, payload, state, attempts, attempt_count, created_at, next_attempt_at)
     values ($1, $2, $3, $4, '{"type": "issue.new", "data": {}}', $5, $6, 12, '2026-11-21T00:00:00Z', null)`,
    [id, tenant.organizationId, targetIds[0], ruleId, state, JSON.stringify(attempts)],
  )
  return id
}

const path = (rest: string) => `/alerts/${ruleId}${rest}`
const post = (rest: string) => api().of(tenant, path(rest), { method: 'POST' })
const jobs = async () =>
  (
    await api().pool.query<{ key: string }>('select key from graphile_worker.jobs order by key')
  ).rows
    .map(({ key }) => key)
    .sort()
const keysOf = (ids: readonly string[]) => ids.map((id) => `deliver:${id}`).sort()

describe('the deliveries of a rule', () => {
  test('are listed newest first, by state, and in pages', async () => {
    const ids = [
      await addDelivery('failed'),
      await addDelivery('delivered'),
      await addDelivery('failed'),
    ]
    const { body } = await api().of(tenant, path('/deliveries?limit=2'))
    expect(body.items.map(({ id }: { id: string }) => id)).toEqual([ids[2], ids[1]])
    expect(body.items[0]).toEqual({
      id: ids[2],
      at: '2026-11-21T00:00:00.000Z',
      target: {
        id: targetIds[0],
        type: 'webhook',
        shown: { type: 'webhook', url: 'https://example.com/hook' },
        disabled_at: null,
        disabled_reason: null,
        paused_until: null,
      },
      state: 'failed',
      is_test: false,
      attempts: [
        {
          at: '2026-11-21T01:00:00.000Z',
          status: 500,
          latency_ms: 7,
          error: 'No.',
          response: 'oh',
        },
      ],
      next_attempt_at: null,
      finished_at: null,
      payload: { type: 'issue.new', data: {} },
    })
    const next = await api().of(tenant, path(`/deliveries?cursor=${body.next_cursor}`))
    expect(next.body).toMatchObject({ items: [{ id: ids[0] }], next_cursor: null })
    const delivered = await api().of(tenant, path('/deliveries?state=delivered'))
    expect(delivered.body.items).toHaveLength(1)
  })

  test.each([
    ['?state=lost', 400],
    ['?cursor=x', 400],
    ['?other=1', 400],
    ['?limit=0', 400],
  ])('%s is answered %i', async (query, status) => {
    expect((await api().of(tenant, path(`/deliveries${query}`))).status).toBe(status)
  })
})

describe('a replay', () => {
  test.each(['failed', 'delivered', 'pending'] as const)(
    'of a delivery that is %s makes it due with a new schedule',
    async (state) => {
      const id = await addDelivery(state)
      const open = new Date(api().time.nowMs + 60_000)
      await api().pool.query('update notification_targets set open_until = $1 where id = $2', [
        open,
        targetIds[0],
      ])
      const answer = await post(`/deliveries/${id}/replay`)
      const now = new Date(api().time.nowMs)
      expect(answer).toMatchObject({
        status: 202,
        body: { id, state: 'pending', next_attempt_at: now.toISOString(), finished_at: null },
      })
      expect(answer.body.attempts).toHaveLength(1)
      const { rows } = await api().pool.query(
        `select d.attempt_count, d.replayed_at, t.open_until
           from notification_deliveries d join notification_targets t on t.id = d.target_id where d.id = $1`,
        [id],
      )
      expect(rows).toEqual([{ attempt_count: 0, replayed_at: now, open_until: null }])
      expect(await jobs()).toEqual(keysOf([targetIds[0]!]))
    },
  )

  test('to a disabled target is refused until it is enabled', async () => {
    const id = await addDelivery('failed')
    await api().pool.query(
      `update notification_targets set disabled_at = now(), disabled_reason = 'Gone.', failures = 7 where id = $1`,
      [targetIds[0]],
    )
    const refused = await post(`/deliveries/${id}/replay`)
    expect([refused.status, refused.body.error]).toEqual([
      409,
      'The target of this delivery is disabled. Enable it first: PATCH …/alerts/{id} with `enabled: true` in its entry of `then`.',
    ])
    const { body } = await api().of(tenant, path(''))
    const then = body.then.map((target: object) => ({ ...target, enabled: true }))
    const enabled = await api().of(tenant, path(''), { method: 'PATCH', body: { then } })
    expect([enabled.status, enabled.body.then[0].disabled_at]).toEqual([200, null])
    expect((await post(`/deliveries/${id}/replay`)).status).toBe(202)
  })

  test('of an unknown delivery, or one of another rule, is 404', async () => {
    const id = await addDelivery('failed')
    expect((await post(`/deliveries/${uuidv7()}/replay`)).status).toBe(404)
    expect((await post('/deliveries/x/replay')).status).toBe(404)
    ruleId = uuidv7()
    expect((await post(`/deliveries/${id}/replay`)).status).toBe(404)
  })
})

describe('a test', () => {
  test('is a delivery for each target', async () => {
    const answer = await post('/test')
    expect(answer.status).toBe(202)
    const { items } = answer.body
    expect(items.map(({ target }: { target: { id: string } }) => target.id)).toEqual(targetIds)
    expect(items[0]).toMatchObject({
      state: 'pending',
      is_test: true,
      payload: {
        type: 'alert.test',
        timestamp: new Date(api().time.nowMs).toISOString(),
        data: {
          project: { id: tenant.project.id, name: 'Shop' },
          rule: { id: ruleId, name: 'New in production' },
        },
      },
    })
    expect(await jobs()).toEqual(keysOf(targetIds))
    const { body } = await api().of(tenant, path('/deliveries'))
    expect(body.items).toHaveLength(2)
  })

  test('is refused after twenty in a minute', async () => {
    for (let index = 0; index < 10; index += 1) expect((await post('/test')).status).toBe(202)
    const refused = await post('/test')
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '60'])
    api().time.nowMs += 61_000
    expect((await post('/test')).status).toBe(202)
  })
})

test('a token that may not change settings sees nothing, as answers may come from inside', async () => {
  const reader = await api().tenant('Reader', ['issues:read', 'issues:write'])
  const answer = await api().of(reader, `/alerts/${ruleId}/deliveries`)
  expect([answer.status, answer.body.code]).toEqual([403, 'missing_scope'])
})

describe('a webhook of the organization', () => {
  let webhookId: string
  let targetId: string
  beforeEach(async () => {
    webhookId = uuidv7()
    await api().pool.query(
      `insert into webhooks (id, organization_id, label, events) values ($1, $2, 'CRM', '{}')`,
      [webhookId, tenant.organizationId],
    )
    targetId = await addTarget({ webhook_id: webhookId })
  })
  const call = (rest: string, method: 'GET' | 'POST' = 'POST', as = login) =>
    api().call(`/api/v1/organization/webhooks/${webhookId}${rest}`, { method, login: as })

  test('is tested, its log listed, and a delivery replayed unless its target is disabled', async () => {
    const tested = await call('/test')
    expect(tested).toMatchObject({
      status: 202,
      body: {
        items: [
          {
            target: { id: targetId },
            payload: { type: 'webhook.test', data: { webhook: { id: webhookId, label: 'CRM' } } },
          },
        ],
      },
    })
    const { body } = await call('/deliveries', 'GET')
    expect(body.items).toEqual(tested.body.items)
    expect((await call(`/deliveries/${body.items[0].id}/replay`)).status).toBe(202)
    await api().pool.query('update notification_targets set disabled_at = now() where id = $1', [
      targetId,
    ])
    expect((await call(`/deliveries/${body.items[0].id}/replay`)).status).toBe(409)
    expect(await jobs()).toEqual(keysOf([targetId]))
  })

  test('is not for viewers', async () => {
    const viewer = await api().login(tenant, 'viewer')
    expect((await call('/deliveries', 'GET', viewer)).status).toBe(403)
    expect((await call('/test', 'POST', viewer)).status).toBe(403)
  })

  test('of another organization is 404', async () => {
    const other = await api().login(await api().tenant('Other', accessScopes), 'owner')
    for (const rest of ['/test', `/deliveries/${uuidv7()}/replay`]) {
      expect((await call(rest, 'POST', other)).status).toBe(404)
    }
    expect((await call('/deliveries', 'GET', other)).status).toBe(404)
  })
})

test('every change is in the audit log', async () => {
  const id = await addDelivery('failed')
  await post('/test')
  await post(`/deliveries/${id}/replay`)
  const { rows } = await api().pool.query<{ action: string }>(
    `select action from audit_log where organization_id = $1 and (subject_id in ($2, $3) or details->>'rule_id' = $2)
      order by id`,
    [tenant.organizationId, ruleId, id],
  )
  expect(rows.map(({ action }) => action)).toEqual(['alert.tested', 'delivery.replayed'])
})
