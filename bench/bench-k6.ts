/**
 * `npm run bench:k6`: runs a k6 script against a new stack, or against a running Sluice if a DSN is
 * given. Exits with k6's exit code, which tells whether the thresholds were met.
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

const script = new Argument('[script]', 'kind of load')
  .choices(['smoke', 'steady', 'spike', 'soak'])
  .default('smoke')

const command = new Command('bench:k6')
  .description('Run a k6 script with the canonical workload and check its thresholds.')
  .addArgument(script)
  .option('--dsn <dsn>', 'DSN of a running Sluice; by default, one is started for the run')
  .option('--base-url <url>', 'base URL to use instead of the host of the DSN')
  .option('--rate <n>', 'requests per second (spike: at its peak)', wholeNumber(1, 1_000_000))
  .option('--duration <time>', 'duration in the notation of k6: 30s, 10m')
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
  // Disables the usage reports of k6.
  const env = { ...inheritedEnv(), K6_NO_USAGE_REPORT: 'true' }
  const file = join(projectRoot, 'bench/k6', `${name}.js`)
  const child = spawn(k6, ['run', ...args, file], { stdio: 'inherit', env })
  // The terminal sends Ctrl-C to k6 as well: let k6 print its summary, then stop the stack.
  const onInterrupt = (): void => {}
  process.on('SIGINT', onInterrupt)
  try {
    const [code] = (await once(child, 'exit')) as [number | null]
    return code ?? 1
  } finally {
    process.off('SIGINT', onInterrupt)
  }
}
