/**
 * `npm run bench:k6`: runs one of the k6 scripts against a stack of its own, or against any Sluice
 * whose DSN is given. Exits with k6's own code, which says whether the thresholds held.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { Argument, Command } from 'commander'
import { inheritedEnv } from '#platform/env.ts'
import { projectRoot } from '#platform/project-root.ts'
import { startBenchStack } from './bench-stack.ts'
import { findK6 } from './k6-runs/find-k6.ts'
import { wholeNumber } from './report/parse-option.ts'

interface Flags {
  readonly dsn?: string
  readonly baseUrl?: string
  readonly rate?: number
  readonly duration?: string
}

const script = new Argument('[script]', 'which load')
  .choices(['smoke', 'steady', 'spike', 'soak'])
  .default('smoke')

const command = new Command('bench:k6')
  .description('Runs a k6 script on the canonical workload and checks its thresholds.')
  .addArgument(script)
  .option('--dsn <dsn>', 'of a project of a running Sluice; without it one is started for the run')
  .option('--base-url <url>', 'reach the DSN by another URL')
  .option('--rate <n>', 'requests a second (spike: at its peak)', wholeNumber(1, 1_000_000))
  .option('--duration <time>', 'as k6 writes it: 30s, 10m')
  .action(async (name: string, flags: Flags) => {
    try {
      process.exitCode = await runScript(name, flags)
    } catch (error) {
      process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
      process.exitCode = 1
    }
  })

await command.parseAsync()

async function runScript(name: string, flags: Flags): Promise<number> {
  const say = (sentence: string): void => {
    process.stderr.write(`${sentence}\n`)
  }
  const k6 = await findK6({ env: inheritedEnv(), onProgress: say })
  if (flags.dsn !== undefined) return runK6(k6, name, flags.dsn, flags)

  say('Starting the whole product.')
  const bench = await startBenchStack({
    services: ['ingest', 'workers'],
    onProgress: say,
    profile: false,
  })
  try {
    return await runK6(k6, name, bench.stack.demo.dsn, flags)
  } finally {
    await bench.stop()
  }
}

async function runK6(k6: string, name: string, dsn: string, flags: Flags): Promise<number> {
  const settings = {
    DSN: dsn,
    BASE_URL: flags.baseUrl,
    RATE: flags.rate?.toString(),
    DURATION: flags.duration,
  }
  const args = Object.entries(settings).flatMap(([key, value]) =>
    value === undefined ? [] : ['--env', `${key}=${value}`],
  )
  // k6 would report its use to its makers.
  const env = { ...inheritedEnv(), K6_NO_USAGE_REPORT: 'true' }
  const file = join(projectRoot, 'bench/k6', `${name}.js`)
  const child = spawn(k6, ['run', ...args, file], { stdio: 'inherit', env })
  // The terminal sends Ctrl-C to k6 too: let it finish its summary, then stop the stack.
  const onInterrupt = (): void => {}
  process.on('SIGINT', onInterrupt)
  try {
    const [code] = (await once(child, 'exit')) as [number | null]
    return code ?? 1
  } finally {
    process.off('SIGINT', onInterrupt)
  }
}
