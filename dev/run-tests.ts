/**
 * `npm test`: runs all tests, or those that match the arguments, and prints "n passed, n failed" as
 * its last line. The exit code is 0 only when nothing failed.
 *
 *   npm test -- api/contacts            only files whose path contains the text
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { projectRoot } from '#platform/project-root.ts'

interface TestResults {
  readonly numPassedTests: number
  readonly numFailedTests: number
  readonly testResults: readonly {
    readonly status: string
    readonly assertionResults: readonly { readonly status: string }[]
  }[]
}

async function main(args: readonly string[]): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-test-'))
  const file = join(folder, 'results.json')
  try {
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`]
    const code = await runVitest(['run', ...reporters, ...args])
    const results = readResults(file)
    if (results !== undefined) process.stdout.write(`${summaryOf(results)}\n`)
    return code
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function summaryOf({ numPassedTests, numFailedTests, testResults }: TestResults): string {
  // A file that fails to load contains no failed test, and must still count as a failure.
  const brokenFiles = testResults.filter(
    ({ status, assertionResults }) =>
      status === 'failed' && assertionResults.every((one) => one.status !== 'failed'),
  ).length
  return `${numPassedTests} passed, ${numFailedTests + brokenFiles} failed`
}

function readResults(file: string): TestResults | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as TestResults
  } catch {
    return undefined
  }
}

function runVitest(args: readonly string[]): Promise<number> {
  const bin = join(projectRoot, 'node_modules/vitest/vitest.mjs')
  const child = spawn(process.execPath, [bin, ...args], { cwd: projectRoot, stdio: 'inherit' })
  // Ctrl-C reaches the child as well; this process waits until the child has cleaned up.
  process.on('SIGINT', () => undefined)
  process.on('SIGTERM', () => child.kill('SIGTERM'))
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => resolve(code ?? 1))
  })
}

process.exitCode = await main(process.argv.slice(2))
