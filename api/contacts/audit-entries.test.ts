/**
 * Each administrative action on contacts, suppressions and blocked domains writes one audit entry,
 * with the same details whether it was called over the API or on the command line.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { adminOf } from '../../test/fixtures/admin-fixture.ts'
import { apiOfThisFile } from '../../test/fixtures/api-fixture.ts'
import {
  type AuditRow,
  auditEntriesOf,
  auditShape,
  callAsPerson,
} from '../../test/fixtures/audit-fixture.ts'
import { callEmail } from '../../test/fixtures/email-fixture.ts'
import { type ImportDesk, importDesk, uploadContacts } from '../../test/fixtures/import-fixture.ts'

const api = apiOfThisFile()
const { succeedIn } = adminOf(api)
const prefix = '/api/v1/admin/email'
const csv = 'email,name\nimported@example.test,Imported\n'
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-audit-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

interface Place extends ImportDesk {
  /** Id of a contact with the address `known@example.test`. */
  readonly contactId: string
}

async function place(): Promise<Place> {
  const desk = await importDesk(api())
  const owner = { ...desk, login: await api().login(desk.tenant, 'owner') }
  const body = { newsletter: desk.tenant.direct, email: 'known@example.test', name: 'Ada' }
  const signup = await callEmail(api(), desk.tenant, '/contacts', { method: 'POST', body })
  return { ...owner, contactId: signup.body.id }
}

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'
type Work = (at: Place) => Promise<void>

const route =
  (method: Method, path: string, body: object | undefined, status: number): Work =>
  async (at) => {
    const sent = body === undefined ? {} : { body: JSON.parse(filled(JSON.stringify(body), at)) }
    const answer = await api().call(prefix + filled(path, at), { method, login: at.login, ...sent })
    expect([answer.status, answer.body]).toEqual([status, answer.body])
  }

const command =
  (...args: readonly string[]): Work =>
  async (at) => {
    await succeedIn(at.tenant, ...args.map((arg) => filled(arg, at)), '--json')
  }

function filled(text: string, { tenant, contactId }: Place): string {
  return text
    .replaceAll('{newsletter}', tenant.direct)
    .replaceAll('{contact}', contactId)
    .replaceAll('{folder}', join(folder, contactId))
}

const upload: Work = async (at) => {
  const query = { newsletter: at.tenant.direct, dryRun: 'true' }
  expect((await uploadContacts(api(), at, csv, query)).status).toBe(202)
}

const importCommand: Work = async (at) => {
  const file = filled('{folder}.csv', at)
  await writeFile(file, csv)
  await command('contact', 'import', file, '--newsletter', '{newsletter}', '--dry-run')(at)
}

const suppressionFile: Work = (at) =>
  callAsPerson(api(), at.login, ['POST', `${prefix}/suppressions/import`, csv])

const suppressionFileCommand: Work = async (at) => {
  const file = filled('{folder}-suppressions.csv', at)
  await writeFile(file, csv)
  await command('suppression', 'import', file)(at)
}

const suppressed: Work = async ({ tenant }) => {
  await api().pool.query(
    `update addresses set suppressed_at = now() - interval '1 year', suppression_cause = 'manual'
     where organization_id = $1`,
    [tenant.organizationId],
  )
}

const blocked: Work = async ({ tenant }) => {
  await api().pool.query(
    `insert into blocked_domains (organization_id, domain, created_at) values ($1, 'old.test', now())`,
    [tenant.organizationId],
  )
}

const nothing: Work = async () => undefined
const email = 'known@example.test'
const reason = 'by phone'
const bulk = { cause: 'manual', reason, dryRun: false }

// biome-ignore format: the columns are the point
const actions: readonly (readonly [string, Work, Work, Work])[] = [
  ['contact.added',          nothing,    route('POST', '/contacts', { newsletter: '{newsletter}', email: 'new@example.test' }, 201),
                                         command('contact', 'create', 'new@example.test', '--newsletter', '{newsletter}')],
  ['contact.changed',        nothing,    route('PATCH', '/contacts/{contact}', { name: 'Bob', attribs: { city: 'Rome' } }, 200),
                                         command('contact', 'update', '{contact}', '--name', 'Bob', '--attribs', '{"city":"Rome"}')],
  ['contact.unsubscribed',   nothing,    route('POST', '/contacts/{contact}/unsubscribe', undefined, 200),
                                         command('contact', 'unsubscribe', '{contact}')],
  ['contact.removed',        nothing,    route('DELETE', '/contacts/{contact}', undefined, 204),
                                         command('contact', 'delete', '{contact}')],
  ['contact.erased',         nothing,    route('POST', '/contacts/{contact}/erase', undefined, 204),
                                         command('contact', 'erase', email)],
  ['contact.exported',       nothing,    route('GET', '/contacts/export?newsletter={newsletter}&status=subscribed', undefined, 200),
                                         command('contact', 'export', '{folder}-out.csv', '--newsletter', '{newsletter}', '--status', 'subscribed')],
  ['contact_import.started', nothing,    upload, importCommand],
  ['blocked_domain.added',   nothing,    route('POST', '/blocked-domains', { domain: 'new.test' }, 201),
                                         command('blocked-domain', 'create', 'new.test')],
  ['blocked_domain.removed', blocked,    route('DELETE', '/blocked-domains/old.test', undefined, 204),
                                         command('blocked-domain', 'delete', 'old.test')],
  ['suppression.added',      nothing,    route('POST', '/suppressions', { email, reason }, 201),
                                         command('suppression', 'create', email, '--reason', reason)],
  ['suppression.lifted',     suppressed, route('POST', '/suppressions/lift', { email, reason }, 200),
                                         command('suppression', 'lift', email, '--reason', reason)],
  ['suppression.lifted_in_bulk', suppressed, route('POST', '/suppressions/lift-matching', bulk, 200),
                                         command('suppression', 'lift-matching', '--cause', 'manual', '--reason', reason)],
  ['suppression.imported',   nothing,    suppressionFile, suppressionFileCommand],
]

test.each(actions)(
  '%s: one entry with the same details',
  async (action, before, byRoute, byCommand) => {
    const entries: AuditRow[] = []
    for (const work of [byRoute, byCommand]) {
      const at = await place()
      await before(at)
      const written = await auditEntriesOf(api(), at.tenant, () => work(at))
      expect(written).toHaveLength(1)
      entries.push(...written)
    }
    expect(entries).toMatchObject([
      { action, via: 'login' },
      { action, via: 'command_line' },
    ])
    // The subject may differ: a command names an address or a newsletter where a route has an id.
    const [overApi, onCommandLine] = entries.map((entry) => auditShape(entry).detailKeys)
    expect(onCommandLine).toEqual(overApi)
  },
)

// biome-ignore format: the columns are the point
test.each([
  ['a contact that is not subscribed', suppressed, command('contact', 'unsubscribe', '{contact}')],
  ['a domain that is blocked already', blocked,    command('blocked-domain', 'create', 'old.test')],
  ['an address that is suppressed',    suppressed, command('suppression', 'create', email)],
] as const)('%s: nothing changes, and there is no audit entry', async (_name, before, work) => {
  const at = await place()
  await before(at)
  if (_name.startsWith('a contact')) {
    await api().pool.query(`update contacts set status = 'unsubscribed' where id = $1`, [at.contactId])
  }
  expect(await auditEntriesOf(api(), at.tenant, () => work(at))).toEqual([])
})

test('a dry run that is started, and an import that is cancelled, name the newsletter', async () => {
  const at = await place()
  const newsletter = at.tenant.direct
  const query = { newsletter, dryRun: 'true', fileName: 'list.csv' }
  const { body } = await uploadContacts(api(), at, csv, query)
  await api().pool.query(`update contact_imports set state = 'done' where id = $1`, [body.id])
  await route('POST', `/imports/${body.id}/start`, undefined, 202)(at)
  await api().pool.query(`update contact_imports set state = 'waiting' where id = $1`, [body.id])
  await route('POST', `/imports/${body.id}/cancel`, undefined, 200)(at)
  const { rows } = await api().pool.query(
    'select action, details from audit_log where subject_id = $1 order by id',
    [body.id],
  )
  expect(rows).toEqual([
    {
      action: 'contact_import.started',
      details: { newsletter, dryRun: true, format: 'generic', file: 'list.csv' },
    },
    {
      action: 'contact_import.started',
      details: { newsletter, dryRun: false, format: 'generic', file: null },
    },
    {
      action: 'contact_import.cancelled',
      details: { newsletter, rowsDone: expect.any(Number) },
    },
  ])
})

// biome-ignore format: the columns are the point
test.each([
  ['blocked-domain add',    ['blocked-domain', 'add', 'alias.test']],
  ['blocked-domain remove', ['blocked-domain', 'remove', 'old.test']],
  ['suppression add',       ['suppression', 'add', 'alias@example.test']],
] as const)('the former verb %s still works', async (_name, args) => {
  const at = await place()
  await blocked(at)
  const entries = await auditEntriesOf(api(), at.tenant, () => command(...args)(at))
  expect(entries).toHaveLength(1)
})
