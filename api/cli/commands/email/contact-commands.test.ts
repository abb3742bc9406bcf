import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { apiOfThisFile } from '../../../../test/fixtures/api-fixture.ts'
import { type MailTenant, mailTenant } from '../../../../test/fixtures/email-fixture.ts'
import { runAdmin } from '../../run-admin.ts'

const api = apiOfThisFile()
let tenant: MailTenant
let folder: string

beforeAll(async () => {
  tenant = await mailTenant(api())
  folder = await mkdtemp(join(tmpdir(), 'sluice-contacts-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

async function admin(...args: readonly string[]) {
  let stdout = ''
  let stderr = ''
  const code = await runAdmin(args, {
    env: { POSTGRES_URL: api().stores.postgresUrl },
    stdout: (text) => {
      stdout += text
    },
    stderr: (text) => {
      stderr += text
    },
  })
  return { code, stdout, stderr, json: () => JSON.parse(stdout) }
}

test('contacts are imported, listed and exported, and a person is erased', async () => {
  const file = join(folder, 'in.csv')
  await writeFile(file, 'Mail;Ort;Note\nada@example.com;Köln;x\nnope;;\nbob@blocked.example;;\n')
  expect((await admin('blocked-domain', 'add', 'blocked.example')).code).toBe(0)
  const options = [
    '--newsletter',
    tenant.direct,
    '--mapping',
    '{"email":"Mail","attribs":{"city":"Ort"}}',
  ]
  const counts = { rows: 3, created: 1, updated: 0, unchanged: 0, refused: 2 }
  const tried = await admin('contact', 'import', file, ...options, '--dry-run', '--json')
  expect(tried.json()).toMatchObject({ ...counts, dry_run: true })
  expect(tried.stderr).toContain('Columns that are not imported: Note.')
  expect((await admin('contact', 'list', '--json')).json()).toEqual([])
  const done = await admin('contact', 'import', file, ...options)
  expect(done.stdout).toContain('line 3, email: must be an email address')
  const [contact] = (await admin('contact', 'list', '--search', 'ADA@', '--json')).json()
  expect(contact).toMatchObject({ email: 'ada@example.com', attribs: '{"city":"Köln"}' })

  const out = join(folder, 'out.csv')
  expect((await admin('contact', 'export', out, '--newsletter', tenant.direct)).code).toBe(0)
  expect(await readFile(out, 'utf8')).toContain(
    ',ada@example.com,,subscribed,"{""city"":""Köln""}"',
  )
  const again = await admin('contact', 'export', out)
  expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('is there already')])

  expect((await admin('contact', 'erase', 'Ada@example.com', '--json')).json().erased).toBe(true)
  expect((await admin('contact', 'erase', 'ada@example.com')).stderr).toBe(
    'Nothing is stored about this address.\n',
  )
  const { rows } = await api().pool.query(`select action, via from audit_log order by id`)
  expect(rows.map(({ action }) => action)).toEqual([
    'blocked_domain.added',
    'contact_import.started',
    'contact_import.started',
    'contact.exported',
    'contact.erased',
  ])
  expect(new Set(rows.map(({ via }) => via))).toEqual(new Set(['command_line']))
})

test('opt-out columns stop an import, Mailchimp files differ by name, and JSON follows the same rules', async () => {
  const into = ['--newsletter', tenant.direct, '--json']
  const write = async (name: string, text: string) => {
    const file = join(folder, name)
    await writeFile(file, text)
    return file
  }
  const csv = await write('opt.csv', 'email,Opt out,gdpr\nout@example.com,yes,\n')
  const json = await write('opt.json', '[{"email":"out@example.com","Opt out":true,"gdpr":null}]')
  for (const file of [csv, json]) {
    const refused = await admin('contact', 'import', file, ...into)
    expect([refused.code, refused.stdout]).toEqual([1, ''])
    expect(refused.stderr).toContain('--ignore-column "Opt out"')
    const mapping = ['--mapping', '{"unsubscribed":"Opt out"}', '--ignore-column', 'gdpr']
    const done = await admin('contact', 'import', file, ...into, ...mapping)
    expect(done.json()).toMatchObject({ rows: 1, refused: 0, ignored_columns: ['gdpr'] })
  }
  const [contact] = (await admin('contact', 'list', '--search', 'out@', '--json')).json()
  expect(contact.status).toBe('unsubscribed')

  const members = 'Email Address,MEMBER_RATING,LEID\nmember@example.com,2,1\n'
  const untold = await admin('contact', 'import', await write('export.csv', members), ...into)
  expect([untold.code, untold.stderr]).toEqual([1, expect.stringContaining('subscribed_')])
  const cleaned = await write('cleaned_email_audience_export_1.csv', members)
  expect((await admin('contact', 'import', cleaned, ...into)).json()).toMatchObject({
    format: 'mailchimp',
    created: 1,
    suppressed: 1,
  })
  const latin = join(folder, 'latin.csv')
  await writeFile(latin, Buffer.from('email,name\nl@example.com,J\xfcrgen\n', 'latin1'))
  const converted = await admin('contact', 'import', latin, ...into)
  expect(converted.json()).toMatchObject({ encoding: 'windows-1252', created: 1 })
  const [named] = (await admin('contact', 'list', '--search', 'l@ex', '--json')).json()
  expect(named.name).toBe('Jürgen')
})

// biome-ignore format: the columns are the point
test.each([
  ['an unknown newsletter', ['contact', 'import', 'FILE', '--newsletter', 'none'], 'No newsletter has the slug none'],
  ['a missing file', ['contact', 'import', '/no/such.csv', '--newsletter', 'DIRECT'], 'cannot be read'],
  ['an unknown status', ['contact', 'list', '--status', 'gone'], '--status is not valid'],
  ['a newsletter to list',  ['contact', 'list', '--newsletter', 'none'], 'No newsletter has the slug none'],
  ['an unknown contact', ['contact', 'show', '019ab2c4-7f00-7c3e-9d41-5b0f5f7a9e10'], 'No contact has the id 019ab2c4'],
  ['an id that is not one', ['contact', 'delete', '\u0000nope'], 'No contact has the id'],
  ['attributes that are not JSON', ['contact', 'update', 'x', '--attribs', '{'], '--attribs must be JSON'],
  ['an attribute that is a list', ['contact', 'update', 'x', '--attribs', '{"a":[1]}'], '--attribs is not valid'],
  ['a name that is too long', ['contact', 'update', 'x', '--name', 'n'.repeat(201)], '--name is not valid'],
  ['a name with an unpaired surrogate', ['contact', 'create', 'a@b.example', '--newsletter', 'DIRECT', '--name', '\ud800'], '--name is not valid'],
  ['an address with NUL', ['contact', 'erase', 'a\u0000@b.example'], 'must not hold control characters'],
  ['a mapping that is not JSON', ['contact', 'import', 'FILE', '--newsletter', 'DIRECT', '--mapping', '{'], '`mapping`: must be JSON'],
  ['a public suffix', ['blocked-domain', 'add', 'co.uk'], 'must not be a public suffix'],
  ['a domain that is not blocked', ['blocked-domain', 'remove', 'free.example'], 'This domain is not blocked'],
  ['an invalid address', ['contact', 'erase', 'nobody'], 'must be an email address'],
] as const)('%s is one sentence and exit code 1', async (_name, args, sentence) => {
  const file = join(folder, 'some.csv')
  await writeFile(file, 'email\n')
  const given = args.map((arg) => arg.replace('DIRECT', tenant.direct).replace('FILE', file))
  const { code, stdout, stderr } = await admin(...given)
  expect([code, stdout]).toEqual([1, ''])
  expect(stderr).toContain(sentence)
  expect(stderr.trim().split('\n')).toHaveLength(1)
})
