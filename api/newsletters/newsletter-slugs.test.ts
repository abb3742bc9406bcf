/** Two organizations may have newsletters of one slug, and each call means its own. */
import { beforeAll, expect, test } from 'vitest'
import { apiOfThisFile, type PersonLogin, type Tenant } from '../../test/fixtures/api-fixture.ts'
import { addApiKey } from '../credentials/credential-store.ts'

const fixture = apiOfThisFile()

interface Organization {
  readonly tenant: Tenant
  readonly owner: PersonLogin
  readonly key: string
}
let acme: Organization
let rival: Organization
beforeAll(async () => {
  acme = await organization('Acme')
  rival = await organization('Rival')
})

async function organization(name: string): Promise<Organization> {
  const tenant = await fixture().tenant(name)
  const { organizationId } = tenant
  const key = await addApiKey(fixture().pool, { organizationId, label: 'test' })
  return { tenant, owner: await fixture().login(tenant), key: key.value }
}

function add(who: Organization, slug: string) {
  return fixture().call('/api/v1/organization/newsletters', {
    method: 'POST',
    login: who.owner,
    body: { slug, name: `${slug} of ${who.tenant.organizationId}`, from_address: 'n@sender.test' },
  })
}

function byKey(who: Organization, method: 'GET' | 'POST', path: string, body?: object) {
  const headers = { authorization: `Bearer ${who.key}` }
  const part = body === undefined ? {} : { body }
  return fixture().call(`/api/v1${path}`, { method, headers, ...part })
}

test('two organizations with the same slug: every key and login uses its own newsletter', async () => {
  const [ours, theirs] = [await add(acme, 'weekly'), await add(rival, 'weekly')]
  expect([ours.status, theirs.status]).toEqual([201, 201])
  expect((await add(acme, 'weekly')).status).toBe(409)

  for (const [who, name] of [
    [acme, ours.body.name],
    [rival, theirs.body.name],
  ] as const) {
    const shown = await fixture().call('/api/v1/organization/newsletters/weekly', {
      login: who.owner,
    })
    expect(shown.body.name).toBe(name)
  }
  const signup = { newsletter: 'weekly', email: 'ada@contact.test' }
  expect((await byKey(acme, 'POST', '/contacts', signup)).status).toBe(201)
  // Not known there: it is another newsletter.
  expect((await byKey(rival, 'POST', '/contacts', signup)).status).toBe(201)
  expect((await byKey(acme, 'POST', '/contacts', signup)).status).toBe(200)
  const email = { newsletter: 'weekly', to: 'bob@contact.test', subject: 's', markdown: 'm' }
  const sent = await byKey(rival, 'POST', '/send', email)
  const { rows } = await fixture().pool.query('select newsletter_id from sends where id = $1', [
    sent.body.id,
  ])
  expect(rows).toEqual([{ newsletter_id: theirs.body.id }])
})

test('archives of newsletters with the same slug have different addresses, and the older one keeps its own', async () => {
  const slug = 'daily'
  const [ours, theirs] = [await add(acme, slug), await add(rival, slug)]
  expect(ours.body.archive_path).toBe(slug)
  expect(theirs.body.archive_path).toMatch(/^daily-[0-9a-f]{8}$/)

  const urls: string[] = []
  for (const who of [acme, rival]) {
    const draft = { newsletter: slug, subject: 'Hi', markdown: 'm', archiveSlug: 'first' }
    const made = await byKey(who, 'POST', '/campaigns', draft)
    expect(made.status).toBe(201)
    await fixture().pool.query('update campaigns set sent_at = now() where id = $1', [made.body.id])
    await fixture().pool.query('update campaigns set subject = $2 where id = $1', [
      ...[made.body.id, `Hi from ${who.tenant.organizationId}`],
    ])
    urls.push(new URL(made.body.url).pathname)
  }
  expect(urls[0]).toBe(`/archive/${slug}/first`)
  for (const [index, who] of [acme, rival].entries()) {
    const page = await fixture().call(urls[index]!)
    expect(page.status).toBe(200)
    expect(JSON.stringify(page.body)).toContain(`Hi from ${who.tenant.organizationId}`)
    const feed = await fixture().call(urls[index]!.replace('/first', '/feed.json'))
    expect(JSON.stringify(feed.body)).toContain(urls[index])
  }
})

test('concurrent creations leave one newsletter per organization and slug, with unique addresses', async () => {
  const answers = await Promise.all(
    Array.from({ length: 6 }, (_, no) => add(no % 2 === 0 ? acme : rival, 'rush')),
  )
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 409, 409, 409, 409])
  const paths = answers.flatMap(({ body }) => body.archive_path ?? [])
  expect(new Set(paths).size).toBe(2)
})

test('a slug that equals another archive path gets a different path', async () => {
  await add(acme, 'journal')
  const second = await add(rival, 'journal')
  const third = await add(acme, second.body.archive_path)
  expect(third.status).toBe(201)
  expect(third.body.archive_path).not.toBe(second.body.archive_path)
  expect((await fixture().call(`/archive/${second.body.archive_path}/`)).status).toBe(200)
})
