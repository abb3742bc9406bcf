/**
 * Sends one campaign through a mail server that cuts connections and defers emails in every phase,
 * while two mail processes are killed repeatedly. At the end the delivery ledger is compared with
 * what the server accepted: no email is sent twice, none is lost without a result, and the counts
 * balance at every moment.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '#platform/clock.ts'
import { createLogger } from '#platform/logger.ts'
import { createPool, type Pool } from '#platform/postgres.ts'
import { seededRandom } from '../../bench/load/random.ts'
import { addCampaign, addContacts, addMailTenant, readAccounting, recount } from './mail-fixture.ts'
import { MailerChild } from './mailer-child.ts'
import { SinkFaults } from './sink-faults.ts'
import { SmtpSink } from './smtp-sink.ts'

export interface RoundPlan {
  readonly seed: number
  readonly recipients: number
  readonly kills: number
  readonly postgresUrl: string
  readonly say: (sentence: string) => void
}

export interface RoundResult {
  readonly taken: number
  readonly twice: readonly string[]
  /** Not accepted by the server, and recorded as sent or still without a final state. */
  readonly lost: readonly string[]
  /** Accepted by the server, but recorded as certainly not sent. */
  readonly wronglyUnsent: readonly string[]
  readonly uncertain: number
  /**
   * Emails in the state handed_over when their process was killed, and emails that the server
   * accepted without replying.
   */
  readonly inFlight: number
  /** Of the first of these, the most that one process left. */
  readonly orphansMost: number
  readonly unbalanced: readonly string[]
  readonly accounting: Readonly<Record<string, unknown>>
  readonly kills: number
  readonly seconds: number
  readonly mailerLog: string
}

const processCount = 2
const connectionsMax = 8
/** Emails that a killed process may leave uncertain. */
export const orphansMax = 2 * connectionsMax
const leaseMs = 3_000
const roundMsMax = 600_000
const lookEveryMs = 100

export async function runRound(plan: RoundPlan): Promise<RoundResult> {
  const { recipients, kills, say } = plan
  const random = seededRandom(plan.seed)
  const options = { url: plan.postgresUrl, applicationName: 'mailkill', connectionsMax: 4 }
  const pg = createPool({ ...options, statementTimeoutMs: 60_000 }, createLogger('test', 'silent'))
  const faults = new SinkFaults(plan.seed)
  const taken = new Map<string, number>()
  const sink = await SmtpSink.start({
    fault: (phase, about) => faults.at(phase, about.to),
    onEmail: ({ to }) => taken.set(to, (taken.get(to) ?? 0) + 1),
  })
  const start = () =>
    MailerChild.start({
      postgresUrl: plan.postgresUrl,
      smtpUrl: sink.url,
      secret: 'a secret of the kill test, long enough',
      env: {
        MAIL_CONNECTIONS_MAX: String(connectionsMax),
        MAIL_LEASE_MS: String(leaseMs),
        MAIL_RETRY_SECONDS: '1,1,1,1,1,1,1,1,1,1',
      },
    })
  const mailers: MailerChild[] = []
  const startedMs = systemClock.monotonicMs()
  try {
    const tenant = await addMailTenant(pg)
    await addContacts(pg, tenant, { count: recipients, domains: 400 })
    for (let count = 0; count < processCount; count += 1) mailers.push(await start())
    const campaignId = await addCampaign(pg, tenant)
    const killsAt = Array.from({ length: kills }, (_, at) =>
      Math.floor(((at + 0.2 + random.below(600) / 1000) / (kills + 1)) * recipients),
    )
    const unbalanced: string[] = []
    let killed = 0
    const orphans = new Map<string, number>()
    while (systemClock.monotonicMs() - startedMs < roundMsMax) {
      const accounting = await readAccounting(pg, campaignId)
      const sum = sumOf(accounting)
      if (accounting.audience !== sum)
        unbalanced.push(`audience ${accounting.audience}, sum ${sum}`)
      if (accounting.state === 'sent' || accounting.state === 'paused') break
      // A mark that was on its way to Postgres may be stored after the kill.
      for (const [process, count] of await readOrphans(pg, campaignId)) {
        orphans.set(process, Math.max(count, orphans.get(process) ?? 0))
      }
      const next = killsAt[killed]
      if (next !== undefined && taken.size >= next) {
        const victim = random.below(processCount)
        await mailers[victim]!.kill()
        mailers[victim] = await start()
        killed += 1
        if (killed % 5 === 0) say(`${killed} kills, ${taken.size} emails accepted`)
        continue
      }
      await sleep(lookEveryMs)
    }
    const accounting = await readAccounting(pg, campaignId)
    const ledger = await readLedger(pg, campaignId)
    const recounted = await recount(pg, campaignId)
    for (const name of [
      'sent',
      'failed',
      'skipped',
      'uncertain',
      'waiting',
      'cancelled',
    ] as const) {
      if (accounting[name] !== (recounted[name] ?? 0)) {
        unbalanced.push(`${name}: counted ${accounting[name]}, recounted ${recounted[name] ?? 0}`)
      }
    }
    if (accounting.audience !== recipients) unbalanced.push(`audience ${accounting.audience}`)
    const ends = await Promise.all(mailers.map((mailer) => mailer.stop()))
    for (const code of ends) if (code !== 0) unbalanced.push(`a mail process ended with ${code}`)
    return {
      taken: taken.size,
      twice: [...taken].filter(([, count]) => count > 1).map(([to]) => to),
      lost: [...ledger]
        .filter(([to, state]) => !taken.has(to) && !accountedFor.has(state))
        .map(([to, state]) => `${to} ${state}`),
      wronglyUnsent: [...ledger]
        .filter(([to, state]) => taken.has(to) && state !== 'sent' && state !== 'uncertain')
        .map(([to, state]) => `${to} ${state}`),
      uncertain: accounting.uncertain,
      inFlight: sumOfValues(orphans) + faults.withheldAnswers,
      orphansMost: Math.max(0, ...orphans.values()),
      unbalanced,
      accounting: { ...accounting },
      kills: killed,
      seconds: (systemClock.monotonicMs() - startedMs) / 1000,
      mailerLog: mailers.map(({ log }) => log).join('\n'),
    }
  } finally {
    await Promise.all(mailers.map((mailer) => mailer.kill()))
    await sink.stop()
    await pg.end()
  }
}

/** Final states that say that the email may not have arrived. */
const accountedFor: ReadonlySet<string> = new Set(['failed', 'skipped', 'uncertain', 'cancelled'])

function sumOf(accounting: Awaited<ReturnType<typeof readAccounting>>): number {
  const { waiting, sent, failed, skipped, uncertain, cancelled } = accounting
  return waiting + sent + failed + skipped + uncertain + cancelled
}

function sumOfValues(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((sum, count) => sum + count, 0)
}

/**
 * Counts the deliveries that dead processes had marked and that are not known to be accepted: the
 * ones that become uncertain. Emails of earlier kills are among them until their lease ends.
 */
async function readOrphans(pg: Pool, campaignId: string): Promise<Map<string, number>> {
  const { rows } = await pg.query<{ process: string; count: number }>(
    `with orphans as (
       select claimed_by as process from deliveries where campaign_id = $1 and state = 'handed_over'
       union all
       select b.claimed_by from delivery_blocks b cross join unnest(b.open_contacts) o (contact_id)
         join deliveries d on d.campaign_id = b.campaign_id and d.contact_id = o.contact_id
         where b.campaign_id = $1 and d.state = 'claimed' and d.claimed_by is null
     )
     select process, count(*) as count from orphans where not is_mail_process_alive(process) group by process`,
    [campaignId],
  )
  return new Map(rows.map(({ process, count }) => [process, count]))
}

async function readLedger(pg: Pool, campaignId: string): Promise<Map<string, string>> {
  const { rows } = await pg.query<{ email: string; state: string }>(
    `select a.email, d.state from deliveries d join addresses a on a.id = d.address_id where d.campaign_id = $1`,
    [campaignId],
  )
  return new Map(rows.map(({ email, state }) => [email, state]))
}
