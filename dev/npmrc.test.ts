/** Checks what npm itself prints around a script with the repository's .npmrc. */
import { spawn } from 'node:child_process'
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { inheritedEnv } from '#platform/env.ts'
import { projectRoot } from '#platform/project-root.ts'

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-npmrc-'))
  await copyFile(join(projectRoot, '.npmrc'), join(folder, '.npmrc'))
  await put('package.json', {
    ...{ name: 'sluice', version: '0.1.0' },
    scripts: {
      admin: `node -e "console.log(JSON.stringify({ args: process.argv.slice(1) }))" --`,
      error: `node -e "console.error('One sentence.'); process.exit(1)"`,
    },
  })
})
afterEach(() => rm(folder, { recursive: true, force: true }))

test('standard output contains only the JSON that a script prints', async () => {
  const { code, stdout } = await npm('run', 'admin', '--', 'project', 'list', '--json')
  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toEqual({ args: ['project', 'list', '--json'] })
})

test('the message and the exit code of a failing command are passed through', async () => {
  const { code, stderr } = await npm('run', 'error')
  expect(code).toBe(1)
  expect(stderr).toMatch(/^One sentence\.$/m)
})

test('a missing script is reported by name', async () => {
  const { code, stderr } = await npm('run', 'nothing')
  expect(code).not.toBe(0)
  expect(stderr).toContain('Missing script: "nothing"')
})

test.each([
  ['ci', /npm error .*package-lock/],
  ['install', /npm error .*missing/i],
])('npm %s reports the reason when it fails', async (command, why) => {
  await put('package.json', {
    ...{ name: 'sluice', version: '0.1.0' },
    dependencies: { missing: `file:${join(folder, 'missing.tgz')}` },
  })
  const { code, stderr } = await npm(command)
  expect(code).not.toBe(0)
  expect(stderr).toMatch(why)
})

async function put(name: string, content: unknown): Promise<void> {
  await writeFile(join(folder, name), JSON.stringify(content))
}

/** Removes `npm_*` variables, with which an npm that runs these tests would override the file. */
function npm(...args: string[]): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const own = Object.entries(inheritedEnv()).filter(([name]) => !/^npm_/i.test(name))
  const child = spawn('npm', args, {
    cwd: folder,
    env: { ...Object.fromEntries(own), npm_config_update_notifier: 'false' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output = { stdout: '', stderr: '' }
  child.stdout.on('data', (chunk) => (output.stdout += chunk))
  child.stderr.on('data', (chunk) => (output.stderr += chunk))
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, ...output }))
  })
}
