/**
 * `npm run bench:mail`: letters a second through the whole product (ledger, rendering,
 * personalisation, signature, SMTP) beside nodemailer's pool alone, which gets finished letters and
 * keeps no books. Both take turns against one sink, in one process each; the ratio is what counts.
 * `--memory`: the mail process with few and with a million readers.
 */
import { Command } from 'commander'
import { createLogger } from '#platform/logger.ts'
import { createPool } from '#platform/postgres.ts'
import { startPostgres } from '../test/fixtures/processes/common-postgres.ts'
import { MailBench, type MailBenchPlan, Sink } from './mail/measure-mail.ts'
import { describeMachine } from './report/machine.ts'
import { wholeNumber } from './report/parse-option.ts'

interface Flags extends Omit<MailBenchPlan, 'emails'> {
  readonly letters: number
  readonly memory?: boolean
}

const say = (sentence: string): void => {
  process.stdout.write(`${sentence}\n`)
}

await new Command('bench:mail')
  .description('Letters a second, beside what nodemailer does with finished letters.')
  .option('--letters <n>', 'in each run', wholeNumber(100, 1_000_000), 6_000)
  .option('--connections <n>', 'to the sink', wholeNumber(1, 200), 20)
  .option('--rounds <n>', 'of each kind', wholeNumber(1, 20), 3)
  .option('--memory', 'instead: memory of the mail process by audience')
  .action(async ({ letters, ...flags }: Flags) => {
    const { cpu, cores, node } = describeMachine()
    say(`${cores} cores of ${cpu}, Node ${node}`)
    const postgres = await startPostgres()
    const log = createLogger('bench', 'silent')
    const options = { url: postgres.url, applicationName: 'bench', connectionsMax: 2 }
    const pg = createPool({ ...options, statementTimeoutMs: 300_000 }, log)
    const sink = await Sink.start()
    try {
      const bench = new MailBench({
        pg,
        sink,
        plan: { ...flags, emails: letters },
        postgresUrl: postgres.url,
        say,
      })
      if (flags.memory === true) await bench.memory()
      else for (const kind of ['signed', 'unsigned'] as const) await bench.compare(kind)
    } finally {
      sink.stop()
      await pg.end()
      await postgres.stop()
    }
  })
  .parseAsync()
