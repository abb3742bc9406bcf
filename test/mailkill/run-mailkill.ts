/**
 * `npm run test:mailkill`: campaigns while mail processes die, checked letter by letter. Exits with
 * 1 when a promise was broken.
 */
import { Command } from 'commander'
import { wholeNumber } from '../../bench/report/parse-option.ts'
import { startPostgres } from '../fixtures/processes/common-postgres.ts'
import { describeRound, isKept } from './judge-round.ts'
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
  .option('--seed <n>', 'makes faults and kills', wholeNumber(0, 0xffff_ffff), 1)
  .option('--recipients <n>', 'how many readers', wholeNumber(10, 1_000_000), 10_000)
  .option('--kills <n>', 'how often a process is killed', wholeNumber(0, 1_000), 20)
  .action(async (flags: Flags) => {
    say(`Seed ${flags.seed}: ${flags.recipients} recipients, ${flags.kills} kills.`)
    const postgres = await startPostgres()
    try {
      const result = await runRound({ ...flags, postgresUrl: postgres.url, say })
      say(describeRound(result))
      if (!isKept(result, flags)) {
        say(result.mailerLog)
        process.exitCode = 1
      }
    } finally {
      await postgres.stop()
    }
  })

await command.parseAsync()
