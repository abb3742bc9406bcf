/**
 * One mail process; several may run. Three lanes share the lines to the mail server: what somebody waits for, notices, campaigns,
 * in this order. Everything that must outlive the process stands in Postgres, so ending it at any moment loses no letter and
 * sends none twice (docs/sending.md).
 */
import type { Clock } from '#platform/clock.ts'
import type { Logger } from '#platform/logger.ts'
import type { Pool } from '#platform/postgres.ts'
import type { SecretBox } from '#platform/secret-box.ts'
import type { Mailbox } from '#schemas/mail/mailbox.ts'
import { CampaignRuns } from './campaign-runs.ts'
import { DomainHolds } from './domain-holds.ts'
import { EmailEnds } from './email-ends.ts'
import { FromDomains } from './from-domains.ts'
import { type CampaignClaim, campaignLedger } from './ledger/campaign-ledger.ts'
import { EmailLane } from './ledger/email-lane.ts'
import {
  type DeliveryResult,
  recoverDeliveries,
  settleDeliveries,
} from './ledger/mail-delivery-store.ts'
import {
  type ClaimedSend,
  recoverSends,
  type SendResult,
  settleSends,
} from './ledger/mail-send-store.ts'
import { sendLedger } from './ledger/send-ledger.ts'
import { recordSessionBounce } from './mail-bounce-store.ts'
import { findSenderDomain, fromDomainState } from './mail-domain-store.ts'
import type { MailMetrics } from './mail-metrics.ts'
import { MailSession } from './mail-session.ts'
import { readRate } from './mail-transport-store.ts'
import { Recorder } from './recorder.ts'
import { SenderDomains } from './sender-domains.ts'
import { SmtpPool } from './smtp/smtp-pool.ts'
import type { SmtpSettings } from './smtp/smtp-settings.ts'

export interface MailProcessParts {
  readonly pg: Pool
  readonly postgresUrl: string
  readonly processId: string
  readonly settings: SmtpSettings
  readonly connectionsMax: number
  readonly leaseMs: number
  readonly retrySeconds: readonly number[]
  readonly box: SecretBox
  /** Of the links in letters. */
  readonly baseUrl: string
  /** The sender of emails to owners. */
  readonly from: Mailbox
  /** MAIL_ALLOW_UNVERIFIED_FROM */
  readonly allowUnverifiedFrom: boolean
  readonly clock: Clock
  readonly log: Logger
  readonly metrics: MailMetrics
}

const lookMs = 500
const recoverMsMax = 30_000
const claimsMax = 500
const marksMin = 4
const marksMaxMax = 50
const unreachableInARowMax = 50

export class MailProcess {
  readonly #parts: MailProcessParts
  readonly #pool: SmtpPool
  readonly #urgent: EmailLane<ClaimedSend>
  readonly #notifications: EmailLane<ClaimedSend>
  readonly #campaigns: EmailLane<CampaignClaim>
  readonly #runs: CampaignRuns
  readonly #session: MailSession
  readonly #ends: EmailEnds
  readonly #sendResults: Recorder<SendResult>
  readonly #deliveryResults: Recorder<DeliveryResult>
  #rate: number | undefined
  #timers: NodeJS.Timeout[] = []
  #recovering: Promise<void> | undefined

  constructor(parts: MailProcessParts) {
    this.#parts = parts
    const { pg, processId, leaseMs, clock, log, retrySeconds, box, metrics, connectionsMax } = parts
    const holds = new DomainHolds(clock, retrySeconds)
    const domains = new SenderDomains({
      find: (organizationId, domain) => findSenderDomain(pg, organizationId, domain),
      ...{ box, clock, log },
    })
    const fromDomains = new FromDomains({
      find: (organizationId, domain) => fromDomainState(pg, organizationId, domain),
      ...{ allowUnverifiedFrom: parts.allowUnverifiedFrom, clock, log },
    })
    const recordBounce = recordSessionBounce.bind(undefined, pg)
    this.#ends = new EmailEnds({ retrySeconds, holds, metrics, log, recordBounce })
    this.#sendResults = new Recorder({
      write: (results) => settleSends(pg, { processId, results }),
      log,
    })
    this.#deliveryResults = new Recorder({ write: (results) => this.#settle(results), log })
    this.#runs = new CampaignRuns({
      ...{ pg, clock, log, fromDomains },
      from: parts.from,
      onWork: () => this.#campaigns.poke(),
    })

    const marksMax = Math.min(marksMaxMax, Math.max(marksMin, connectionsMax))
    const lane = { claimsMax, marksMax, freshMs: leaseMs / 2, clock, log }
    const pool = { hasOpenLine: () => this.#pool.openCount > 0, wakePool: () => this.#pool.wake() }
    const common = { pg, processId, leaseMs, clock, domains, ends: this.#ends }
    const sends = {
      ...common,
      from: fromDomains,
      box,
      results: this.#sendResults,
      hasRate: () => this.#rate !== undefined,
    }
    // What is claimed by one process cannot be taken by another: of single letters only what leaves soon.
    const sendLane = { ...lane, ...pool, claimsMax: marksMax }
    this.#urgent = new EmailLane(sendLedger(sends, [0, 1]), { ...sendLane, name: 'urgent' })
    this.#notifications = new EmailLane(sendLedger(sends, [2]), { ...sendLane, name: 'notices' })
    const links = { box, baseUrl: parts.baseUrl }
    const campaigns = { runs: this.#runs, holds, links, rate: () => this.#rate }
    this.#campaigns = new EmailLane(
      campaignLedger({ ...common, ...campaigns, results: this.#deliveryResults }),
      { ...lane, ...pool, name: 'campaigns' },
    )
    this.#pool = new SmtpPool(
      {
        settings: parts.settings,
        connectionsMax,
        log,
        onUnreachable: (failures, reason) => this.#unreachable(failures, reason),
      },
      {
        hasWork: (urgentOnly) =>
          this.#urgent.hasWork() ||
          (!urgentOnly && (this.#notifications.hasWork() || this.#campaigns.hasWork())),
        take: (urgentOnly) =>
          this.#urgent.take() ??
          (urgentOnly ? undefined : (this.#notifications.take() ?? this.#campaigns.take())),
      },
    )
    this.#session = new MailSession({ url: parts.postgresUrl, processId, log }, (channel) => {
      if (channel === 'campaigns') void this.#runs.look()
      else this.#pokeSends()
    })
  }

  get isListening(): boolean {
    return this.#session.isHeld
  }

  get linesOpen(): number {
    return this.#pool.openCount
  }

  get emailsOnWire(): number {
    return this.#pool.emailsOnWire
  }

  async start(): Promise<void> {
    await this.#session.open()
    await this.#recover()
    const recoverMs = Math.min(recoverMsMax, this.#parts.leaseMs / 4)
    this.#timers = [
      setInterval(() => this.#tick(), lookMs),
      setInterval(() => void this.#recover(), recoverMs),
    ]
    this.#tick()
  }

  /** Stops claiming, ends what is in DATA, gives back the rest, stores every result. */
  async drain(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer)
    await this.#runs.close()
    const lanes = [this.#urgent, this.#notifications, this.#campaigns]
    await Promise.all(lanes.map((lane) => lane.close()))
    await this.#pool.drain()
    await this.#recovering
    await Promise.all([
      this.#sendResults.drain(),
      this.#deliveryResults.drain(),
      this.#ends.drain(),
    ])
    await this.#session.close()
  }

  #tick(): void {
    const { pg, log } = this.#parts
    void this.#runs.look()
    this.#pokeSends()
    readRate(pg).then(
      (rate) => {
        this.#rate = rate
      },
      (error: unknown) =>
        log.warn({ code: 'rate_unknown', err: error }, 'The rate stays as it was.'),
    )
  }

  #pokeSends(): void {
    this.#urgent.poke()
    this.#notifications.poke()
  }

  #recover(): Promise<void> {
    this.#recovering ??= this.#recoverNow()
      .catch((error: unknown) => {
        const { log } = this.#parts
        log.warn({ code: 'recovery_failed', err: error }, 'Lost claims wait; trying again.')
      })
      .finally(() => {
        this.#recovering = undefined
      })
    return this.#recovering
  }

  async #recoverNow(): Promise<void> {
    const { pg, log, metrics } = this.#parts
    const found = [await recoverSends(pg), ...(await recoverDeliveries(pg))]
    const requeued = found.reduce((sum, one) => sum + one.requeued, 0)
    const uncertain = found.reduce((sum, one) => sum + one.uncertain, 0)
    metrics.requeued.inc(requeued)
    metrics.uncertain.inc(uncertain)
    if (requeued + uncertain > 0) {
      log.warn(
        { code: 'letters_recovered', requeued, uncertain },
        'Letters of a process that is gone were taken over.',
      )
    }
  }

  async #settle(results: readonly DeliveryResult[]): Promise<void> {
    const { pg, processId } = this.#parts
    const byCampaign = new Map<string, DeliveryResult[]>()
    for (const result of results) {
      const group = byCampaign.get(result.campaignId) ?? []
      byCampaign.set(result.campaignId, group)
      group.push(result)
    }
    // A group that was stored before another failed is stored again, and finds nothing to do: it is behind the fence.
    for (const group of byCampaign.values()) {
      await settleDeliveries(pg, { processId, results: group })
    }
  }

  #unreachable(failuresInARow: number, reason: string): void {
    if (failuresInARow < unreachableInARowMax || failuresInARow % unreachableInARowMax !== 0) return
    void this.#runs.pauseAll(
      `The mail server could not be reached ${failuresInARow} times in a row: ${reason}`,
    )
  }
}
