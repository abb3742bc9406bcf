/**
 * Each administrative action of sending email writes one audit entry, and the same one for a route
 * and for a command.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { v7 as uuidv7 } from 'uuid'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { CampaignState } from '../../../../schemas/rest/email/campaign-admin.ts'
import {
  apiOfThisFile,
  type PersonLogin,
  type Tenant,
} from '../../../../test/fixtures/api-fixture.ts'
import {
  auditEntriesOf,
  auditShape,
  callAsPerson,
} from '../../../../test/fixtures/audit-fixture.ts'
import { commandLineActor } from '../../../audit/audit-store.ts'
import { allowDomain } from '../../../sending-domains/allow-domain.ts'
import type { AnyVerbPlan, Run } from '../../command.ts'
import { runAdmin } from '../../run-admin.ts'
import { things } from '../../things.ts'

const api = apiOfThisFile()
let tenant: Tenant
let owner: PersonLogin
let newsletterId: string
let folder: string
let nameCount = 0

beforeAll(async () => {
  tenant = await api().tenant('Actions')
  owner = await api().login(tenant)
  newsletterId = await addNewsletter('actions')
  folder = await mkdtemp(join(tmpdir(), 'sluice-actions-'))
  await writeFile(join(folder, 'text.md'), 'Hello {{name | there}}')
})
afterAll(() => rm(folder, { recursive: true, force: true }))

function newName(): string {
  nameCount += 1
  return `n${nameCount}`
}

async function addNewsletter(slug: string): Promise<string> {
  const id = uuidv7()
  await api().pool.query(
    `insert into newsletters (id, organization_id, slug, name, from_address)
       values ($1, $2, $3, 'Actions', 'news@sender.test')`,
    [id, tenant.organizationId, slug],
  )
  return id
}

async function addCampaign(state: CampaignState): Promise<string> {
  const id = uuidv7()
  await api().pool.query(
    `insert into campaigns (id, organization_id, newsletter_id, subject, markdown, archive_slug, state, sent_at)
       values ($1, $2, $3, 'Hello', 'Hello', $4, $5, case when $5 in ('sending', 'paused', 'sent') then now() end)`,
    [id, tenant.organizationId, newsletterId, newName(), state],
  )
  return id
}

const entriesOf = (work: () => Promise<void>) => auditEntriesOf(api(), tenant, work)

async function findVerb(thing: string, verb: string): Promise<AnyVerbPlan | undefined> {
  const verbs = await things.find(({ name }) => name === thing)?.loadVerbs()
  return verbs?.find((one) => one.verb === verb)
}

/**
 * Runs a verb in this process, where emails are composed without the threads that only a build has.
 */
async function runVerb([thing, verb, flags]: Command): Promise<void> {
  const plan = await findVerb(thing, verb)
  const { ctx } = api()
  const session = {
    ...ctx,
    box: async () => ctx.box,
    recordSecret: async () => undefined,
    connectNats: () => Promise.reject(new Error('there is no broker')),
    installation: { id: '00000000-0000-4000-8000-000000000000', mark: 1 },
    dnsServers: [],
    engineUrls: () => {
      throw new Error('no command here needs the engines')
    },
  }
  const organization = async () => tenant.organizationId
  const none = () => undefined
  const run = { env: {}, session, flags, organization, say: none, write: none, fail: none }
  if (plan !== undefined && 'run' in plan) await plan.run(run)
}

async function help(...words: string[]): Promise<string> {
  let stdout = ''
  await runAdmin([...words, '--help'], {
    env: {},
    stdout: (text) => {
      stdout += text
    },
    stderr: () => undefined,
  })
  return stdout
}

type Command = readonly [thing: string, verb: string, flags: Run['flags']]
type Route = readonly ['POST' | 'PATCH' | 'PUT' | 'DELETE' | 'GET', string, object?]

interface Action {
  readonly action: string
  /**
   * Creates what the action is about and returns its id. Called for the route and for the command.
   */
  readonly prepare?: () => Promise<string>
  /** Undefined: only the operator may do it, on the command line. */
  readonly route?: (id: string) => Route
  readonly command: (id: string) => Command
}

const organization = '/api/v1/organization'
const email = '/api/v1/admin/email'
const at = (path: string) => (id: string) => `${email}/campaigns/${id}${path}`
const campaign = (state: CampaignState) => () => addCampaign(state)
const later = () => new Date(api().time.nowMs + 86_400_000).toISOString()
const newslettersOf = () => addNewsletter(newName())

// biome-ignore format: the columns are the point
const actions: readonly Action[] = [
  { action: 'newsletter.created', route: () => ['POST', `${organization}/newsletters`, { slug: newName(), name: 'N', from_address: 'n@sender.test' }],
    command: () => ['newsletter', 'create', { slug: newName(), name: 'N', from: 'n@sender.test' }] },
  { action: 'newsletter.changed', prepare: newslettersOf, route: (id) => ['PATCH', `${organization}/newsletters/${id}`, { name: 'Bye' }],
    command: (id) => ['newsletter', 'update', { slug: id, name: 'Bye' }] },
  { action: 'newsletter.deleted', prepare: newslettersOf, route: (id) => ['DELETE', `${organization}/newsletters/${id}`],
    command: (id) => ['newsletter', 'delete', { slug: id }] },
  { action: 'campaign.created', route: () => ['POST', `${email}/campaigns`, { newsletter: 'actions', subject: 'S', markdown: 'M' }],
    command: () => ['campaign', 'create', { newsletter: 'actions', subject: 'S', file: join(folder, 'text.md') }] },
  { action: 'campaign.created', prepare: campaign('sent'), route: (id) => ['POST', at('/duplicate')(id)], command: (id) => ['campaign', 'duplicate', { id }] },
  { action: 'campaign.changed', prepare: campaign('draft'), route: (id) => ['PATCH', at('')(id), { subject: 'S' }],
    command: (id) => ['campaign', 'update', { id, subject: 'S' }] },
  { action: 'campaign.deleted', prepare: campaign('draft'), route: (id) => ['DELETE', at('')(id)], command: (id) => ['campaign', 'delete', { id }] },
  { action: 'campaign.tested', prepare: campaign('draft'), route: (id) => ['POST', at('/test')(id), { to: 'ada@example.test' }],
    command: (id) => ['campaign', 'test', { id, email: 'ada@example.test' }] },
  { action: 'campaign.sent', prepare: campaign('draft'), route: (id) => ['POST', at('/send')(id), { force: true }],
    command: (id) => ['campaign', 'send', { id, yes: true, force: true, detach: true }] },
  { action: 'campaign.scheduled', prepare: campaign('draft'), route: (id) => ['POST', at('/send')(id), { force: true, scheduledAt: later() }],
    command: (id) => ['campaign', 'send', { id, yes: true, force: true, at: later() }] },
  { action: 'campaign.unscheduled', prepare: campaign('scheduled'), route: (id) => ['POST', at('/cancel')(id)], command: (id) => ['campaign', 'cancel', { id }] },
  { action: 'campaign.cancelled', prepare: campaign('sending'), route: (id) => ['POST', at('/cancel')(id)], command: (id) => ['campaign', 'cancel', { id }] },
  { action: 'campaign.paused', prepare: campaign('sending'), route: (id) => ['POST', at('/pause')(id)], command: (id) => ['campaign', 'pause', { id }] },
  { action: 'campaign.resumed', prepare: campaign('paused'), route: (id) => ['POST', at('/resume')(id)], command: (id) => ['campaign', 'resume', { id }] },
  { action: 'campaign.rate_changed', prepare: campaign('sending'), route: (id) => ['PUT', at('/rate')(id), { ratePerSecond: 5 }],
    command: (id) => ['campaign', 'rate', { id, rate: '5' }] },
  { action: 'campaign.resent', prepare: campaign('sent'), route: (id) => ['POST', at('/deliveries/resend')(id), { state: 'failed' }],
    command: (id) => ['campaign', 'resend', { id, status: 'failed' }] },
  { action: 'delivery.exported', prepare: campaign('sent'), route: (id) => ['GET', at('/deliveries.csv?state=failed')(id)],
    command: (id) => ['campaign', 'export', { id, status: 'failed', file: join(folder, newName()) }] },
  { action: 'transport.rate_changed', route: () => ['PUT', `${email}/transport`, { ratePerSecond: 5 }], command: () => ['campaign', 'throttle', {}] },
  { action: 'sending_domain.created', route: () => ['POST', `${email}/domains`, { domain: `${newName()}.test` }],
    command: () => ['domain', 'create', { domain: `${newName()}.test` }] },
  { action: 'sending_domain.removed', prepare: addDomain, route: (id) => ['DELETE', `${email}/domains/${id}`], command: (id) => ['domain', 'delete', { domain: id }] },
  { action: 'from_domain.allowed', command: () => ['domain', 'allow', { domain: `${newName()}.test` }] },
  { action: 'from_domain.disallowed', prepare: allowedDomain, command: (id) => ['domain', 'disallow', { domain: id }] },
  { action: 'bounce_adapter.created', route: () => ['POST', `${email}/bounce-adapters`, { adapter: 'message', settings: {} }],
    command: () => ['bounce-adapter', 'create', { adapter: 'message' }] },
  { action: 'bounce_adapter.removed', prepare: addAdapter, route: (id) => ['DELETE', `${email}/bounce-adapters/${id}`],
    command: (id) => ['bounce-adapter', 'delete', { id }] },
]

async function post(path: string, body: object): Promise<{ id: string }> {
  const reply = await api().call(`${email}${path}`, { method: 'POST', login: owner, body })
  expect(reply.status).toBe(201)
  return reply.body
}

async function addDomain(): Promise<string> {
  return (await post('/domains', { domain: `${newName()}.test` })).id
}

async function addAdapter(): Promise<string> {
  return (await post('/bounce-adapters', { adapter: 'message', settings: {} })).id
}

async function allowedDomain(): Promise<string> {
  const actor = commandLineActor(tenant.organizationId)
  return allowDomain(api().ctx, actor, { domain: `${newName()}.test`, reason: null })
}

describe.each(actions)('$action', ({ action, prepare, route, command }) => {
  test('writes one audit entry, the same for the route and the command', async () => {
    const shapes: ReturnType<typeof auditShape>[] = []
    if (route !== undefined) {
      const [method, path, body] = route((await prepare?.()) ?? '')
      const entries = await entriesOf(() => callAsPerson(api(), owner, [method, path, body]))
      expect(entries).toMatchObject([{ action, via: 'login' }])
      shapes.push(...entries.map(auditShape))
    }
    const words = command((await prepare?.()) ?? '')
    const entries = await entriesOf(() => runVerb(words))
    expect(entries).toMatchObject([{ action, via: 'command_line' }])
    shapes.push(...entries.map(auditShape))
    const [first, second = first] = shapes
    expect(second).toEqual(first)
  })
})

// biome-ignore format: the columns are the point
test.each([
  ['campaign',   'check',  'preflight'],
  ['newsletter', 'change', 'update'],
  ['domain',     'add',    'create'],
  ['domain',     'remove', 'delete'],
] as const)('%s %s is a hidden name of %s', async (thing, alias, verb) => {
  const plan = await findVerb(thing, verb)
  expect(plan?.aliases).toContain(alias)
  const listed = await help(thing)
  expect(listed).toMatch(new RegExp(`^  ${verb} `, 'm'))
  expect(listed).not.toMatch(new RegExp(`^  ${alias} `, 'm'))
  expect(await help(thing, alias)).toContain(`admin ${thing} ${alias}`)
})
