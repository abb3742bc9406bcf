/** `npm run test:storm`: the storm of ideas at full length, on a Postgres of its own. */
import { Command } from 'commander'
import { systemClock } from '#platform/clock.ts'
import { wholeNumber } from '../../bench/report/parse-option.ts'
import { startPostgres } from '../fixtures/processes/common-postgres.ts'
import { runStorm } from './storm.ts'

const { moves: moveCount, seed } = new Command('test:storm')
  .description('Votes, merges and moderation at random; then every stored count is counted anew.')
  .option('--moves <n>', 'how many', wholeNumber(1, 10_000_000), 50_000)
  .option('--seed <n>', 'of what is done to which idea', wholeNumber(0, 2 ** 31), 1)
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
