import { execFile } from 'node:child_process'
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { projectRoot } from '#platform/project-root.ts'

let clone: string

beforeEach(async () => {
  clone = await mkdtemp(join(tmpdir(), 'sluice-clone-'))
  await mkdir(join(clone, 'dev'))
  for (const name of ['dev/bootstrap.mjs', 'package.json', 'tsconfig.json']) {
    await copyFile(join(projectRoot, name), join(clone, name))
  }
  await put('package-lock.json', { packages: { '': {}, 'node_modules/a': { version: '1.0.0' } } })
})
afterEach(() => rm(clone, { recursive: true, force: true }))

test('without npm, one sentence says that npm is missing', async () => {
  expect(await build()).toEqual({
    code: 1,
    stderr: [
      'Installing packages … ',
      'Installing packages … failed after some s',
      'The program npm cannot be started: it is not on the PATH.',
      '',
    ],
  })
})

test('without the compiler, one sentence says how to install it', async () => {
  await put('node_modules/.package-lock.json', {
    packages: { 'node_modules/a': { version: '1.0.0' } },
  })
  expect(await build()).toEqual({
    code: 1,
    stderr: ['node_modules/typescript/bin/tsc is missing: run `npm ci`.', ''],
  })
})

async function put(name: string, content: unknown): Promise<void> {
  await mkdir(dirname(join(clone, name)), { recursive: true })
  await writeFile(join(clone, name), JSON.stringify(content))
}

/** Runs the build with an empty PATH. */
function build(): Promise<{ code: unknown; stderr: string[] }> {
  return new Promise((resolve) => {
    const args = [join(clone, 'dev/bootstrap.mjs')]
    execFile(process.execPath, args, { env: { PATH: '/nowhere' } }, (error, _stdout, stderr) => {
      resolve({ code: error?.code ?? 0, stderr: stderr.replace(/\d+ s/g, 'some s').split('\n') })
    })
  })
}
