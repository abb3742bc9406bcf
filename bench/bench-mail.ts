/**
 * `npm run bench:mail`: measures emails per second through the whole product (ledger, rendering,
 * personalisation, signature, SMTP), compared with nodemailer's pool, which sends finished emails
 * and keeps no ledger. Both run in turn against one sink, each in one process; the ratio is the
 * result. `--memory` measures the mailer with few and with a million contacts; `--campaign`
 * measures CPU time, WAL records and row updates of an email.
 */
import { Command } from 'commander'
import { createLogger } from '#platform/logger.ts'
import { createPool } from '#platform/postgres.ts'
import { startPostgres } from '../test/fixtures/processes/common-postgres.ts'
import { MailBench, type MailBenchPlan, Sink } from './mail/measure-mail.ts'
import { describeMachine } from './report/machine.ts'
import { formerName, wholeNumber } from './report/parse-option.ts'

interface Flags extends Omit<MailBenchPlan, 'emails'> {
  readonly emails: number
  readonly letters?: number
  readonly memory?: boolean
  readonly campaign?: boolean
}

const say = (sentence: string): void => {
  process.stdout.write(`${sentence}\n`)
}

await new Command('bench:mail')
  .description('Measure emails per second, compared with nodemailer alone.')
  .option('--emails <n>', 'emails of each run', wholeNumber(100, 1_000_000), 6_000)
  .option('--connections <n>', 'SMTP connections to the sink', wholeNumber(1, 200), 20)
  .option('--rounds <n>', 'rounds of each kind', wholeNumber(1, 20), 3)
  .option('--memory', 'measure the memory of the mailer by audience instead')
  .option(
    '--campaign',
    'measure CPU, WAL and updates of an unsigned email of 10 KB; use 20,000 emails, 10 connections',
  )
  .addOption(formerName('--letters <n>', wholeNumber(100, 1_000_000)))
  .action(async (given: Flags) => {
    const flags = { ...given, emails: given.letters ?? given.emails }
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
        plan: flags,
        postgresUrl: postgres.url,
        say,
      })
      if (flags.memory === true) await bench.memory()
      else if (flags.campaign === true) await bench.campaign()
      else for (const kind of ['signed', 'unsigned'] as const) await bench.compare(kind)
    } finally {
      sink.stop()
      await pg.end()
      await postgres.stop()
    }
  })
  .parseAsync()
