/**
 * `npm run test:storm`: random concurrent changes of ideas on a Postgres of its own, at full
 * length.
 */
import { Command } from 'commander'
import { systemClock } from '#platform/clock.ts'
import { wholeNumber } from '../../bench/report/parse-option.ts'
import { startPostgres } from '../fixtures/processes/common-postgres.ts'
import { runStorm } from './storm.ts'

const { moves: moveCount, seed } = new Command('test:storm')
  .description(
    'Votes, merges and moderates ideas at random, then compares every stored count with a recount.',
  )
  .option('--moves <n>', 'number of moves', wholeNumber(1, 10_000_000), 50_000)
  .option('--seed <n>', 'seed of the moves', wholeNumber(0, 2 ** 31), 1)
  .parse()
  .opts<{ moves: number; seed: number }>()

const postgres = await startPostgres()
try {
  const startedMs = systemClock.monotonicMs()
  const report = await runStorm({ postgresUrl: postgres.url, seed, moveCount })
  const seconds = (systemClock.monotonicMs() - startedMs) / 1000
  const line = (counts: Readonly<Record<string, number>>) =>
    Object.entries(counts)
      .map(([name, count]) => `${count} × ${name}`)
      .join(', ')
  process.stdout.write(
    `seed ${seed}: ${moveCount} moves in ${seconds.toFixed(0)} s (${line(report.moves)}; refused: ${line(report.refused)})\n`,
  )
  for (const error of report.errors) process.stderr.write(`${error}\n`)
  if (report.errors.length === 0) process.stdout.write('Every stored count equals its recount.\n')
  else process.exitCode = 1
} finally {
  await postgres.stop()
}
