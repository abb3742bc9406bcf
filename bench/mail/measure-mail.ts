/** Runs both sides of the mail benchmark in turn against one sink, each in one process. */
import { fork } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { v7 as uuidv7 } from 'uuid'
import { systemClock } from '#platform/clock.ts'
import type { Pool } from '#platform/postgres.ts'
import { SecretBox } from '#platform/secret-box.ts'
import {
  addCampaign,
  addContacts,
  addMailTenant,
  type MailTenant,
  readAccounting,
} from '../../test/mailkill/mail-fixture.ts'
import { MailerChild } from '../../test/mailkill/mailer-child.ts'
import { medianBy } from '../report/median.ts'
import { readCost } from './mail-cost.ts'
import { benchCampaign, largeBenchCampaign } from './mail-message.ts'
import type { SinkAnswer, SinkQuestion } from './mail-sink.ts'

export interface MailBenchPlan {
  readonly emails: number
  readonly connections: number
  readonly rounds: number
}

const secret = 'a secret of the mail bench, long enough'
const runMsMax = 600_000
const memoryContacts = [10_000, 1_000_000] as const
const memorySeconds = 20

export interface BenchOptions {
  readonly pg: Pool
  readonly sink: Sink
  readonly plan: MailBenchPlan
  readonly postgresUrl: string
  readonly say: (sentence: string) => void
}

/** Emails per second. */
interface Round {
  readonly theirs: number
  readonly ours: number
}

export class MailBench {
  readonly #options: BenchOptions
  readonly #key = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'der' },
  })

  constructor(options: BenchOptions) {
    this.#options = options
  }

  async compare(kind: 'signed' | 'unsigned'): Promise<void> {
    const { pg, plan } = this.#options
    const tenant = await addMailTenant(pg)
    if (kind === 'signed') await this.#addDomain(tenant)
    await addContacts(pg, tenant, { count: plan.emails, domains: 400 })
    const rounds: Round[] = []
    for (let round = 0; round < plan.rounds; round += 1) {
      const theirs = await this.#poolAlone(kind)
      const ours = await this.#product(tenant)
      rounds.push({ theirs, ours })
      this.#options.say(
        `  ${kind} ${round + 1}: nodemailer alone ${theirs.toFixed(0)}/s, Sluice ${ours.toFixed(0)}/s, ratio ${(ours / theirs).toFixed(2)}`,
      )
    }
    const [first, ...others] = rounds
    if (first === undefined) return
    const middle = medianBy([first, ...others], ({ ours, theirs }) => ours / theirs)
    this.#options.say(
      `${kind}: nodemailer's pool alone ${middle.theirs.toFixed(0)}/s, Sluice with ledger ${middle.ours.toFixed(0)}/s, ratio ${(middle.ours / middle.theirs).toFixed(2)}`,
    )
  }

  /** Measures with few and with many contacts: memory must not depend on their number. */
  async memory(): Promise<void> {
    const { pg } = this.#options
    for (const count of memoryContacts) {
      const tenant = await addMailTenant(pg)
      await addContacts(pg, tenant, { count, domains: 400 })
      const mailer = await this.#startMailer()
      const campaignId = await addCampaign(pg, tenant, benchCampaign)
      await waitFor(async () => (await readAccounting(pg, campaignId)).sent > 0)
      const startedMs = systemClock.monotonicMs()
      let most = 0
      let state = 'sending'
      while (state === 'sending' && systemClock.monotonicMs() - startedMs < memorySeconds * 1000) {
        most = Math.max(most, await memoryOf(mailer))
        state = (await readAccounting(pg, campaignId)).state
        await sleep(250)
      }
      const accounting = await readAccounting(pg, campaignId)
      await pg.query("update campaigns set state = 'cancelled' where id = $1", [campaignId])
      await mailer.stop()
      this.#options.say(
        `${count} contacts: ${(most / 2 ** 20).toFixed(0)} MiB at most, ${accounting.sent} emails in ${((systemClock.monotonicMs() - startedMs) / 1000).toFixed(0)} s`,
      )
    }
  }

  /** What a campaign costs, without signatures: CPU, WAL records and updated rows of an email. */
  async campaign(): Promise<void> {
    const { pg, sink, plan, say } = this.#options
    const tenant = await addMailTenant(pg)
    await addContacts(pg, tenant, { count: plan.emails, domains: 400 })
    for (let round = 0; round < plan.rounds; round += 1) {
      const mailer = await this.#startMailer()
      try {
        // The start of the process is not part of the campaign.
        await waitFor(() =>
          memoryOf(mailer).then(
            (bytes) => bytes > 0,
            () => false,
          ),
        )
        await sink.ask('reset')
        const before = await readCost(pg, mailer.pid)
        const campaignId = await addCampaign(pg, tenant, largeBenchCampaign)
        await waitFor(async () => (await readAccounting(pg, campaignId)).state === 'sent')
        // The sessions of Postgres report their statistics once a second.
        await sleep(1_500)
        const after = await readCost(pg, mailer.pid)
        const rate = await this.#rate()
        const each = (name: keyof typeof after) => (after[name] - before[name]) / plan.emails
        say(
          `  campaign ${round + 1}: ${rate.toFixed(0)}/s; CPU-s per 1,000: mailer ${(each('mailer') * 1000).toFixed(2)}, Postgres ${(each('postgres') * 1000).toFixed(2)}; per email: ${each('walRecords').toFixed(1)} WAL records, ${each('rowUpdates').toFixed(2)} row updates`,
        )
      } finally {
        await mailer.stop()
      }
    }
  }

  async #poolAlone(kind: 'signed' | 'unsigned'): Promise<number> {
    const { sink, plan } = this.#options
    await sink.ask('reset')
    const settings = {
      url: sink.url,
      emails: plan.emails,
      connections: plan.connections,
      ...(kind === 'signed' ? { key: this.#key.privateKey } : {}),
    }
    const entry = fileURLToPath(new URL('./mail-baseline.js', import.meta.url))
    const child = fork(entry, [JSON.stringify(settings)])
    const [code] = (await once(child, 'exit')) as [number | null]
    if (code !== 0) throw new Error(`nodemailer's process exited with code ${code}`)
    return this.#rate()
  }

  async #product(tenant: MailTenant): Promise<number> {
    const { pg, sink } = this.#options
    const mailer = await this.#startMailer()
    try {
      await sink.ask('reset')
      const campaignId = await addCampaign(pg, tenant, benchCampaign)
      await waitFor(async () => (await readAccounting(pg, campaignId)).state === 'sent')
      const { sent, audience } = await readAccounting(pg, campaignId)
      if (sent !== audience) throw new Error(`${sent} of ${audience} emails were sent`)
      return await this.#rate()
    } finally {
      await mailer.stop()
    }
  }

  async #rate(): Promise<number> {
    const { taken, spanMs } = await this.#options.sink.ask('count')
    if (taken !== this.#options.plan.emails) throw new Error(`the sink received ${taken} emails`)
    return taken / (spanMs / 1000)
  }

  #startMailer(): Promise<MailerChild> {
    const { postgresUrl, sink, plan } = this.#options
    // One process, like the baseline.
    return MailerChild.start({
      postgresUrl,
      secret,
      smtpUrl: `${sink.url}?maxConnections=${plan.connections}&maxMessages=100000`,
    })
  }

  async #addDomain({ organizationId }: MailTenant): Promise<void> {
    const id = uuidv7()
    const sealed = new SecretBox(secret).seal('dkim', id, this.#key.privateKey)
    await this.#options.pg.query(
      `insert into sending_domains (id, organization_id, domain, selector, sealed_key, public_key, state, owned_at)
         values ($1, $2, 'sender.test', 's1', $3, $4, 'verified', now())`,
      [id, organizationId, sealed, this.#key.publicKey.toString('base64')],
    )
  }
}

export class Sink {
  readonly #child: ReturnType<typeof fork>
  readonly url: string

  private constructor(child: ReturnType<typeof fork>, url: string) {
    this.#child = child
    this.url = url
  }

  static async start(): Promise<Sink> {
    const child = fork(fileURLToPath(new URL('./mail-sink.js', import.meta.url)))
    const [hello] = (await once(child, 'message')) as [SinkAnswer]
    return new Sink(child, hello.url ?? '')
  }

  async ask(question: SinkQuestion): Promise<SinkAnswer> {
    this.#child.send(question)
    const [answer] = (await once(this.#child, 'message')) as [SinkAnswer]
    return answer
  }

  stop(): void {
    this.#child.disconnect()
  }
}

async function memoryOf(mailer: MailerChild): Promise<number> {
  const metrics = await fetch(`http://127.0.0.1:${mailer.port}/metrics`)
  return Number(/^process_resident_memory_bytes (\S+)$/m.exec(await metrics.text())?.[1] ?? 0)
}

async function waitFor(done: () => Promise<boolean>): Promise<void> {
  const startedMs = systemClock.monotonicMs()
  while (!(await done())) {
    if (systemClock.monotonicMs() - startedMs > runMsMax)
      throw new Error('the measurement took too long')
    await sleep(100)
  }
}
