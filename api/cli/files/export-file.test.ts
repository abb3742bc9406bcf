import {
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { v7 as uuidv7 } from 'uuid'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { apiOfThisFile, type Tenant } from '../../../test/fixtures/api-fixture.ts'
import { runAdmin } from '../run-admin.ts'
import { things } from '../things.ts'
import { writeExportFile } from './export-file.ts'

const api = apiOfThisFile()
const campaignId = uuidv7()
let tenant: Tenant
let folder: string

beforeAll(async () => {
  tenant = await api().tenant('Shop')
  await api().pool.query(
    `with newsletter as (
       insert into newsletters (id, organization_id, slug, name, from_address)
       values ($1, $2, 'news', 'News', 'news@sender.test')
     )
     insert into campaigns (id, organization_id, newsletter_id, subject, markdown, archive_slug)
     values ($1, $2, $1, 'Hello', 'Hello', 'hello')`,
    [campaignId, tenant.organizationId],
  )
})
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-export-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

/** Each command that writes a file, by its thing, with the file's ending. */
const exports = [
  ['campaign', '.csv'],
  ['contact', '.csv'],
  ['feedback', '.csv'],
  ['feedback', '.json'],
  ['idea', '.csv'],
  ['idea', '.json'],
  ['organization', '.jsonl'],
  ['person-data', '.jsonl'],
] as const

async function runExport(thing: string, path: string, ...flags: string[]) {
  let stdout = ''
  let stderr = ''
  const more: Readonly<Record<string, readonly string[]>> = {
    campaign: [campaignId],
    'person-data': ['--email', 'ada@example.com'],
  }
  const fileFlag = ['organization', 'person-data'].includes(thing) ? '--to' : '--file'
  const words = [thing, 'export', ...(more[thing] ?? []), fileFlag, path, '--json', ...flags]
  const { postgresUrl, clickhouseUrl } = api().stores
  const code = await runAdmin(words, {
    env: { POSTGRES_URL: postgresUrl, CLICKHOUSE_URL: clickhouseUrl },
    stdout: (text) => {
      stdout += text
    },
    stderr: (text) => {
      stderr += text
    },
  })
  return { code, stdout, stderr }
}

async function exportsInAudit(): Promise<number> {
  const { rowCount } = await api().pool.query(
    "select 1 from audit_log where organization_id = $1 and action like '%.exported'",
    [tenant.organizationId],
  )
  return rowCount ?? 0
}

test('the table names every command that exports', async () => {
  const named: string[] = []
  for (const { name, loadVerbs } of things) {
    if ((await loadVerbs()).some(({ verb }) => verb === 'export')) named.push(name)
  }
  expect(named.sort()).toEqual([...new Set(exports.map(([it]) => it))].sort())
})

describe.each(exports)('%s export to %s', (thing, ending) => {
  test('writes a new file that only its owner can read', async () => {
    const path = join(folder, `out${ending}`)
    const { code, stdout, stderr } = await runExport(thing, path)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const { size, mode } = await stat(path)
    expect(JSON.parse(stdout)).toEqual({ file: path, bytes: size })
    expect(mode & 0o777).toBe(0o600)
    expect(await readdir(folder)).toEqual([`out${ending}`])
  })

  test('refuses an existing file, link or folder and leaves no temporary file', async () => {
    const file = join(folder, `precious${ending}`)
    await writeFile(file, 'the only copy')
    const link = join(folder, `link${ending}`)
    await symlink(join(folder, 'nowhere'), link)
    const directory = join(folder, `folder${ending}`)
    await mkdir(directory)
    const before = await exportsInAudit()
    for (const path of [file, link, directory]) {
      const { code, stdout, stderr } = await runExport(thing, path)
      expect({ code, stdout }, path).toEqual({ code: 1, stdout: '' })
      expect(stderr).toMatch(
        /^(?:The file .* is there already: .* --force|.* is not a file: .*)\.\n$/,
      )
    }
    expect(await readFile(file, 'utf8')).toBe('the only copy')
    expect((await readdir(folder)).sort()).toEqual(
      [`folder${ending}`, `link${ending}`, `precious${ending}`].sort(),
    )
    expect(await exportsInAudit()).toBe(before)
  })

  test('overwrites it with --force, and never a folder', async () => {
    const path = join(folder, `old${ending}`)
    await writeFile(path, 'old'.repeat(1_000))
    expect(await runExport(thing, path, '--force')).toMatchObject({ code: 0, stderr: '' })
    expect(await readFile(path, 'utf8')).not.toContain('oldold')
    const directory = join(folder, `folder${ending}`)
    await mkdir(directory)
    expect((await runExport(thing, directory, '--force')).code).toBe(1)
    expect((await runExport(thing, '/dev/null', '--force')).code).toBe(1)
    expect((await stat('/dev/null')).isCharacterDevice()).toBe(true)
    const link = join(folder, `link${ending}`)
    await symlink(path, link)
    expect((await runExport(thing, link, '--force')).code).toBe(0)
    expect((await lstat(link)).isSymbolicLink()).toBe(true)
  })

  test('a missing folder is one sentence', async () => {
    const { code, stderr } = await runExport(thing, join(folder, 'none', `out${ending}`))
    expect(code).toBe(1)
    expect(stderr).toMatch(/^The file .* cannot be written: ENOENT\.\n$/)
  })
})

test('an interrupted export leaves neither a partial file nor a changed old one', async () => {
  const path = join(folder, 'out.csv')
  await writeFile(path, 'old')
  const pieces = async function* () {
    yield 'first'
    throw new Error('the store is away')
  }
  await expect(writeExportFile({ path, force: true }, pieces())).rejects.toThrow(
    'the store is away',
  )
  expect(await readFile(path, 'utf8')).toBe('old')
  expect(await readdir(folder)).toEqual(['out.csv'])
})

test('a file that appears while the export runs is kept', async () => {
  const path = join(folder, 'out.csv')
  const pieces = async function* () {
    yield 'export'
    await writeFile(path, 'of somebody else')
  }
  await expect(writeExportFile({ path, force: undefined }, pieces())).rejects.toThrow(/--force/)
  expect(await readFile(path, 'utf8')).toBe('of somebody else')
})
