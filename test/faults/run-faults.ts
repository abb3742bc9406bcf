/**
 * `npm run test:faults`: rounds of load under faults against the built product, each checked on its
 * own. Exits with 1 if there is a finding.
 */
import { Command, Option } from 'commander'
import { wholeNumber } from '../../bench/report/parse-option.ts'
import { describeFault } from './describe-fault.ts'
import { FaultStack } from './fault-stack.ts'
import { restoreEveryDefault } from './plan-faults.ts'
import { Stores } from './read-stores.ts'
import { runLimit } from './run-limit.ts'
import { type RoundResult, runRound } from './run-round.ts'

interface Flags {
  readonly rounds: number
  readonly seed: number
  readonly round?: number
  readonly durability: 'log' | 'broker'
  readonly restoreEvery: number
  readonly verbose?: boolean
  readonly limitRun?: number | true
}

const seedMax = 0xffff_ffff
const limitDefault = 100_000

const command = new Command('test:faults')
  .description(
    'Kills, stops and cuts processes under load and checks that nothing is lost or counted twice.',
  )
  .option('--rounds <n>', 'how many rounds', wholeNumber(1, 100_000), 10)
  .option('--seed <n>', 'seed of load and faults', wholeNumber(0, seedMax), 1)
  .option('--round <n>', 'only this round of the seed', wholeNumber(1, 100_000))
  .option(
    '--limit-run [n]',
    'instead of rounds: more events than n for a project with n events a month, during kills',
    wholeNumber(100, 10_000_000),
  )
  .addOption(
    new Option('--durability <mode>', 'INGEST_DURABILITY; with `broker` the broker loses nothing')
      .choices(['log', 'broker'])
      .default('log'),
  )
  .option(
    '--restore-every <n>',
    'about every n-th round puts an older Postgres back; part of the seed',
    wholeNumber(1, 1_000),
    restoreEveryDefault,
  )
  .option('--verbose', 'also print the schedules of green rounds')
  .action(async (flags: Flags) => {
    const { limitRun } = flags
    if (limitRun === undefined) {
      process.exitCode = (await runRounds(flags)) ? 0 : 1
    } else {
      process.exitCode = (await runOneLimit(limitRun === true ? limitDefault : limitRun, flags))
        ? 0
        : 1
    }
  })

const say = (sentence: string): void => {
  process.stdout.write(`${sentence}\n`)
}

let interrupted = false
process.on('SIGINT', () => {
  // A second interrupt exits at once, and the child processes end with this one.
  if (interrupted) process.exit(130)
  interrupted = true
  say('Stopping after this round.')
})

await command.parseAsync()

/** Returns whether no round has findings. */
async function runRounds(flags: Flags): Promise<boolean> {
  const { rounds, seed, round: only, durability, restoreEvery, verbose } = flags
  const numbers = only === undefined ? Array.from({ length: rounds }, (_, at) => at + 1) : [only]
  const results: RoundResult[] = []
  const failed: number[] = []
  while (results.length < numbers.length && !interrupted) {
    const rest = numbers.slice(results.length)
    // After a finding the processes may be in any state, so the next round gets a new stack.
    await onFreshStack(durability, async (stack, stores) => {
      const here: RoundResult[] = []
      for (const round of rest) {
        if (interrupted) break
        const result = await runRound(stack, stores, {
          ...{ seed, round, durability, restoreEvery },
          onProgress: say,
        })
        results.push(result)
        here.push(result)
        say(summaryOf(result))
        for (const note of result.notes) say(`  note: ${note}`)
        if (verbose) printSchedule(result)
        if (result.findings.length === 0) continue
        failed.push(round)
        if (!verbose) printSchedule(result)
        printFailure(result, flags, stack)
        return 'keep logs'
      }
      const late = await recheck(here)
      for (const finding of late) say(`after all rounds: ${finding}`)
      if (late.length === 0) return 'done'
      failed.push(here.at(-1)?.round ?? 0)
      say(`Logs: ${stack.logsFolder}`)
      return 'keep logs'
    })
  }
  const seconds = results.reduce((sum, { seconds }) => sum + seconds, 0)
  const reached = results.flatMap(({ failpoints }) => failpoints)
  const webhooks = sumOf(results.map(({ receiverAnswers }) => receiverAnswers))
  say(`the receiver of webhooks: ${formatAnswers(webhooks)}`)
  for (const [name, count] of countNames(reached)) say(`failpoint ${name} acted ${count} times`)
  say(
    `${results.length} rounds of seed ${seed} in ${Math.round(seconds)} s: ${
      failed.length === 0 ? 'all green' : `${failed.length} failed (rounds ${failed.join(', ')})`
    }.`,
  )
  return failed.length === 0
}

function sumOf(counts: readonly ReadonlyMap<string, number>[]): ReadonlyMap<string, number> {
  const sums = new Map<string, number>()
  for (const [name, count] of counts.flatMap((each) => [...each])) {
    sums.set(name, (sums.get(name) ?? 0) + count)
  }
  return sums
}

/** Counts failpoints by name, without their action. */
function countNames(failpoints: readonly string[]): [string, number][] {
  const counts = new Map<string, number>()
  for (const text of failpoints) {
    const name = text.slice(0, text.indexOf('='))
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  return [...counts].sort()
}

async function onFreshStack(
  durability: Flags['durability'],
  work: (stack: FaultStack, stores: Stores) => Promise<'keep logs' | 'done'>,
): Promise<void> {
  const stack = await FaultStack.start({
    env: { INGEST_DURABILITY: durability },
    onProgress: say,
  })
  const stores = new Stores(stack.engines)
  let end: 'keep logs' | 'done' = 'keep logs'
  try {
    end = await work(stack, stores)
  } finally {
    await stores.close()
    await stack.stop(end === 'keep logs')
  }
}

/** Returns whether there were no findings. */
async function runOneLimit(limit: number, { seed, durability }: Flags): Promise<boolean> {
  let findings: readonly string[] = []
  await onFreshStack(durability, async (stack, stores) => {
    const result = await runLimit(stack, stores, { limit, seed, onProgress: say })
    findings = result.findings
    for (const finding of findings) say(`found: ${finding}`)
    say(
      `${result.accepted} of ${limit} accepted in ${result.seconds.toFixed(1)} s and ${result.kills} kills, polled ${result.looks} times; ${formatAnswers(result.answers)}`,
    )
    if (findings.length === 0) return 'done'
    say(`Logs: ${stack.logsFolder}`)
    return 'keep logs'
  })
  return findings.length === 0
}

/** Checks all rounds once more, to find changes that came after a round had settled. */
async function recheck(results: readonly RoundResult[]): Promise<string[]> {
  const findings: string[] = []
  for (const { round, recheck } of results) {
    for (const finding of await recheck()) findings.push(`round ${round}: ${finding}`)
  }
  return findings
}

function summaryOf({
  round,
  seconds,
  settleSeconds,
  faults,
  events,
  answers,
  findings,
}: RoundResult): string {
  const verdict = findings.length === 0 ? 'ok' : 'FAILED'
  return `round ${round}: ${verdict} in ${seconds.toFixed(1)} s (settled after ${settleSeconds.toFixed(1)} s), ${faults.length} faults, ${events} events; ${formatAnswers(answers)}`
}

function formatAnswers(answers: ReadonlyMap<string, number>): string {
  const sorted = [...answers].sort()
  return sorted.map(([answer, count]) => `${answer} × ${count}`).join(', ')
}

function printSchedule({ faults }: RoundResult): void {
  for (const fault of faults) say(`    ${describeFault(fault)}`)
}

function printFailure(
  result: RoundResult,
  { seed, durability, restoreEvery }: Flags,
  stack: FaultStack,
): void {
  for (const finding of result.findings) say(`  found: ${finding}`)
  say(`  logs: ${stack.logsFolder}`)
  say(
    `  repeat: npm run test:faults -- --seed ${seed} --round ${result.round}${durability === 'log' ? '' : ' --durability broker'}${restoreEvery === restoreEveryDefault ? '' : ` --restore-every ${restoreEvery}`}`,
  )
}
