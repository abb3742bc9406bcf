/**
 * Who owns a sending domain, what a check of the DNS changes, and whose From addresses are refused.
 */
import { beforeEach, expect, test } from 'vitest'
import {
  type Answer,
  apiOfThisFile,
  type PersonLogin,
  type Tenant,
} from '../../test/fixtures/api-fixture.ts'
import { buildApp } from '../app.ts'
import { commandLineActor } from '../audit/audit-store.ts'
import { addApiKey } from '../credentials/credential-store.ts'
import type { ApiInstance } from '../http/route.ts'
import { allowDomain } from './allow-domain.ts'
import { disallowDomain } from './disallow-domain.ts'
import { recheckDomains } from './recheck-domains.ts'

const fixture = apiOfThisFile()
const admin = '/api/v1/admin/email'

interface Organization {
  readonly tenant: Tenant
  readonly owner: PersonLogin
}

let strict: ApiInstance
let acme: Organization
let rival: Organization
let count = 0
/** The answers of name servers; `fails` are names that get no answer. */
let txt: Map<string, string[]>
let fails: Set<string>
let domain: string

const resolver = {
  txt: async (name: string) => {
    if (fails.has(name) || fails.has('*')) throw new Error('ESERVFAIL')
    return txt.get(name) ?? []
  },
  mx: async () => [],
}

beforeEach(async () => {
  count += 1
  await fixture().pool.query('delete from sending_domains')
  domain = `sender${count}.example`
  txt = new Map()
  fails = new Set()
  const { ctx } = fixture()
  strict = await buildApp({ ...ctx, resolver, allowUnverifiedFrom: false })
  acme = await organization('Acme')
  rival = await organization('Rival')
  return () => strict.close()
})

async function organization(name: string): Promise<Organization> {
  const tenant = await fixture().tenant(`${name} ${count}`)
  return { tenant, owner: await fixture().login(tenant) }
}

function call(who: Organization, method: 'GET' | 'POST' | 'PATCH', path: string, body?: unknown) {
  const part = body === undefined ? {} : { body }
  return fixture().call(path, { method, login: who.owner, ...part }, strict)
}

async function add(who: Organization, selector: string): Promise<string> {
  const added = await call(who, 'POST', `${admin}/domains`, { domain, selector })
  expect(added.status).toBe(201)
  return added.body.id
}

/** Publishes the records of an organization: all, or the ones named. */
async function publish(who: Organization, id: string, uses = ['proof', 'dkim', 'spf', 'dmarc']) {
  const { body } = await call(who, 'GET', `${admin}/domains/${id}`)
  for (const { use, name, value } of body.records) {
    // SPF and DMARC are the same for everybody, and receivers take no second record.
    if (uses.includes(use)) txt.set(name, [...new Set([...(txt.get(name) ?? []), value])])
  }
}

async function check(who: Organization, id: string): Promise<{ state: string; reason: string }> {
  const { body } = await call(who, 'POST', `${admin}/domains/${id}/check`)
  return { state: body.state, reason: body.stateReason ?? '' }
}

function newNewsletter(who: Organization, slug: string, from = `news@${domain}`): Promise<Answer> {
  return call(who, 'POST', '/api/v1/organization/newsletters', {
    slug,
    name: 'News',
    from_address: from,
  })
}

async function send(who: Organization, newsletter: string): Promise<Answer> {
  const { organizationId } = who.tenant
  const key = await addApiKey(fixture().pool, { organizationId, label: 'test' })
  return fixture().call(
    '/api/v1/send',
    {
      method: 'POST',
      headers: { authorization: `Bearer ${key.value}` },
      body: { newsletter, to: 'ada@contact.test', subject: 's', markdown: 'm' },
    },
    strict,
  )
}

async function actions(who: Organization): Promise<string[]> {
  const { rows } = await fixture().pool.query(
    `select action from audit_log where organization_id = $1 and action like 'sending_domain.%' order by id`,
    [who.tenant.organizationId],
  )
  return rows.map(({ action }) => action)
}

async function recheck(afterMs: number): Promise<number> {
  fixture().time.nowMs += afterMs
  return recheckDomains({ ...fixture().ctx, resolver })
}
const hourMs = 3_600_000

test("a domain is the one's who proves it, and the second must outlive the first's proof", async () => {
  const [ours, theirs] = [await add(acme, 'acme'), await add(rival, 'rival')]
  expect((await check(acme, ours)).state).toBe('pending')
  await publish(acme, ours)
  expect((await check(acme, ours)).state).toBe('verified')

  await publish(rival, theirs, ['dkim', 'spf'])
  const refused = await check(rival, theirs)
  expect(refused).toMatchObject({ state: 'pending', reason: expect.stringContaining('proven') })
  expect((await newNewsletter(rival, `r${count}`)).status).toBe(400)
  // Both tokens are published: the owner stays.
  await publish(rival, theirs, ['proof'])
  expect((await check(rival, theirs)).state).toBe('pending')
  expect((await check(acme, ours)).state).toBe('verified')

  const tokens = txt.get(`_sluice.${domain}`)!
  txt.set(`_sluice.${domain}`, tokens.slice(1))
  expect((await check(rival, theirs)).state).toBe('verified')
  const { body } = await call(acme, 'GET', `${admin}/domains/${ours}`)
  expect(body).toMatchObject({ state: 'failed', stateReason: expect.stringContaining('Another') })
  expect((await newNewsletter(acme, `a${count}`)).status).toBe(400)
  expect(await actions(acme)).toEqual([
    'sending_domain.created',
    'sending_domain.verified',
    'sending_domain.lost',
  ])
  expect(await actions(rival)).toEqual(['sending_domain.created', 'sending_domain.verified'])
})

test('a token of one organization proves nothing for another', async () => {
  const [ours, theirs] = [await add(acme, 'acme'), await add(rival, 'rival')]
  await publish(acme, ours)
  await publish(rival, theirs, ['dkim', 'spf'])
  expect((await check(rival, theirs)).state).toBe('pending')
  expect((await check(acme, ours)).state).toBe('verified')
})

test('concurrent checks of two organizations leave one owner of the domain', async () => {
  const [ours, theirs] = [await add(acme, 'acme'), await add(rival, 'rival')]
  await publish(acme, ours)
  await publish(rival, theirs, ['proof', 'dkim'])
  const states = await Promise.all([check(acme, ours), check(rival, theirs)])
  expect(states.map(({ state }) => state).sort()).toEqual(['pending', 'verified'])
  const { rows } = await fixture().pool.query(
    'select count(*)::int as count from sending_domains where domain = $1 and owned_at is not null',
    [domain],
  )
  expect(rows).toEqual([{ count: 1 }])
})

test('the daily check fails and restores the domain, with audit entries', async () => {
  const id = await add(acme, 'acme')
  await publish(acme, id)
  await check(acme, id)
  expect(await recheck(23 * hourMs)).toBe(0)
  txt.delete(`acme._domainkey.${domain}`)
  expect(await recheck(hourMs)).toBe(1)
  const { body } = await call(acme, 'GET', `${admin}/domains/${id}`)
  expect(body).toMatchObject({ state: 'failed', stateReason: 'DKIM: Add the TXT record.' })
  // The domain was verified, so emails are still sent, unsigned, and the preflight check warns.
  expect((await newNewsletter(acme, `n${count}`)).status).toBe(201)
  await publish(acme, id, ['dkim'])
  expect(await recheck(hourMs)).toBe(1)
  expect((await call(acme, 'GET', `${admin}/domains/${id}`)).body.state).toBe('verified')
  expect(await actions(acme)).toEqual([
    'sending_domain.created',
    'sending_domain.verified',
    'sending_domain.failed',
    'sending_domain.verified',
  ])
})

test('a domain fails only after three days without an answer of its name servers', async () => {
  const id = await add(acme, 'acme')
  await publish(acme, id)
  await check(acme, id)
  fails = new Set(['*'])
  const states: string[] = []
  const { pool } = fixture()
  for (let hour = 0; hour < 24 + 78; hour += 6) {
    await recheck(6 * hourMs)
    const { rows } = await pool.query('select state from sending_domains where id = $1', [id])
    states.push(rows[0].state)
  }
  expect(states.slice(0, 15).every((state) => state === 'verified')).toBe(true)
  expect(states.at(-1)).toBe('failed')
  fails = new Set()
  await recheck(6 * hourMs)
  const { rows } = await pool.query(
    'select state, unanswered_checks as checks from sending_domains where id = $1',
    [id],
  )
  expect(rows).toEqual([{ state: 'verified', checks: 0 }])
})

test('a From address is refused with its domain until that is verified or allowed', async () => {
  const { pool, ctx } = fixture()
  const slug = `n${count}`
  const refused = await newNewsletter(acme, slug)
  expect(refused).toMatchObject({ status: 400, body: { details: [{ field: 'from_address' }] } })
  expect(refused.body.error).toContain(`domain create ${domain}`)

  const actor = commandLineActor(acme.tenant.organizationId)
  await allowDomain(ctx, actor, { domain: domain.toUpperCase(), reason: 'the relay signs' })
  expect((await newNewsletter(acme, slug)).status).toBe(201)
  expect((await newNewsletter(rival, `r${slug}`)).status).toBe(400)
  expect((await send(acme, slug)).status).toBe(200)
  expect((await newNewsletter(acme, `sub${slug}`, `news@below.${domain}`)).status).toBe(400)
  const change = { from_address: 'news@elsewhere.example' }
  const changed = await call(acme, 'PATCH', `/api/v1/organization/newsletters/${slug}`, change)
  expect(changed.status).toBe(400)
  const other = await call(acme, 'PATCH', `/api/v1/organization/newsletters/${slug}`, {
    name: 'Other',
  })
  expect(other.status).toBe(200)

  await disallowDomain(ctx, actor, { domain })
  const sendRefused = await send(acme, slug)
  expect(sendRefused.status).toBe(400)
  expect(sendRefused.body.error).toContain(domain)
  const { rows } = await pool.query(
    'select count(*)::int as count from sends where organization_id = $1',
    [acme.tenant.organizationId],
  )
  expect(rows).toEqual([{ count: 1 }])
  const log = await pool.query(
    `select action from audit_log where organization_id = $1 and action like 'from_domain.%' order by id`,
    [acme.tenant.organizationId],
  )
  expect(log.rows).toEqual([
    { action: 'from_domain.allowed' },
    { action: 'from_domain.disallowed' },
  ])
})

/** A draft whose newsletter has a From address of `domain`, which is not verified. */
async function draftFromDomain(): Promise<string> {
  const slug = `n${count}`
  await fixture().pool.query(
    `insert into newsletters (id, organization_id, slug, name, from_address)
       values (uuidv7(), $1, $2, 'News', $3)`,
    [acme.tenant.organizationId, slug, `news@${domain}`],
  )
  const made = await call(acme, 'POST', `${admin}/campaigns`, {
    newsletter: slug,
    subject: 'Hi',
    markdown: 'Hello',
  })
  expect(made.status).toBe(201)
  return made.body.id
}

test('a paused campaign whose From domain was lost does not resume until the domain is allowed again', async () => {
  const { ctx } = fixture()
  const actor = commandLineActor(acme.tenant.organizationId)
  const wanted = { domain, reason: null }
  await allowDomain(ctx, actor, wanted)
  const id = await draftFromDomain()
  const step = (name: string, body?: object) =>
    call(acme, 'POST', `${admin}/campaigns/${id}/${name}`, body)
  expect((await step('send', { force: true })).status).toBe(200)
  expect((await step('pause')).body).toMatchObject({ state: 'paused' })
  await disallowDomain(ctx, actor, { domain })
  const refused = await step('resume')
  expect(refused.status).toBe(409)
  expect(refused.body.error).toContain(`The campaign cannot be resumed: `)
  expect(refused.body.error).toContain(domain)
  await allowDomain(ctx, actor, wanted)
  expect((await step('resume')).body).toMatchObject({ state: 'preparing' })
})

test('a campaign from an unverified domain does not start, forced or not', async () => {
  const id = await draftFromDomain()
  const preflight = await call(acme, 'GET', `${admin}/campaigns/${id}/preflight`)
  expect(preflight.body.checks).toContainEqual(
    expect.objectContaining({ name: 'from', level: 'error' }),
  )
  for (const force of [false, true]) {
    const started = await call(acme, 'POST', `${admin}/campaigns/${id}/send`, { force })
    expect(started.status).toBe(400)
    expect(started.body.error).toContain(domain)
  }
  // The same database through an installation that captures all mail: a warning.
  const lax = await fixture().call(`${admin}/campaigns/${id}/preflight`, { login: acme.owner })
  expect(lax.body.checks).toContainEqual({
    name: 'from',
    level: 'warning',
    sentence: expect.stringMatching(/sends from it all the same, because of `MAIL_ALLOW_/),
  })
})
