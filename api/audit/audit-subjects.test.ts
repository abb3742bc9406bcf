/** Names of what the entries of the audit log are about. */
import { expect, test } from 'vitest'
import { accessScopes } from '#schemas/rest/access-scope.ts'
import { apiOfThisFile } from '../../test/fixtures/api-fixture.ts'
import { addAccessToken, addApiKey } from '../credentials/credential-store.ts'
import { addDsnKey } from '../keys/dsn-key-store.ts'
import { auditSources, findAuditSubjects } from './audit-subjects-store.ts'

const api = apiOfThisFile()
const tenantOf = (name: string) => api().tenant(`${name} ${crypto.randomUUID()}`, accessScopes)
const entry = (subject_type: string, subject_id: string | null) => ({ subject_type, subject_id })

test('names are found within the organization only', async () => {
  const [tenant, other] = [await tenantOf('own'), await tenantOf('other')]
  const { organizationId, project } = tenant
  const token = await addAccessToken(api().pool, { organizationId, label: 'nightly' })
  const apiKey = await addApiKey(api().pool, { organizationId, label: 'shop' })
  const dsnKey = await addDsnKey(api().pool, { projectId: project.id, label: 'worker' })
  const login = await api().login(tenant, 'member')
  const entries = [
    entry('project', project.id),
    entry('organization', organizationId),
    entry('token', token.id),
    entry('api_key', apiKey.id),
    entry('dsn_key', dsnKey.id),
    entry('person', login.personId),
  ]
  const found = await findAuditSubjects(api().pool, organizationId, entries)
  expect(found.get(`project ${project.id}`)?.projectId).toBe(project.id)
  expect(found.get(`token ${token.id}`)).toEqual({ name: 'nightly', projectId: null })
  expect(found.get(`api_key ${apiKey.id}`)).toEqual({ name: 'shop', projectId: null })
  expect(found.get(`dsn_key ${dsnKey.id}`)).toEqual({ name: 'worker', projectId: project.id })
  expect(found.size).toBe(entries.length)
  expect((await findAuditSubjects(api().pool, other.organizationId, entries)).size).toBe(0)
})

test('every type can be asked for; what is missing or has no id is left out', async () => {
  const { organizationId } = await tenantOf('hostile')
  const entries = [
    ...Object.keys(auditSources).map((type) => entry(type, crypto.randomUUID())),
    ...['12', "x' or true --", '', 'constructor', null].map((id) => entry('project', id)),
    ...['job', 'constructor', '__proto__', "' or true"].map((type) =>
      entry(type, crypto.randomUUID()),
    ),
  ]
  expect(await findAuditSubjects(api().pool, organizationId, entries)).toEqual(new Map())
  expect(await findAuditSubjects(api().pool, organizationId, [])).toEqual(new Map())
})

test('a webhook without a label is named by its URL, and its deliveries, too', async () => {
  const tenant = await tenantOf('labels')
  const login = await api().login(tenant)
  const { body: webhook } = await api().call('/api/v1/organization/webhooks', {
    method: 'POST',
    login,
    body: { url: 'https://example.com/hook', label: '', events: ['idea.created'] },
  })
  const { rows } = await api().pool.query<{ id: string }>(
    `insert into notification_deliveries (id, organization_id, target_id, webhook_id, payload)
     select gen_random_uuid(), organization_id, id, webhook_id, '{}'
     from notification_targets where webhook_id = $1 returning id`,
    [webhook.id],
  )
  const deliveryId = rows[0]!.id
  const entries = [entry('webhook', webhook.id), entry('delivery', deliveryId)]
  const found = await findAuditSubjects(api().pool, tenant.organizationId, entries)
  const name = expect.stringContaining('https://example.com')
  expect(found.get(`webhook ${webhook.id}`)).toEqual({ name, projectId: null })
  expect(found.get(`delivery ${deliveryId}`)).toEqual({ name, projectId: null })
})

test('an entry has the present name of its subject, and none after its deletion', async () => {
  const tenant = await tenantOf('audited')
  const login = await api().login(tenant)
  const call = async <T>(
    method: 'POST' | 'PATCH' | 'DELETE' | 'GET',
    path: string,
    body?: object,
  ) =>
    (
      await api().call(`/api/v1/organization${path}`, {
        method,
        login,
        ...(body === undefined ? {} : { body }),
      })
    ).body as T
  const { id } = await call<{ id: string }>('POST', '/teams', {
    name: 'Payments',
    slug: 'payments',
  })
  const namesOf = async () => {
    const { items } = await call<{
      items: { action: string; subject_name: string | null; project_id: string | null }[]
    }>('GET', `/audit?subject_id=${id}`)
    return items.map(({ action, subject_name: name, project_id }) => [action, name, project_id])
  }
  expect(await namesOf()).toEqual([['team.created', 'Payments', null]])
  await call('PATCH', '/teams/payments', { name: 'Billing' })
  expect(await namesOf()).toEqual([
    ['team.changed', 'Billing', null],
    ['team.created', 'Billing', null],
  ])
  await call('DELETE', '/teams/payments')
  expect((await namesOf()).map(([, name]) => name)).toEqual([null, null, null])
})
