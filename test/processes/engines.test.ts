/** `sluice engines`: the embedded engines as a process of their own. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { inheritedEnv } from '#platform/env.ts'
import { projectRoot } from '#platform/project-root.ts'
import { freePort } from '../../dev/processes/free-port.ts'
import { runProgram } from '../fixtures/processes/run-program.ts'
import { waitUntil } from '../fixtures/processes/wait-until.ts'

const entry = join(projectRoot, 'dist/dev/entry/sluice.js')
let folder: string
let env: Record<string, string>

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-engines-'))
  // The Postgres user must be able to enter it.
  await chmod(folder, 0o711)
  env = {
    SLUICE_DATA_DIR: folder,
    EMBEDDED_POSTGRES_PORT: String(await freePort()),
    EMBEDDED_NATS_PORT: String(await freePort()),
    EMBEDDED_CLICKHOUSE_PORT: String(await freePort()),
  }
})

afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))

test('they write their URLs when they answer, keep their data, and stop on SIGTERM', async () => {
  const secrets: (string | undefined)[] = []
  for (const round of [1, 2]) {
    const child = spawn(process.execPath, [entry, 'engines'], {
      cwd: projectRoot,
      env: { ...inheritedEnv(), ...env },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    const ended = once(child, 'exit')
    try {
      const path = join(folder, 'engines.env')
      await waitUntil(path, async () => existsSync(path) || child.exitCode !== null, 60_000)
      expect((await stat(path)).mode & 0o777).toBe(0o600)
      const urls = parseEnv(await readFile(path, 'utf8')) as Record<string, string>
      const names = ['CLICKHOUSE_URL', 'NATS_URL', 'POSTGRES_URL', 'SLUICE_SECRET']
      expect(Object.keys(urls).sort()).toEqual(names)
      secrets.push(urls['SLUICE_SECRET'])
      const second = await runProgram(process.execPath, [entry, 'engines'], env)
      expect([second.code, second.stderr]).toEqual([1, expect.stringContaining('already running')])

      const migrated = await runProgram(process.execPath, [entry, 'migrate'], { ...env, ...urls })
      expect(migrated.code).toBe(0)
      // The second start finds the data of the first one.
      expect(migrated.stdout.includes('0001-people')).toBe(round === 1)
      const setup = await setUp({ ...env, ...urls })
      if (round === 1) {
        expect([setup.code, setup.stderr]).toEqual([0, ''])
        expect(JSON.parse(setup.stdout)).toMatchObject({
          password_link: null,
          organization: 'Acme',
        })
      } else {
        expect([setup.code, setup.stdout]).toEqual([1, ''])
        expect(setup.stderr).toContain('Already set up')
      }
    } finally {
      child.kill('SIGTERM')
    }
    expect(await ended).toEqual([0, null])
    expect(existsSync(join(folder, 'engines.env'))).toBe(false)
  }
  expect(secrets[0]).toBe(secrets[1])
})

/** Gives the password on standard input. */
async function setUp(urls: Record<string, string>) {
  const words = 'admin setup --organization Acme --email ann@acme.test --password-file - --json'
  const addresses = { INGEST_URL: 'https://in.example.test', API_URL: 'https://api.example.test' }
  const child = spawn(process.execPath, [entry, ...words.split(' ')], {
    cwd: projectRoot,
    env: { ...inheritedEnv(), ...urls, ...addresses },
  })
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk))
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk))
  child.stdin.end('correct horse battery\n')
  const [code] = await once(child, 'close')
  return { code, stdout, stderr }
}
