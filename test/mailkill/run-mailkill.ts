/**
 * `npm run test:mailkill`: sends a campaign while mail processes are killed, and checks the result
 * of every email. Exits with 1 if an email was lost, sent twice or miscounted.
 */
import { Command } from 'commander'
import { wholeNumber } from '../../bench/report/parse-option.ts'
import { startPostgres } from '../fixtures/processes/common-postgres.ts'
import { describeRound, isPassed } from './judge-round.ts'
import { runRound } from './run-round.ts'

interface Flags {
  readonly seed: number
  readonly recipients: number
  readonly kills: number
}

const say = (sentence: string): void => {
  process.stdout.write(`${sentence}\n`)
}

const command = new Command('test:mailkill')
  .description(
    'Sends a campaign through a hostile mail server while the mail processes are killed.',
  )
  .option('--seed <n>', 'seed of faults and kills', wholeNumber(0, 0xffff_ffff), 1)
  .option('--recipients <n>', 'number of contacts', wholeNumber(10, 1_000_000), 10_000)
  .option('--kills <n>', 'number of kills', wholeNumber(0, 1_000), 20)
  .action(async (flags: Flags) => {
    say(`Seed ${flags.seed}: ${flags.recipients} recipients, ${flags.kills} kills.`)
    const postgres = await startPostgres()
    try {
      const result = await runRound({ ...flags, postgresUrl: postgres.url, say })
      say(describeRound(result))
      if (!isPassed(result, flags)) {
        say(result.mailerLog)
        process.exitCode = 1
      }
    } finally {
      await postgres.stop()
    }
  })

await command.parseAsync()
