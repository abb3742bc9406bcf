import { beforeAll, describe, expect, test } from 'vitest'
import { type AdminAnswer, adminOf } from '../../test/fixtures/admin-fixture.ts'
import { apiOfThisFile } from '../../test/fixtures/api-fixture.ts'

const api = apiOfThisFile()
const { admin, json } = adminOf(api)
/** The output of one command before there was an organization, and when there was one. */
let withNone: AdminAnswer
let withOne: AdminAnswer

beforeAll(async () => {
  withNone = await admin('project list')
  await admin('organization create --name Acme')
  withOne = await admin('project list --json')
  for (const name of ['Other', 'Twin', 'Twin']) await admin(`organization create --name ${name}`)
  await admin('newsletter create --organization Acme --slug taken --name N --from a@b.test')
})

/** Runs a line in the organization of this name. */
const acme = (line: string) => json(`${line} --organization Acme`)

describe('a newsletter', () => {
  test('is set up and changed by flags', async () => {
    await acme('newsletter create --slug flags --name Flags --from a@b.test --archive off')
    const changed = await acme(
      'newsletter change flags --reply-to r@b.test --track-opens on --footer Bye',
    )
    expect(changed).toMatchObject({
      reply_to: 'r@b.test',
      track_opens: true,
      footer: 'Bye',
      archive_enabled: false,
    })
    await acme('newsletter change flags --footer none')
    expect((await acme('newsletter show flags')).footer).toBeNull()
  })

  test.each([
    ['--track-opens maybe', '--track-opens is not valid: must be on or off.\n'],
    ['--reply-to nobody', '--reply-to is not valid'],
    ['', 'Say what to change: see --help.\n'],
  ])('%s is an error', async (flags, sentence) => {
    const words = `newsletter change taken ${flags} --organization Acme`.replace(/ +/g, ' ')
    const { code, stderr } = await admin(words)
    expect([code, stderr]).toEqual([1, expect.stringContaining(sentence)])
  })
})

describe('the organization', () => {
  test('without one, the error names the first step', () => {
    expect(withNone).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'There is no organization yet: create the first one with `setup`, or one with `organization create --name N`.\n',
    })
  })

  test('the only organization is used without its name', () => {
    expect(withOne).toEqual({ code: 0, stdout: '[]\n', stderr: '' })
  })

  test('a project, its keys, and the credentials of an organization', async () => {
    const project = await acme('project create --name Web+shop')
    expect(Object.keys(project)).toEqual(['id', 'dsn_id', 'name', 'project_key', 'dsn'])
    expect(project.dsn).toMatch(
      new RegExp(`^https://[0-9a-f]{32}@in\\.example\\.test/sluice/${project.dsn_id}$`),
    )
    expect(await acme('project list')).toContainEqual(project)

    const key = await acme(`key create --project ${project.id} --label worker`)
    expect(Object.keys(key)).toEqual(['id', 'label', 'public_key', 'dsn'])
    expect(key).toMatchObject({ label: 'worker', dsn: expect.stringContaining(key.public_key) })
    const keys = await acme(`key list --project ${project.dsn_id}`)
    expect(keys.map((row: { label: string | null }) => row.label)).toEqual([null, 'worker'])
    expect(await acme(`key disable ${key.id}`)).toMatchObject({ id: key.id, status: 'disabled' })
    expect(await acme(`key disable --id ${key.id}`)).toMatchObject({ status: 'disabled' })
    expect(await acme(`key enable ${key.public_key}`)).toMatchObject({ status: 'active' })

    const token = await acme('token create --label script')
    expect(token).toMatchObject({ label: 'script', prefix: token.value.slice(0, 10) })
    expect(token.value).toMatch(/^oat_[A-Za-z0-9_-]{43}$/)
    expect(token.scopes).toEqual(['feedback:read', 'issues:read', 'issues:write'])
    const path = `/api/v1/projects/${project.id}/issues`
    expect((await api().call(path, { token: token.value })).status).toBe(200)
    expect(JSON.stringify(await acme('token list'))).not.toContain(token.value)
    const revoked = await acme(`token revoke ${token.prefix}`)
    expect(revoked.revoked_at).not.toBeNull()
    expect((await acme(`token revoke ${token.id}`)).revoked_at).toBe(revoked.revoked_at)
    expect((await api().call(path, { token: token.value })).status).toBe(401)
    await acme(`token delete ${token.id}`)
    expect(await acme('token list')).toEqual([])

    const narrow = await acme('token create --label narrow --scopes issues:read,settings:write')
    expect(narrow.scopes).toEqual(['issues:read', 'settings:write'])

    const apiKey = await acme('api-key create --label mailer')
    expect(apiKey.value).toMatch(/^emk_[A-Za-z0-9_-]{43}$/)
    expect(await acme('api-key list')).toMatchObject([{ id: apiKey.id, revoked_at: null }])
    expect((await acme(`api-key revoke ${apiKey.id}`)).revoked_at).not.toBeNull()

    const newsletter = await acme(
      'newsletter create --slug news --name News --from a@b.test --confirm',
    )
    expect(newsletter).toMatchObject({ slug: 'news', from: 'a@b.test', confirm: true })
    expect(await acme('newsletter list')).toContainEqual(newsletter)

    const table = await admin('project list --organization Acme')
    expect(table.stdout).toMatch(/^id +dsn_id +name +project_key +dsn\n.*Web shop.*\n$/)
  })

  test('with several organizations, the command must name one', async () => {
    const organizations = await json('organization list')
    const other = organizations.find((row: { name: string }) => row.name === 'Other')
    const unnamed = await admin('project list --json')
    expect([unnamed.code, unnamed.stdout]).toEqual([1, ''])
    expect(unnamed.stderr).toContain('--organization')
    expect(await json('project list --organization Other')).toEqual([])
    expect(await json(`project list --organization ${other.id}`)).toEqual([])
    for (const wrong of ['Nobody', 'Twin']) {
      const answer = await admin(`project list --organization ${wrong}`)
      expect([answer.code, answer.stderr]).toEqual([1, expect.stringContaining(wrong)])
    }
    const first = await json('project create --name A --organization Other')
    await json('project create --name B --organization Other')
    const several = await admin('key list --organization Other')
    expect(several.stderr).toContain('--project')
    expect(await json('key list --organization Other --project A')).toHaveLength(1)
    // Things of another organization cannot be named.
    const foreign = await admin(`key list --organization Acme --project ${first.id}`)
    expect(foreign.stderr).toContain('No project is called')
  })
})

// biome-ignore format: the columns are the point
test.each([
  ['nothing at all',                    '',                                                              'Say what to do'],
  ['no verb',                           'project',                                                       'Say what to do'],
  ['an unknown thing',                  'projekt list',                                                  "Unknown command 'projekt'"],
  ['an unknown verb',                   'project frobnicate',                                            "Unknown command 'frobnicate'"],
  ['an unknown flag',                   'project list --colour red',                                     "Unknown option '--colour'"],
  ['one word too many',                 'project list please',                                           'Too many arguments'],
  ['a required flag that is missing',   'project create',                                                "Required option '--name <name>'"],
  ['a flag without its value',          'project create --name',                                         "Option '--name <name>' argument missing"],
  ['no id to revoke',                   'token revoke --organization Acme',                              "Missing required argument 'id'"],
  ['an empty name',                     'project create --organization Acme --name +',                   '--name is not valid'],
  ['a label with a slash',              'key create --organization Acme --label a/b',                    '--label is not valid'],
  ['an unknown scope',                  'token create --organization Acme --label x --scopes issues:eat', '--scopes is not valid'],
  ['an empty list of scopes',           'token create --organization Acme --label x --scopes=',          '--scopes is not valid'],
  ['an invalid address',                'newsletter create --slug n --name N --from nobody',             '--from is not valid'],
  ['a slug in capitals',                'newsletter create --slug News --name N --from a@b.test',        '--slug is not valid'],
  ['a slug that is taken',              'newsletter create --organization Acme --slug taken --name N --from a@b.test', 'exists already'],
  ['a token that is not there',         'token revoke oat_nobody --organization Acme',                   'No single access token'],
  ['an id that is not there',           'token delete 019ab2c4-7f00-7c3e-9d41-5b0f5f7a9e10 --organization Acme', 'No single access token'],
  ['a key that is not there',           'key disable x --organization Acme',                             'No DSN key'],
  ['SQL for an id',                     "key disable ';drop+table+dsn_keys --organization Acme",         'No DSN key'],
] as const)('%s is one sentence and exit code 1', async (_name, line, sentence) => {
  const { code, stdout, stderr } = await admin(line)
  expect([code, stdout]).toEqual([1, ''])
  expect(stderr).toContain(sentence)
  expect(stderr.trimEnd()).not.toContain('\n')
})

describe('old names keep working and are not listed', () => {
  // biome-ignore format: the columns are the point
  test.each([
    ['key',                'key list --organization Other --project A'],
    ['token',              'token list'],
    ['quota set',          'quota set --project Old --per-minute 5'],
    ['person role',        'person role old@example.com --role viewer'],
    ['person reset',       'person reset old@example.com'],
    ['dead-letter drop',   'dead-letter drop --all --yes'],
  ])('%s', async (name, line) => {
    if (name.startsWith('quota')) await acme('project create --name Old')
    if (name === 'person role') {
      await acme('person invite owner@example.com --role owner')
      await acme('person invite old@example.com')
    }
    const organization = line.includes('--organization') ? '' : ' --organization Acme'
    await json(`${line}${organization}`)
    const [thing = '', verb] = name.split(' ')
    const help = await admin(verb === undefined ? '--help' : `${thing} --help`, {})
    expect(help.stdout).not.toMatch(new RegExp(`^ +${verb ?? thing}\\b`, 'm'))
  })
})

test('every level has help', async () => {
  const levels = {
    '--help': ['organization', 'project', 'dsn-key', 'access-token', 'api-key', 'newsletter'],
    'token --help': ['create', 'list', 'revoke', 'delete'],
    'token create --help': ['--label', '--scopes', '--organization', '--json'],
    'help dsn-key': ['create', 'list', 'disable', 'enable'],
  }
  for (const [line, words] of Object.entries(levels)) {
    const { code, stdout, stderr } = await admin(line, {})
    expect([line, code, stderr]).toEqual([line, 0, ''])
    for (const word of words) expect(stdout).toContain(word)
  }
})

test('a report of problems is printed, and the exit code is 1 without another sentence', async () => {
  const env = { POSTGRES_URL: 'postgres://x:x@127.0.0.1:1/x', SLUICE_DATA_DIR: '/nowhere/at/all' }
  const { code, stdout, stderr } = await admin('doctor --json', env)
  expect([code, JSON.parse(stdout).status, stderr]).toEqual([1, 'problem', ''])
  expect(await admin('upgrade', env)).toEqual({
    code: 0,
    stdout: expect.stringContaining('npm run migrate'),
    stderr: '',
  })
})
