/**
 * `npm test`: runs all tests, or those that match the arguments, and prints "n passed, n failed" as
 * its last line. The exit code is 0 only when nothing failed.
 *
 *   npm test -- api/contacts            only files whose path contains the text
 *
 * A test process that is ended by a signal takes the results of its file with it (an engine loaded
 * into it crashed, or memory was short). That file runs once more, and the output names it.
 */
import { spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { inheritedEnv } from '#platform/env.ts'
import { projectRoot } from '#platform/project-root.ts'
import type { Endings } from '../test/runner/endings-reporter.ts'
import { memoryFolder } from '../test/runner/memory-folder.ts'
import type { FileCpu } from '../test/runner/test-forks.ts'

interface TestResults {
  readonly testResults: readonly {
    readonly name: string
    readonly status: string
    readonly startTime: number
    readonly endTime: number
    readonly assertionResults: readonly { readonly status: string }[]
  }[]
}

interface Run {
  readonly code: number
  readonly results: TestResults | undefined
  readonly endings: Endings | undefined
  /** CPU seconds by file. */
  readonly cpu: ReadonlyMap<string, number>
}

/** More than these have a common cause, and running the files again would hide it. */
const endedFilesMax = 2
const slowFilesShown = 20
const columnWidth = 9

async function main(args: readonly string[]): Promise<number> {
  const first = await run(args)
  const ended = first.endings?.files ?? []
  const rest = withoutFiles(first.results, ended)
  const mayRunAgain =
    ended.length > 0 &&
    ended.length <= endedFilesMax &&
    first.endings?.otherErrors === 0 &&
    countsOf(rest).failed === 0
  if (!mayRunAgain) {
    if (first.results !== undefined) {
      print(slowestOf(first.results, first.cpu))
      print(summaryOf(countsOf(first.results), ended.length))
    }
    return first.code
  }
  print(`\nThe test process ended while it ran ${ended.join(', ')}. Running again:\n`)
  const second = await run(ended)
  const [before, after] = [countsOf(rest), countsOf(second.results)]
  const passed = before.passed + after.passed
  const failed = before.failed + after.failed
  if (rest !== undefined) print(slowestOf(rest, first.cpu))
  print(`Ran again, because the test process had ended: ${ended.join(', ')}`)
  print(summaryOf({ passed, failed }, second.endings?.files.length ?? 0))
  return second.code
}

interface Counts {
  readonly passed: number
  readonly failed: number
}

function countsOf(results: TestResults | undefined): Counts {
  const files = results?.testResults ?? []
  const tests = files.flatMap(({ assertionResults }) => assertionResults)
  const failedTests = tests.filter(({ status }) => status === 'failed').length
  // A file that fails to load contains no failed test, and must still count as a failure.
  const brokenFiles = files.filter(
    ({ status, assertionResults }) =>
      status === 'failed' && assertionResults.every((one) => one.status !== 'failed'),
  ).length
  const passed = tests.filter(({ status }) => status === 'passed').length
  return { passed, failed: failedTests + brokenFiles }
}

function summaryOf({ passed, failed }: Counts, endedFiles: number): string {
  return `${passed} passed, ${failed + endedFiles} failed`
}

/**
 * Where the time of a run goes. Files that run beside each other slow each other down, which CPU
 * time does not show.
 */
function slowestOf({ testResults }: TestResults, cpu: ReadonlyMap<string, number>): string {
  const lines = testResults
    .map(({ name, startTime, endTime }) => ({
      name: relative(projectRoot, name),
      seconds: (endTime - startTime) / 1000,
    }))
    .toSorted((one, other) => other.seconds - one.seconds)
    .slice(0, slowFilesShown)
    .map(({ name, seconds }) => [seconds, cpu.get(name) ?? 0, name] as const)
    .map(([seconds, used, name]) => `${columnOf(seconds)}${columnOf(used)}  ${name}`)
  const head = `${'seconds'.padStart(columnWidth)}${'CPU'.padStart(columnWidth)}`
  return [`\nSlowest files:\n${head}`, ...lines].join('\n')
}

function columnOf(seconds: number): string {
  return seconds.toFixed(1).padStart(columnWidth)
}

function withoutFiles(
  results: TestResults | undefined,
  paths: readonly string[],
): TestResults | undefined {
  if (results === undefined) return undefined
  const testResults = results.testResults.filter(
    ({ name }) => !paths.includes(relative(projectRoot, name)),
  )
  return { testResults }
}

async function run(args: readonly string[]): Promise<Run> {
  const memory = inheritedEnv()['TMPDIR'] === undefined ? memoryFolder() : undefined
  const folder = mkdtempSync(join(memory ?? tmpdir(), 'sluice-test-'))
  // Engines that run as another user have files in it.
  chmodSync(folder, 0o1777)
  const [results, endings, cpu] = ['results.json', 'endings.json', 'cpu.jsonl'].map((name) =>
    join(folder, name),
  ) as [string, string, string]
  const reporters = [
    ...['--reporter=default', '--reporter=json', `--outputFile.json=${results}`],
    ...['--reporter=./test/runner/endings-reporter.ts', `--outputFile.endings=${endings}`],
  ]
  try {
    const code = await runVitest(['run', ...reporters, ...args], {
      SLUICE_TEST_CPU_FILE: cpu,
      ...(memory === undefined ? {} : { TMPDIR: folder }),
    })
    return {
      code,
      results: readJson<TestResults>(results),
      endings: readJson<Endings>(endings),
      cpu: readCpu(cpu),
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function readJson<T>(file: string): T | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as T
  } catch {
    return undefined
  }
}

function readCpu(file: string): ReadonlyMap<string, number> {
  if (!existsSync(file)) return new Map()
  const lines = readFileSync(file, 'utf8').trim().split('\n')
  const files = lines.map((line) => JSON.parse(line) as FileCpu)
  return new Map(files.map((one) => [one.file, one.seconds]))
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

function runVitest(args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const bin = join(projectRoot, 'node_modules/vitest/vitest.mjs')
  const child = spawn(process.execPath, [bin, ...args], {
    cwd: projectRoot,
    stdio: 'inherit',
    env: { ...inheritedEnv(), ...env },
  })
  // Ctrl-C reaches the child as well; this process waits until the child has cleaned up.
  process.on('SIGINT', () => undefined)
  process.on('SIGTERM', () => child.kill('SIGTERM'))
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => resolve(code ?? 1))
  })
}

process.exitCode = await main(process.argv.slice(2))
