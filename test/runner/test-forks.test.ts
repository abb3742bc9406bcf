/** A run of Vitest in a folder of its own, in which a test kills its process. */
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { inheritedEnv } from '#platform/env.ts'
import { projectRoot } from '#platform/project-root.ts'
import type { Endings } from './endings-reporter.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-forks-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const passes = "test('passes', () => {})"
const dies = `${passes}
test('dies', async () => {
  process.kill(process.pid, 'SIGKILL')
  await new Promise(() => {})
})`

interface Outcome {
  readonly code: number
  readonly output: string
  readonly endings: Endings
}

async function runVitest(files: Readonly<Record<string, string>>, isolate: boolean) {
  const forks = JSON.stringify(join(projectRoot, 'test/runner/test-forks.ts'))
  const options = `pool: testForks, globals: true, maxWorkers: 2, isolate: ${isolate}`
  const config = `import { testForks } from ${forks}\nexport default { test: { ${options} } }`
  await writeFile(join(folder, 'vitest.config.mts'), config)
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
  const endings = join(folder, 'endings.json')
  const args = [
    ...[join(projectRoot, 'node_modules/vitest/vitest.mjs'), 'run', '--root', folder],
    ...['--reporter=default', `--outputFile.endings=${endings}`],
    `--reporter=${join(projectRoot, 'test/runner/endings-reporter.ts')}`,
  ]
  return new Promise<Outcome>((resolve, reject) => {
    const env = { ...inheritedEnv(), NO_COLOR: '1', SLUICE_TEST_CPU_FILE: join(folder, 'cpu') }
    execFile(process.execPath, args, { cwd: folder, env }, (error, stdout, stderr) => {
      const code = typeof error?.code === 'number' ? error.code : 0
      const output = stdout + stderr
      readFile(endings, 'utf8').then(
        (text) => resolve({ code, output, endings: JSON.parse(text) as Endings }),
        () => reject(new Error(output)),
      )
    })
  })
}

test.each([
  ['with a process for each file', true],
  ['with a process for all files', false],
])('a file whose process is killed is named, and the others run: %s', async (_how, isolate) => {
  const files = { 'a.test.js': passes, 'b.test.js': dies, 'c.test.js': passes }
  const { code, output, endings } = await runVitest(files, isolate)
  expect(code).toBe(1)
  expect(output).toContain('The test process ended with SIGKILL while it ran b.test.js')
  expect(output).toMatch(/Test Files +2 passed \(3\)/)
  expect(endings).toEqual({ files: ['b.test.js'], otherErrors: 0 })
})

test('errors outside of tests are not taken for an ended process', async () => {
  const files = {
    'a.test.js': `${passes}\nsetTimeout(() => { throw new Error('late') }, 1)
test('waits', () => new Promise((resolve) => setTimeout(resolve, 200)))`,
  }
  const { code, endings } = await runVitest(files, true)
  expect([code, endings]).toEqual([1, { files: [], otherErrors: 1 }])
})
