import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { adminOf } from '../../../../test/fixtures/admin-fixture.ts'
import { apiOfThisFile } from '../../../../test/fixtures/api-fixture.ts'

const api = apiOfThisFile()
const { admin, json } = adminOf(api)
const environment = () => ({
  POSTGRES_URL: api().stores.postgresUrl,
  INGEST_URL: 'https://in.example.test',
  API_URL: 'https://sluice.example.test',
})
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-setup-'))
})
afterAll(() => rm(folder, { recursive: true }))

async function fileOf(bytes: string | Uint8Array): Promise<string> {
  const path = join(folder, 'password')
  await writeFile(path, bytes)
  return path
}

async function rowCounts() {
  const { rows } = await api().pool.query(
    `select (select count(*) from organizations) as organizations, (select count(*) from people) as people,
       (select count(*) from projects) as projects, (select count(*) from dsn_keys) as keys,
       (select count(*) from access_tokens) as tokens, (select count(*) from audit_log) as entries`,
  )
  return rows[0]
}

const needed = 'setup --organization Acme --email ann@acme.test'

describe('before there is an organization', () => {
  // biome-ignore format: the columns are the point
  test.each([
    ['without an organization',    'setup --email ann@acme.test',              undefined,            '--organization'],
    ['without an owner',           'setup --organization Acme',                undefined,            '--email'],
    ['an invalid address',          'setup --organization Acme --email ann',    undefined,            '--email is not valid'],
    ['a control character',        'setup --organization A\u0007 --email a@b.test', undefined,       '--organization is not valid'],
    ['a NUL',                      'setup --organization A\u0000 --email a@b.test', undefined,       '--organization is not valid'],
    ['a name that is too long',    `setup --organization ${'x'.repeat(101)} --email a@b.test`, undefined, '--organization is not valid'],
    ['an empty project',           `${needed} --project +`,                    undefined,            '--project is not valid'],
    ['a newsletter without From',  `${needed} --newsletter news`,              undefined,            '--newsletter and --from go together'],
    ['a From without newsletter',  `${needed} --from a@acme.test`,             undefined,            '--newsletter and --from go together'],
    ['a domain without From',      `${needed} --allow-domain`,                 undefined,            '--allow-domain allows the domain of --from'],
    ['an unverified From',         `${needed} --newsletter n --from a@acme.test`, undefined,         '--from'],
    ['a short password',           needed,                                     'short\n',            '--password-file is not valid'],
    ['an empty password',          needed,                                     '\n',                 'it is empty'],
    ['two lines',                  needed,                                     'one two three\nfour','one line'],
    ['a NUL in the password',      needed,                                     'long enough\u0000',  'without control characters'],
    ['a huge password',            needed,                                     'x'.repeat(100_000),  'at most 2048 bytes'],
    ['bytes that are not UTF-8',   needed,                                     new Uint8Array([0xff, 0xfe, 0xc3]), 'UTF-8'],
  ] as const)('%s is refused and creates nothing', async (_name, line, password, sentence) => {
    const flag = password === undefined ? '' : ` --password-file ${await fileOf(password)}`
    const { code, stdout, stderr } = await admin(`${line}${flag}`, environment())
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toContain(sentence)
    expect(await rowCounts()).toEqual(nothing)
  })

  test('a password file that does not exist is named', async () => {
    const { code, stderr } = await admin(`${needed} --password-file /nowhere/at/all`)
    expect([code, stderr]).toEqual([1, expect.stringContaining('/nowhere/at/all')])
  })

  test.each(['INGEST_URL', 'API_URL'])('without %s it is refused', async (name) => {
    const { code, stderr } = await admin(needed, { ...environment(), [name]: '' })
    expect([code, stderr]).toEqual([1, expect.stringContaining(`${name} is not set`)])
    expect(await rowCounts()).toEqual(nothing)
  })

  test('two operators at once create one organization', async () => {
    const password = await fileOf('correct horse battery\n')
    const line = `${needed} --name Ann --project Shop --newsletter news --from news@acme.test --allow-domain --password-file ${password} --json`
    const both = await Promise.all([admin(line, environment()), admin(line, environment())])
    const codes = both.map(({ code }) => code).sort()
    expect(codes).toEqual([0, 1])
    const won = JSON.parse(both.find(({ code }) => code === 0)?.stdout ?? '')
    expect(won).toMatchObject({
      organization: 'Acme',
      owner_email: 'ann@acme.test',
      password_link: null,
      project: 'Shop',
      newsletter: 'news',
      access_token: expect.stringMatching(/^oat_/),
      api_key: expect.stringMatching(/^emk_/),
      dsn: expect.stringMatching(/^https:\/\/[0-9a-f]{32}@in\.example\.test\/\d+$/),
    })
    expect(both.find(({ code }) => code === 1)?.stderr).toMatch(/^Already set up: .*"Acme"/)
    expect(await rowCounts()).toMatchObject({ organizations: 1, people: 1, projects: 1, keys: 1 })
    const login = await api().call('/api/v1/login', {
      method: 'POST',
      body: { email: 'ann@acme.test', password: 'correct horse battery' },
    })
    expect(login.status).toBe(200)
  })

  const nothing = { organizations: 0, people: 0, projects: 0, keys: 0, tokens: 0, entries: 0 }
})

describe('when there is an organization', () => {
  test('setup changes nothing', async () => {
    const before = await rowCounts()
    const { code, stderr } = await admin('setup --organization B --email b@b.test', environment())
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^Already set up: /)])
    expect(await rowCounts()).toEqual(before)
  })

  // biome-ignore format: the columns are the point
  test.each([
    ['project create --name More',                  'INGEST_URL'],
    ['project list',                                'INGEST_URL'],
    ['project show',                                'INGEST_URL'],
    ['project update --name More',                  'INGEST_URL'],
    ['dsn-key create --label worker',               'INGEST_URL'],
    ['dsn-key list',                                'INGEST_URL'],
    ['dsn-key disable 0123',                        'INGEST_URL'],
    ['person invite bob@acme.test',                 'API_URL'],
    ['person link ann@acme.test',                   'API_URL'],
    ['campaign show 0123',                          'API_URL'],
    ['campaign preflight 0123',                     'API_URL'],
    ['campaign send 0123 --yes',                    'API_URL'],
    ['bounce-adapter create postmark',              'API_URL'],
  ])('%s is refused without %s, before it changes anything', async (line, name) => {
    const before = await rowCounts()
    const { code, stdout, stderr } = await admin(line, { ...environment(), [name]: '' })
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(new RegExp(`^${name} is not set: set it to .*\\.\n$`))
    expect(await rowCounts()).toEqual(before)
  })

  test('commands that print no address need none', async () => {
    const env = { POSTGRES_URL: api().stores.postgresUrl }
    for (const line of [
      'organization list',
      'person list',
      'access-token list',
      'newsletter list',
    ]) {
      expect([line, (await admin(line, env)).code]).toEqual([line, 0])
    }
  })

  test('a one-time link is printed when no password was given', async () => {
    await api().pool.query('delete from organizations')
    await api().pool.query('delete from people')
    const { code, stdout } = await admin(`${needed} --json`, environment())
    expect(code).toBe(0)
    expect(JSON.parse(stdout).password_link).toMatch(/^https:\/\/sluice\.example\.test\/welcome\//)
    expect(await json('organization list')).toHaveLength(1)
  })
})
