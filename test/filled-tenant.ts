/** An organization that has something of every kind, with one credential of each, for tests that call all routes. */
import { randomUUID } from 'node:crypto'
import { accessScopes } from '#schemas/rest/access-scope.ts'
import { createApiKey } from '../api/io/account-store.ts'
import type { Security } from './api-document.ts'
import type { Answer, ApiFixture, Call, PersonLogin, Tenant } from './api-fixture.ts'

/** A tenant and its credentials. */
export interface Side {
  readonly tenant: Tenant
  readonly login: PersonLogin
  readonly apiKey: string
}

export async function makeSide(api: ApiFixture, name: string): Promise<Side> {
  const tenant = await api.tenant(name, accessScopes)
  const login = await api.login(tenant, 'owner')
  const { organizationId } = tenant
  const { value: apiKey } = await createApiKey(api.pool, { organizationId, label: name })
  return { tenant, login, apiKey }
}

/** What a request of this side carries on a route that wants `security`. */
export function credentialsOf({ tenant, login, apiKey }: Side, security: Security): Call {
  switch (security) {
    case 'login':
      return { login }
    case 'apiKey':
      return { headers: { authorization: `Bearer ${apiKey}` } }
    case 'accessToken':
      return { token: tenant.token }
    case 'none':
      return {}
  }
}

/**
 * Fills the organization with one of everything, all of it named `mark`. The ids are kept by the last fixed part of the path before
 * the parameter, or by the parameter's name.
 */
export async function fillTenant(
  api: ApiFixture,
  side: Side,
  mark: string,
): Promise<Map<string, string>> {
  const { tenant, login } = side
  const ids = new Map<string, string>()
  const project = tenant.project.id
  const made = async (path: string, body: object, call: Call): Promise<Answer['body']> => {
    const answer = await api.call(path, { method: 'POST', body, ...call })
    if (300 <= answer.status) {
      throw new Error(`POST ${path} was answered ${answer.status}: ${JSON.stringify(answer.body)}`)
    }
    return answer.body
  }
  const asPerson = { login }
  const asKey = credentialsOf(side, 'apiKey')
  const organization = '/api/v1/organization'
  const email = '/api/v1/admin/email'
  const newsletter = { slug: mark, name: mark, from_address: `news@${mark}.test` }
  await made(`${organization}/newsletters`, newsletter, asPerson)
  ids.set('newsletters', mark)
  for (const [part, body] of [
    ['tokens', { label: mark }],
    ['api-keys', { label: mark }],
    ['people', { email: `someone@${mark}.test`, role: 'viewer' }],
  ] as const) {
    ids.set(part, (await made(`${organization}/${part}`, body, asPerson)).id)
  }
  ids.set('projects', project)
  ids.set('feedback', project)
  ids.set('portal', project)
  ids.set('p', tenant.project.projectKey)

  const contact = { newsletter: mark, email: `reader@${mark}.test`, name: mark }
  ids.set('contacts', (await made('/api/v1/contacts', contact, asKey)).id)
  const campaign = { newsletter: mark, subject: mark, markdown: mark }
  ids.set('campaigns', (await made('/api/v1/campaigns', campaign, asKey)).id)
  const message = { newsletter: mark, to: `friend@${mark}.test`, subject: mark, markdown: mark }
  const { id: send } = await made('/api/v1/send', message, asKey)
  ids.set('send', send).set('sends', send)
  await made('/api/v1/bounces', { email: `gone@${mark}.test`, type: 'hard' }, asKey)
  await made(`${email}/blocked-domains`, { domain: `blocked.${mark}.test` }, asPerson)
  ids.set('blocked-domains', `blocked.${mark}.test`)
  const adapter = { adapter: 'postmark', settings: { username: mark, password: mark } }
  const adapted = await made(`${email}/bounce-adapters`, adapter, asPerson)
  ids.set('bounce-adapters', adapted.id ?? randomUUID())
  const domain = { domain: `${mark}.test` }
  ids.set('domains', (await made(`${email}/domains`, domain, asPerson)).id)
  await fillPortal(api, { side, mark, ids, made })
  const issue = await api.addIssue(tenant, { title: mark, hashes: [mark] })
  ids.set('issues', issue)
  return ids
}

async function fillPortal(
  api: ApiFixture,
  options: {
    side: Side
    mark: string
    ids: Map<string, string>
    made: (path: string, body: object, call: Call) => Promise<Answer['body']>
  },
): Promise<void> {
  const { side, mark, ids, made } = options
  const { project } = side.tenant
  const portal = `/api/v1/p/${project.projectKey}`
  const idea = { title: mark, description: mark, enduser_id: mark }
  const { idea_id } = await made(`${portal}/ideas/suggest`, idea, {})
  ids.set('ideas', idea_id)
  const comment = { body: mark, enduser_id: mark }
  const commented = await made(`${portal}/ideas/${idea_id}/comments`, comment, {})
  ids.set('comments', commented.comment_id)
  ids.set('feedback_id', (await made(`${portal}/feedback`, { message: mark }, {})).feedback_id)
  const admin = `/api/v1/admin/portal/${project.id}`
  const { login } = side
  ids.set('secrets', (await made(`${admin}/secrets`, {}, { login })).id ?? randomUUID())
  const { rows } = await api.pool.query<{ id: string }>(
    'select id from endusers where project_id = $1 and enduser_id = $2',
    [project.id, mark],
  )
  ids.set('endusers', rows[0]?.id ?? randomUUID())
}
