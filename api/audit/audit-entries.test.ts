/**
 * Every administrative change writes one audit entry, with the same details over HTTP and by
 * command.
 */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { accessScopes } from '#schemas/rest/access-scope.ts'
import { adminOf } from '../../test/fixtures/admin-fixture.ts'
import { apiOfThisFile, type PersonLogin, type Tenant } from '../../test/fixtures/api-fixture.ts'
import { auditEntriesOf, auditShape, callAsPerson } from '../../test/fixtures/audit-fixture.ts'
import { addAccessToken, addApiKey } from '../credentials/credential-store.ts'
import { addDsnKey } from '../keys/dsn-key-store.ts'
import { addProject } from '../projects/project-store.ts'

const api = apiOfThisFile()
const { succeedIn } = adminOf(api)
let tenant: Tenant
let login: PersonLogin

beforeEach(async () => {
  const name = `Shop ${crypto.randomUUID()}`
  tenant = await api().tenant(name, accessScopes)
  login = await api().login(tenant)
})
afterEach(() => api().pool.query('delete from monitors'))

const entriesOf = (change: () => Promise<unknown>) => auditEntriesOf(api(), tenant, change)

type Method = 'PATCH' | 'POST' | 'PUT' | 'DELETE'

const callRoute = (method: Method, path: string, body?: unknown) =>
  callAsPerson(api(), login, [method, `/api/v1${path}`, body])

const ofOrganization = '/organization'
const ofProject = () => `/projects/${tenant.project.id}`
const tokenId = async () =>
  (await addAccessToken(api().pool, { organizationId: tenant.organizationId, label: 'old' })).id
const apiKeyId = async () =>
  (await addApiKey(api().pool, { organizationId: tenant.organizationId, label: 'old' })).id
const dsnKeyId = async () =>
  (await addDsnKey(api().pool, { projectId: tenant.project.id, label: 'old' })).id
const colleague = async () => (await api().login(tenant, 'member')).personId
const nobody = async () => ''

interface Row {
  readonly action: string
  /** Creates what is changed, and returns its id. */
  readonly subject: () => Promise<string>
  readonly route: (id: string) => readonly [method: Method, path: string, body?: unknown]
  readonly command: (id: string) => readonly string[]
}

const rows: readonly Row[] = [
  {
    action: 'organization.renamed',
    subject: nobody,
    route: () => ['PATCH', ofOrganization, { name: 'New' }],
    command: () => ['organization', 'update', '--name', 'New'],
  },
  {
    action: 'project.created',
    subject: nobody,
    route: () => ['POST', `${ofOrganization}/projects`, { name: 'New' }],
    command: () => ['project', 'create', '--name', 'New'],
  },
  {
    action: 'project.renamed',
    subject: async () => tenant.project.id,
    route: (id) => ['PATCH', `${ofOrganization}/projects/${id}`, { name: 'New' }],
    command: (id) => ['project', 'update', '--project', id, '--name', 'New'],
  },
  {
    action: 'project.deleted',
    subject: async () => {
      const { organizationId } = tenant
      return (await addProject(api().pool, { organizationId, name: 'Old' })).id
    },
    route: (id) => ['DELETE', `${ofOrganization}/projects/${id}?confirm=Old`],
    command: (id) => ['project', 'delete', '--project', id, '--yes'],
  },
  {
    action: 'person_data.erased',
    subject: nobody,
    route: () => ['POST', '/admin/person-data/erase', { user_id: 'nobody' }],
    command: () => ['person-data', 'erase', '--user-id', 'nobody', '--yes'],
  },
  {
    action: 'dsn_key.created',
    subject: nobody,
    route: () => ['POST', `${ofProject()}/keys`, { label: 'worker' }],
    command: () => ['dsn-key', 'create', '--label', 'worker'],
  },
  {
    action: 'dsn_key.changed',
    subject: dsnKeyId,
    route: (id) => ['PATCH', `${ofProject()}/keys/${id}`, { status: 'disabled' }],
    command: (id) => ['dsn-key', 'disable', id],
  },
  {
    action: 'dsn_key.changed',
    subject: dsnKeyId,
    route: (id) => ['PATCH', `${ofProject()}/keys/${id}`, { label: null, rate_limit: 60 }],
    command: (id) => ['dsn-key', 'update', id, '--label', 'none', '--per-minute', '60'],
  },
  {
    action: 'dsn_key.deleted',
    subject: dsnKeyId,
    route: (id) => ['DELETE', `${ofProject()}/keys/${id}`],
    command: (id) => ['dsn-key', 'delete', id],
  },
  {
    action: 'quota.changed',
    subject: nobody,
    route: () => ['PUT', `${ofProject()}/quota`, { monthly_events: 5, per_minute: null }],
    command: () => ['quota', 'update', '--monthly-events', '5', '--per-minute', 'none'],
  },
  {
    action: 'token.created',
    subject: nobody,
    route: () => ['POST', `${ofOrganization}/tokens`, { label: 'script' }],
    command: () => ['access-token', 'create', '--label', 'script'],
  },
  {
    action: 'token.revoked',
    subject: tokenId,
    route: (id) => ['PATCH', `${ofOrganization}/tokens/${id}`, { revoked: true }],
    command: (id) => ['access-token', 'revoke', id],
  },
  {
    action: 'token.deleted',
    subject: tokenId,
    route: (id) => ['DELETE', `${ofOrganization}/tokens/${id}`],
    command: (id) => ['access-token', 'delete', id],
  },
  {
    action: 'api_key.created',
    subject: nobody,
    route: () => ['POST', `${ofOrganization}/api-keys`, { label: 'website' }],
    command: () => ['api-key', 'create', '--label', 'website'],
  },
  {
    action: 'api_key.revoked',
    subject: apiKeyId,
    route: (id) => ['PATCH', `${ofOrganization}/api-keys/${id}`, { revoked: true }],
    command: (id) => ['api-key', 'revoke', id],
  },
  {
    action: 'api_key.deleted',
    subject: apiKeyId,
    route: (id) => ['DELETE', `${ofOrganization}/api-keys/${id}`],
    command: (id) => ['api-key', 'delete', id],
  },
  {
    action: 'person.invited',
    subject: async () => `${crypto.randomUUID()}@people.test`,
    route: (email) => ['POST', `${ofOrganization}/people`, { email, role: 'member' }],
    command: (email) => ['person', 'invite', email, '--role', 'member'],
  },
  {
    action: 'person.link_sent',
    subject: colleague,
    route: (id) => ['POST', `${ofOrganization}/people/${id}/link`],
    command: (id) => ['person', 'link', id],
  },
  {
    action: 'person.role_changed',
    subject: colleague,
    route: (id) => ['PATCH', `${ofOrganization}/people/${id}`, { role: 'viewer' }],
    command: (id) => ['person', 'update', id, '--role', 'viewer'],
  },
  {
    action: 'person.removed',
    subject: colleague,
    route: (id) => ['DELETE', `${ofOrganization}/people/${id}`],
    command: (id) => ['person', 'remove', id],
  },
]

describe('route and command write one entry with the same details', () => {
  test.each(rows.map((row) => [row.action, row] as const))('%s', async (action, row) => {
    const ofRoute = await row.subject()
    const byRoute = await entriesOf(() => callRoute(...row.route(ofRoute)))
    const ofCommand = await row.subject()
    const byCommand = await entriesOf(() => succeedIn(tenant, ...row.command(ofCommand)))
    expect(byRoute).toMatchObject([{ action }])
    expect(byCommand).toMatchObject([{ action }])
    expect(byCommand.map(auditShape)).toEqual(byRoute.map(auditShape))
  })
})

type SingleRow = readonly [action: string, method: Method, path: () => string, body?: unknown]

const withoutCommand: readonly SingleRow[] = [
  ['project_settings.changed', 'PUT', () => `${ofProject()}/settings`, { retention_days: 30 }],
  ['monitor.changed', 'PATCH', () => `${ofProject()}/monitors/nightly`, { muted: true }],
  ['monitor.deleted', 'DELETE', () => `${ofProject()}/monitors/nightly`],
  ['token.changed', 'PATCH', () => `/organization/tokens/${tenant.tokenId}`, { label: 'new' }],
  ['person.logins_ended', 'DELETE', () => '/me/logins'],
]

describe('a change without a command', () => {
  for (const [action, method, path, body] of withoutCommand) {
    test(`${action} is written once`, async () => {
      await api().pool.query(
        `insert into monitors (id, project_id, slug, partition_hash)
         values (gen_random_uuid(), $1, 'nightly', 7)`,
        [tenant.project.dsnId],
      )
      expect(await entriesOf(() => callRoute(method, path(), body))).toMatchObject([{ action }])
    })
  }
})
