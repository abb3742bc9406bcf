/** Commands that read what the API stored: emails, deliveries, bounces, imports, the audit log. */
import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { adminOf } from '../../../test/fixtures/admin-fixture.ts'
import { apiOfThisFile } from '../../../test/fixtures/api-fixture.ts'
import { fillTenant, makeSide, type Side } from '../../../test/fixtures/filled-tenant.ts'
import { uploadContacts } from '../../../test/fixtures/import-fixture.ts'

const api = apiOfThisFile()
const { adminIn } = adminOf(api)
const mark = 'listed-things'
let side: Side
let stranger: Side
let ids: Map<string, string>

beforeAll(async () => {
  side = await makeSide(api(), mark)
  stranger = await makeSide(api(), 'stranger')
  ids = await fillTenant(api(), side, mark)
  const query = { newsletter: mark, dryRun: 'true' }
  const upload = await uploadContacts(api(), side, 'email\nadded@listed-things.test\n', query)
  ids.set('imports', upload.body.id)
})

async function run({ tenant }: Side, line: string) {
  const words = line.split(' ').map((word) => word.replace(/\{(.+)\}/, (_, key) => ids.get(key)!))
  return adminIn(tenant, ...words, '--json')
}

// biome-ignore format: the columns are the point
test.each([
  ['email list',                              [{ to: 'friend@listed-things.test', status: 'queued' }, { kind: 'system' }]],
  ['email list --search friend --type transactional --status queued', [{ to: 'friend@listed-things.test' }]],
  ['email list --status failed',              []],
  ['email show {sends}',                      { to: 'friend@listed-things.test', kind: 'transactional' }],
  ['delivery list {campaigns}',               [{ email: 'contact@listed-things.test', state: 'queued' }]],
  ['bounce list',                             [{ email: 'gone@listed-things.test', type: 'hard' }]],
  ['bounce list --type soft',                 []],
  ['bounce-adapter list',                     [{ adapter: 'postmark', lastUsedAt: null }]],
  ['contact-import list',                     [{ newsletter: mark, dryRun: true }]],
  ['contact-import show {imports}',           { newsletter: mark, dryRun: true, problems: [] }],
  ['audit-log list --action newsletter.created', [{ action: 'newsletter.created', subject_type: 'newsletter' }]],
  ['campaign tracking {campaigns}',           { opens: { human: 0, total: 0 }, links: [] }],
  ['organization show',                       { name: mark }],
  ['project show',                            { name: mark }],
  ['access-token show {tokens}',              { label: mark }],
  ['api-key show {api-keys}',                 { label: mark }],
] as const)('`%s` shows what the API stored', async (line, want) => {
  const { code, stdout, stderr } = await run(side, line)
  expect([code, stderr]).toEqual([0, ''])
  const got = JSON.parse(stdout)
  expect(got).toMatchObject(want)
  if (Array.isArray(want)) expect(got).toHaveLength(want.length)
})

test.each([
  'email show {sends}',
  'delivery list {campaigns}',
  'bounce-adapter delete {bounce-adapters}',
  'contact-import show {imports}',
  'contact-import start {imports}',
  'contact-import cancel {imports}',
  'comment update {comments} --message No',
  'comment delete {comments}',
  'access-token show {tokens}',
  'api-key show {api-keys}',
])('`%s` finds nothing of another organization and names the id', async (line) => {
  const id = ids.get(/\{(.+)\}/.exec(line)![1]!)!
  const { code, stderr } = await run(stranger, line)
  expect([code, stderr]).toEqual([1, expect.stringContaining(id)])
})

// biome-ignore format: the columns are the point
test.each([
  ['email list --status lost',                  '--status is not valid'],
  ['bounce list --cause weather',               '--cause is not valid'],
  ['bounce-adapter create pigeon',              'The adapter is not valid'],
  ['bounce-adapter create ses --settings {',    '--settings must be JSON.'],
  ['bounce-adapter create ses',                 'The adapter is not valid'],
  ['contact-import show x',                     'The id is not valid'],
  [`delivery list ${randomUUID()} --status lost`, 'No campaign has the id'],
])('`%s` is refused and names the rule', async (line, sentence) => {
  const { code, stderr } = await run(side, line)
  expect([code, stderr]).toEqual([1, expect.stringContaining(sentence)])
})
