/**
 * Another organization sees nothing. Generated from the documentation, so that it covers new routes
 * as well. One tenant has something of every kind; another one calls every route with its own
 * credentials and the first one's ids, and must get the same replies as for unknown ids. Its own
 * lists must not contain anything of the first tenant.
 */
import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { ApiDocument, type Operation } from '../test/fixtures/api-document.ts'
import { type Answer, apiOfThisFile } from '../test/fixtures/api-fixture.ts'
import { credentialsOf, fillTenant, makeSide, type Side } from '../test/fixtures/filled-tenant.ts'

const api = apiOfThisFile()
/** Text in everything that the first tenant wrote. */
const mark = 'of-the-owner'

let owner: Side
let stranger: Side
/** The owner's, by the last fixed part of the path before the parameter. */
let ids: Map<string, string>
let document: ApiDocument

beforeAll(async () => {
  document = new ApiDocument(api().app)
  owner = await makeSide(api(), 'Owner')
  stranger = await makeSide(api(), 'Stranger')
  ids = await fillTenant(api(), owner, mark)
  const suggested = await api().call(
    `/api/v1/p/${stranger.tenant.project.projectKey}/ideas/suggest`,
    { method: 'POST', body: { title: 'x', description: 'x', enduser_id: 'x' } },
  )
  strangersIdea = suggested.body.idea_id
})

/** Routes of people who have no organization yet, and of the capture server on this machine. */
const outside =
  /^\/api\/v1\/(?:login|logout|me|forgotten-password)|^\/dev\/|^\/hooks\/|^\/(?:login|logout|me)$/

function allRoutes(): readonly Operation[] {
  return document.operations.filter(({ template }) => !outside.test(template))
}

/**
 * Fills the parameters: `own` says which of them are the stranger's. The others are the owner's or
 * unknown ids.
 */
function fillPath({ template }: Operation, of: 'owner' | 'nobody', isOwnProject: boolean): string {
  let before = ''
  const parts = template.split('/').map((part) => {
    const [, name, suffix] = /^\{(.+)\}(\.md)?$/.exec(part) ?? []
    if (name === undefined) {
      before = part
      return part
    }
    const { project } = stranger.tenant
    if (isOwnProject && name === 'project_id') return project.id
    if (isOwnProject && name === 'project_key') return project.projectKey
    const known = ids.get(name) ?? ids.get(before)
    const id = of === 'nobody' || known === undefined ? nobodys(known) : known
    return id + (suffix ?? '')
  })
  return parts.join('/')
}

/** An unknown id of the same kind. */
function nobodys(known: string | undefined): string {
  return known === undefined || /^[0-9a-f-]{36}$/.test(known) ? nobody : `x${known}`
}
const nobody = randomUUID()

function call(route: Operation, path: string, side: Side): Promise<Answer> {
  // Each call has its own client address, so that no rate limit refuses it.
  callCount += 1
  const address = `2001:db8:${callCount.toString(16)}::1`
  const more = needs()[route.name]
  const sent = more?.body ?? route.example
  const body = sent === undefined ? {} : { body: sent }
  return api().call(`${path}${more?.query ?? ''}`, {
    method: route.method,
    ...credentialsOf(side, route.security),
    ...body,
    address,
  })
}
let callCount = 0

/** Values that no example has, so that the ids in the path are looked up. */
function needs(): Readonly<Record<string, { readonly query?: string; readonly body?: object }>> {
  const ideas = '/api/v1/admin/portal/{project_id}/ideas/{idea_id}'
  return {
    'GET /api/v1/campaigns': { query: `?newsletter=${mark}` },
    'GET /api/v1/admin/email/contacts/numbers': { query: `?newsletter=${mark}` },
    'GET /api/v1/p/{project_key}/ideas/similar': { query: `?title=${mark}` },
    'DELETE /api/v1/p/{project_key}/ideas/{idea_id}/vote': { query: '?enduser_id=somebody' },
    [`GET ${ideas}/merge-preview`]: { query: `?into=${strangersIdea}` },
    [`POST ${ideas}/merge`]: { body: { into: strangersIdea } },
    'PATCH /api/v1/admin/portal/{project_id}/comments/{comment_id}': { body: { body: 'x' } },
    'DELETE /api/v1/organization/projects/{id}': { query: `?confirm=Owner` },
    'GET /api/v1/projects/{project_id}/releases/{release}/compare': { query: '?base=x' },
    'GET /api/v1/admin/person-data': { query: `?email=contact@${mark}.test` },
    'GET /api/v1/admin/person-data/export': { query: `?email=contact@${mark}.test` },
  }
}
let strangersIdea: string

/** Of the whole installation: owners of its first organization see it, and others are refused. */
const operation = /^\/api\/v1\/operation(?:\/|$)/
const isParameter = /\{/
/** Any name may be a tag's or a release's, and any id an event's, in every project. */
const anyName = new Set([
  'GET /api/v1/projects/{project_id}/tags/{key}/values',
  'PUT /api/v1/projects/{project_id}/releases/{release}/commits',
  'POST /api/v1/projects/{project_id}/releases/{release}/deploys',
  'GET /api/v1/projects/{project_id}/events/{event_id}/attachments',
])
/** The owner has none of these; the matrix of projects tests them. */
const nothingThere = /\{(?:place|event_id|slug|release|key|import_id|deletion_id)\}/
const projectParameter = /\{project_(?:id|key)\}/

test('the owner finds the things with the ids', async () => {
  const missing: unknown[] = []
  for (const route of allRoutes()) {
    if (route.method !== 'GET' || route.name.endsWith('/merge-preview')) continue
    if (nothingThere.test(route.template)) continue
    api().time.nowMs += 61_000
    const answer = await call(route, fillPath(route, 'owner', false), owner)
    if (answer.status !== 200) missing.push([route.name, answer.status, answer.body])
  }
  expect(missing).toEqual([])
})

describe('another organization', () => {
  test('is answered for ids of another organization as for unknown ids', async () => {
    const differing: unknown[] = []
    for (const route of allRoutes()) {
      if (!isParameter.test(route.template) || anyName.has(route.name)) continue
      const parameterCount = route.template.match(/\{/g)!.length
      const isBelowProject = projectParameter.test(route.template)
      // The key of a portal is public. Its ideas are looked up through another portal.
      const variants = isBelowProject && parameterCount > 1 ? [true, false] : [false]
      for (const isOwnProject of variants) {
        if (!isOwnProject && route.security === 'none') continue
        api().time.nowMs += 61_000
        const seen = await call(route, fillPath(route, 'owner', isOwnProject), stranger)
        const unknown = await call(route, fillPath(route, 'nobody', isOwnProject), stranger)
        const status = operation.test(route.template) ? 403 : 404
        if (seen.status !== status || !same(seen, unknown))
          differing.push([route.name, isOwnProject, seen.status, seen.body, unknown.status])
      }
    }
    expect(differing).toEqual([])
  })

  test('contains nothing of another organization in its lists', async () => {
    const leaks: unknown[] = []
    let listCount = 0
    for (const route of allRoutes()) {
      const hasOthers = route.template.replace(projectParameter, '')
      if (route.method !== 'GET' || isParameter.test(hasOthers)) continue
      listCount += 1
      api().time.nowMs += 61_000
      const answer = await call(route, fillPath(route, 'nobody', true), stranger)
      const text = JSON.stringify(answer.body)
      if (text.includes(mark) || [...ids.values()].some((id) => text.includes(id))) {
        leaks.push([route.name, text])
      }
    }
    expect(leaks).toEqual([])
    expect(listCount).toBeGreaterThan(25)
  })

  test.each([
    ['POST', '/api/v1/contacts', { email: 'a@b.test' }],
    ['POST', '/api/v1/campaigns', { subject: 'x', markdown: 'x' }],
    ['POST', '/api/v1/send', { to: 'a@b.test', subject: 'x', markdown: 'x' }],
    ['GET', `/api/v1/campaigns?newsletter=${mark}`, undefined],
  ] as const)('%s %s does not know its newsletter', async (method, path, body) => {
    const answer = await api().call(path, {
      method,
      headers: { authorization: `Bearer ${stranger.apiKey}` },
      ...(body === undefined ? {} : { body: { newsletter: mark, ...body } }),
    })
    expect([answer.status, answer.body.code]).toEqual([404, 'newsletter_not_found'])
  })

  test('has changed nothing', async () => {
    const { login, tenant } = owner
    const { body: contact } = await api().call(
      `/api/v1/admin/email/contacts/${ids.get('contacts')}`,
      { login },
    )
    expect(contact).toMatchObject({ status: 'subscribed', name: mark })
    const { body: draft } = await api().call(
      `/api/v1/admin/email/campaigns/${ids.get('campaigns')}`,
      { login },
    )
    expect(draft).toMatchObject({ state: 'draft', subject: mark })
    const portal = `/api/v1/p/${tenant.project.projectKey}/ideas/${ids.get('ideas')}`
    const { body: idea } = await api().call(portal)
    expect(idea.feature).toMatchObject({
      title: mark,
      status: 'Open',
      vote_count: 0,
      comment_count: 1,
    })
    const { rows } = await api().pool.query(
      `select (select count(*)::int from access_tokens where label = $1 and revoked_at is null) as tokens,
              (select count(*)::int from api_keys where label = $1 and revoked_at is null) as keys,
              (select count(*)::int from memberships where organization_id = $2) as people,
              (select count(*)::int from newsletters where slug = $1 and name = $1) as newsletters`,
      [mark, tenant.organizationId],
    )
    expect(rows).toEqual([{ tokens: 1, keys: 1, people: 2, newsletters: 1 }])
  })
})

/** Headers count as well, but for what differs between any two answers. */
function same(a: Answer, b: Answer): boolean {
  const comparable = ({ status, headers, body }: Answer) => [
    status,
    body,
    Object.entries(headers).filter(([name]) => !/^(?:x-request-id|date|.*ratelimit-)/.test(name)),
  ]
  return JSON.stringify(comparable(a)) === JSON.stringify(comparable(b))
}
