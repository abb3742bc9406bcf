/**
 * Each action writes one audit entry, with the same details whether a route or a command calls it.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { v7 as uuidv7 } from 'uuid'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { adminOf } from '../../test/fixtures/admin-fixture.ts'
import {
  apiOfThisFile,
  type Call,
  type PersonLogin,
  type Tenant,
} from '../../test/fixtures/api-fixture.ts'
import { auditEntriesOf, auditShape, callAsPerson } from '../../test/fixtures/audit-fixture.ts'
import { addIdea, tagIdea } from '../../test/fixtures/portal-fixture.ts'

const api = apiOfThisFile()
const { adminIn, succeedIn } = adminOf(api)
let tenant: Tenant
let login: PersonLogin
let folder: string
let slugs = 0

beforeAll(async () => {
  tenant = await api().tenant('Audited')
  login = await api().login(tenant)
  folder = await mkdtemp(join(tmpdir(), 'sluice-audit-'))
  await writeFile(join(folder, 'ideas.csv'), 'title,description\nDark mode,At night\n')
  await writeFile(join(folder, 'feedback.csv'), 'message\nIt is slow\n')
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const entriesOf = (work: () => Promise<unknown>) => auditEntriesOf(api(), tenant, work)

const route = ([method, path, body]: RouteCall) =>
  callAsPerson(api(), login, [method, path.replace('{project}', tenant.project.id), body])

const command = (...words: readonly string[]) => succeedIn(tenant, ...words)

const idea = () => addIdea(api().pool, tenant)
const pending = () => addIdea(api().pool, tenant, { moderation: 'pending' })
const duplicate = async () => addIdea(api().pool, tenant, { duplicateOf: await idea() })

async function tag(): Promise<string> {
  slugs += 1
  await tagIdea(api().pool, tenant, await idea(), `tag-${slugs}`)
  return `tag-${slugs}`
}

async function user(): Promise<string> {
  const id = uuidv7()
  await api().pool.query('insert into endusers (id, project_id, enduser_id) values ($1, $2, $3)', [
    id,
    tenant.project.id,
    id,
  ])
  return id
}

async function secret(): Promise<string> {
  await api().pool.query('update enduser_secrets set retired_at = now()')
  const id = uuidv7()
  await api().pool.query(
    "insert into enduser_secrets (id, project_id, sealed_secret, prefix) values ($1, $2, '', 'x')",
    [id, tenant.project.id],
  )
  return id
}

async function feedback(): Promise<string> {
  const id = uuidv7()
  await api().pool.query(
    `insert into feedback (project_id, id, message, type, status, source, archived, created_at, updated_at)
     values ($1, $2, 'Slow', 'Other', 'New', 'Api', false, now(), now())`,
    [tenant.project.dsnId, id],
  )
  return id
}

async function comment(moderation = 'published'): Promise<string> {
  const id = uuidv7()
  const ideaId = await idea()
  await api().pool.query(
    `insert into comments (id, project_id, idea_id, root_id, depth, body, is_team, moderation)
     values ($1, $2, $3, $1, 1, 'Yes', false, $4)`,
    [id, tenant.project.id, ideaId, moderation],
  )
  if (moderation === 'published') {
    await api().pool.query('update idea_counts set comment_count = 1 where idea_id = $1', [ideaId])
  }
  return id
}
const pendingComment = () => comment('pending')

const nothing = async () => ''
const file = (name: string) => join(folder, name)
const admin = '/api/v1/admin/portal/{project}'
const said = '/api/v1/admin/feedback/{project}'
const texts = { title: 'Dark mode', description: 'At night' }

type RouteCall = readonly [NonNullable<Call['method']>, string, unknown?]
type Row = readonly [
  string,
  () => Promise<string>,
  (id: string) => RouteCall,
  (id: string) => string[],
]

// biome-ignore format: the columns are the point
const actions: readonly Row[] = [
  ['idea.created',   nothing,   () => ['POST', `${admin}/ideas`, texts],                             () => ['idea', 'create', '--title', 'Dark mode', '--description', 'At night']],
  ['idea.changed',   idea,      (id) => ['PATCH', `${admin}/ideas/${id}`, { status: 'Planned' }],    (id) => ['idea', 'update', id, '--status', 'Planned']],
  ['idea.changed',   idea,      (id) => ['PATCH', `${admin}/ideas/${id}`, { status: 'Planned' }],    (id) => ['idea', 'change', id, '--status', 'Planned']],
  ['idea.merged',    idea,      (id) => ['POST', `${admin}/ideas/${id}/merge`, { into: intoId }],    (id) => ['idea', 'merge', id, '--into', intoId]],
  ['idea.unmerged',  duplicate, (id) => ['POST', `${admin}/ideas/${id}/unmerge`],                    (id) => ['idea', 'unmerge', id]],
  ['idea.deleted',   idea,      (id) => ['DELETE', `${admin}/ideas/${id}`],                          (id) => ['idea', 'delete', id]],
  ['ideas.imported', nothing,   () => ['POST', `${admin}/ideas/import`, 'title\nOne more\n'],        () => ['idea', 'import', '--file', file('ideas.csv')]],
  ['ideas.exported', nothing,   () => ['GET', `${admin}/ideas/export`],                              () => ['idea', 'export', '--file', file('out.csv'), '--force']],
  ['vote.cast',      idea,      (id) => ['POST', `${admin}/ideas/${id}/voters`, { enduser_id: 'ada', note: 'phone' }], (id) => ['idea', 'vote', id, '--user', 'ada', '--note', 'phone']],
  ['vote.removed',   idea,      (id) => ['DELETE', `${admin}/ideas/${id}/voters/ada`],               (id) => ['idea', 'unvote', id, '--user', 'ada']],
  ['voters.exported', idea,     (id) => ['GET', `${admin}/ideas/${id}/voters/export`],               (id) => ['idea', 'export-voters', id, '--file', file('voters.csv'), '--force']],
  ['comment.created', idea,     (id) => ['POST', `${admin}/ideas/${id}/comments`, { body: 'Yes' }],  (id) => ['idea', 'comment', id, '--message', 'Yes']],
  ['comment.edited', comment,   (id) => ['PATCH', `${admin}/comments/${id}`, { body: 'No' }],        (id) => ['comment', 'update', id, '--message', 'No']],
  ['comment.deleted', comment,  (id) => ['DELETE', `${admin}/comments/${id}`],                       (id) => ['comment', 'delete', id]],
  ['tag.created',    nothing,   () => ['POST', `${admin}/tags`, { slug: 'by-route', name: 'R' }],    () => ['idea-tag', 'create', '--slug', 'by-command', '--name', 'C']],
  ['tag.changed',    tag,       (slug) => ['PATCH', `${admin}/tags/${slug}`, { name: 'New' }],       (slug) => ['idea-tag', 'update', slug, '--name', 'New']],
  ['tag.deleted',    tag,       (slug) => ['DELETE', `${admin}/tags/${slug}`],                       (slug) => ['idea-tag', 'delete', slug]],
  ['idea.approved',  pending,   (id) => ['POST', `${admin}/moderation/ideas/${id}`, { decision: 'approve' }], (id) => ['portal', 'moderate-idea', id, '--decision', 'approve']],
  ['idea.approved',  pending,   (id) => ['POST', `${admin}/moderation/ideas/${id}`, { decision: 'approve' }], (id) => ['portal', 'decide', id, '--type', 'idea', '--decision', 'approve']],
  ['idea.rejected',  pending,   (id) => ['POST', `${admin}/moderation/ideas/${id}`, { decision: 'reject', reason: 'ad' }], (id) => ['portal', 'moderate-idea', id, '--decision', 'reject', '--reason', 'ad']],
  ['comment.approved', pendingComment, (id) => ['POST', `${admin}/moderation/comments/${id}`, { decision: 'approve' }], (id) => ['portal', 'moderate-comment', id, '--decision', 'approve']],
  ['portal.changed', nothing,   () => ['PATCH', `${admin}/settings`, { links_max: 4 }],              () => ['portal', 'update', '--links-max', '4']],
  ['portal.changed', nothing,   () => ['PATCH', `${admin}/settings`, { links_max: 5 }],              () => ['portal', 'set', '--links-max', '5']],
  ['enduser.changed', user,     (id) => ['PATCH', `${admin}/endusers/${id}`, { blocked: true }],     (id) => ['portal', 'update-user', id, '--blocked', 'yes']],
  ['enduser.erased', user,      (id) => ['DELETE', `${admin}/endusers/${id}`],                       (id) => ['portal', 'erase-user', id]],
  ['enduser_secret.created', secret, () => ['POST', `${admin}/secrets`, {}],                         () => ['portal', 'create-secret']],
  ['enduser_secret.created', secret, () => ['POST', `${admin}/secrets`, {}],                         () => ['portal', 'make-secret']],
  ['enduser_secret.retired', secret, (id) => ['POST', `${admin}/secrets/${id}/retire`, {}],          (id) => ['portal', 'retire-secret', id]],
  ['feedback.created', nothing, () => ['POST', said, { message: 'Slow' }],                           () => ['feedback', 'create', '--message', 'Slow']],
  ['feedback.changed', feedback, (id) => ['PATCH', `${said}/${id}`, { status: 'Closed' }],           (id) => ['feedback', 'update', id, '--status', 'Closed']],
  ['feedback.changed', feedback, (id) => ['PATCH', `${said}/${id}`, { status: 'Closed' }],           (id) => ['feedback', 'change', id, '--status', 'Closed']],
  ['feedback.changed', feedback, (id) => ['PATCH', `${said}/${id}`, { archived: true }],             (id) => ['feedback', 'archive', id]],
  ['feedback.deleted', feedback, (id) => ['DELETE', `${said}/${id}`],                                (id) => ['feedback', 'delete', id]],
  ['feedback.imported', nothing, () => ['POST', `${said}/import`, 'message\nIt hangs\n'],            () => ['feedback', 'import', file('feedback.csv')]],
  ['feedback.exported', nothing, () => ['GET', `${said}/export`],                                    () => ['feedback', 'export', file('feedback-out.csv'), '--force']],
]

let intoId = ''

test.each(actions)('%s has one entry with the same details', async (action, make, call, args) => {
  intoId = await idea()
  const first = await make()
  const byRoute = await entriesOf(() => route(call(first)))
  const second = await make()
  const byCommand = await entriesOf(() => command(...args(second)))
  expect(byRoute.map(({ via }) => via)).toEqual(['login'])
  expect(byCommand.map(({ via }) => via)).toEqual(['command_line'])
  expect(byRoute.map((entry) => entry.action)).toEqual([action])
  expect(byCommand.map(auditShape)).toEqual(byRoute.map(auditShape))
})

/** Actions without a command. */
test.each<readonly [string, () => Promise<string>, (id: string) => RouteCall]>([
  ['feedback.deleted', feedback, (id) => ['POST', `${said}/bulk`, { ids: [id], delete: true }]],
])('%s has one entry', async (action, make, call) => {
  const id = await make()
  const entries = await entriesOf(() => route(call(id)))
  expect(entries.map((entry) => entry.action)).toEqual([action])
})

/** Reads write no entry; their commands and the earlier names of them work. */
test.each([
  ['idea', 'list'],
  ['idea-tag', 'list'],
  ['portal', 'show'],
  ['portal', 'list-secrets'],
  ['portal', 'secrets'],
  ['portal', 'list-users'],
  ['portal', 'list-moderation'],
  ['portal', 'queue'],
  ['feedback', 'list'],
])('`%s %s` writes no audit entry', async (...args) => {
  expect(await entriesOf(() => command(...args))).toEqual([])
})

test.each([
  [['idea', 'show'], idea],
  [['feedback', 'show'], feedback],
  [['portal', 'show-user'], user],
] as const)('`%s` shows one thing, and names an id that is unknown', async (verb, make) => {
  expect(await entriesOf(async () => command(...verb, await make()))).toEqual([])
  const unknown = uuidv7()
  const { code, stderr } = await adminIn(tenant, ...verb, unknown)
  expect([code, stderr]).toEqual([1, expect.stringContaining(unknown)])
})
