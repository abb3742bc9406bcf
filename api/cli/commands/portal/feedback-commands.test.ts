import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { apiOfThisFile, type Tenant } from '../../../../test/fixtures/api-fixture.ts'
import { runAdmin } from '../../run-admin.ts'

const api = apiOfThisFile()
let tenant: Tenant
let folder: string

beforeAll(async () => {
  tenant = await api().tenant('Shop')
  folder = await mkdtemp(join(tmpdir(), 'sluice-feedback-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

async function admin(...args: readonly string[]) {
  let stdout = ''
  let stderr = ''
  const code = await runAdmin(['feedback', ...args], {
    env: {
      POSTGRES_URL: api().stores.postgresUrl,
      INGEST_URL: 'https://in.example.test',
      API_URL: 'https://sluice.example.test',
    },
    stdout: (text) => {
      stdout += text
    },
    stderr: (text) => {
      stderr += text
    },
  })
  return { code, stdout, stderr, json: () => JSON.parse(stdout) }
}

describe('feedback on the command line', () => {
  test('is imported, changed, exported and deleted, each with an audit entry', async () => {
    const file = join(folder, 'in.csv')
    await writeFile(file, 'message,type\nIt broke,bug\n,Bug\n')
    const dry = await admin('import', file, '--dry-run', '--json')
    expect(dry.json()).toMatchObject({ rows: 2, added: 1, refused: 1, dry_run: true })
    expect((await admin('import', file, '--json')).json()).toMatchObject({ added: 1 })
    expect((await admin('import', file)).stdout).toContain('row 2, message: must not be blank')

    const [item] = (await admin('list', '--type', 'Bug', '--search', 'brok', '--json')).json()
    expect(item).toMatchObject({ message: 'It broke', type: 'Bug', status: 'New' })
    const changed = await admin('change', item.id, '--status', 'Resolved', '--json')
    expect(changed.json()).toMatchObject({ id: item.id, status: 'Resolved' })
    await admin('archive', item.id)
    expect((await admin('list', '--json')).json()).toEqual([])
    await admin('restore', item.id)

    const out = join(folder, 'out.json')
    expect((await admin('export', out, '--json')).json().file).toBe(out)
    expect(JSON.parse(await readFile(out, 'utf8'))).toMatchObject([{ id: item.id }])
    expect((await admin('export', out)).code).toBe(1)
    expect((await admin('delete', item.id, '--json')).json()).toEqual({
      id: item.id,
      deleted: true,
    })

    const { rows } = await api().pool.query<{ action: string }>(
      "select action from audit_log where organization_id = $1 and via = 'command_line' order by id",
      [tenant.organizationId],
    )
    expect(rows.map(({ action }) => action)).toEqual([
      ...['feedback.imported', 'feedback.imported', 'feedback.changed', 'feedback.changed'],
      ...['feedback.changed', 'feedback.exported', 'feedback.deleted'],
    ])
  })

  // biome-ignore format: the columns are the point
  test.each([
    [['list', '--status', 'Done'],                     '--status is not valid'],
    [['change', 'x', '--status', 'New'],               'The id is not valid'],
    [['change', '0198c1a2-7d3e-7b11-9c55-2f0a6f1f4e10', '--status', 'New'], 'No feedback of this project is called'],
    [['change', '0198c1a2-7d3e-7b11-9c55-2f0a6f1f4e10'], 'must name at least one of'],
    [['import', 'nowhere.csv'],                        'The file nowhere.csv cannot be read.'],
    [['import', 'file.xls'],                           'must end in .csv or .json'],
  ])('%j is refused', async (args, sentence) => {
    const { code, stderr } = await admin(...args)
    expect([code, stderr]).toEqual([1, expect.stringContaining(sentence)])
  })
})
