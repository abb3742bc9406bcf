/**
 * One mail process; several may run. Four lanes share the SMTP connections, in this order of
 * priority: emails that somebody waits for, notifications, retries of campaigns, first attempts of
 * campaigns. Everything that must survive
 * the process is in Postgres, so that killing it at any moment loses no email and sends none twice
 * (docs/sending.md).
 */
import type { Clock } from '#platform/clock.ts'
import type { Logger } from '#platform/logger.ts'
import { type PeriodicTask, PeriodicTasks } from '#platform/periodic.ts'
import type { Pool } from '#platform/postgres.ts'
import type { SecretBox } from '#platform/secret-box.ts'
import type { SmtpSettings } from '#platform/smtp/smtp-settings.ts'
import type { Mailbox } from '#schemas/mail/mailbox.ts'
import { BlockLane } from './blocks/block-lane.ts'
import { type AcceptedResult, type BlockResult, blockLedger } from './blocks/block-ledger.ts'
import { settleAccepted } from './blocks/delivery-block-store.ts'
import { CampaignRuns } from './campaign-runs.ts'
import { DomainHolds } from './domain-holds.ts'
import { EmailEnds } from './email-ends.ts'
import { FromDomains } from './from-domains.ts'
import { type CampaignClaim, campaignLedger } from './ledger/campaign-ledger.ts'
import { EmailLane } from './ledger/email-lane.ts'
import { recoverDeliveries, settleDeliveries } from './ledger/mail-delivery-store.ts'
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
import { MessageBuffers } from './message/message-buffers.ts'
import { Recorder } from './recorder.ts'
import { SenderDomains } from './sender-domains.ts'
import { SmtpPool, type WireJob } from './smtp/smtp-pool.ts'

export interface MailProcessOptions {
  readonly pg: Pool
  readonly postgresUrl: string
  readonly processId: string
  readonly settings: SmtpSettings
  readonly connectionsMax: number
  readonly leaseMs: number
  readonly retrySeconds: readonly number[]
  readonly box: SecretBox
  /** Where the links in emails point to, without a slash at the end. */
  readonly baseUrl: string
  /** Sender of emails to the owners of an organization. */
  readonly from: Mailbox
  /** The variable MAIL_ALLOW_UNVERIFIED_FROM. */
  readonly allowUnverifiedFrom: boolean
  readonly clock: Clock
  readonly log: Logger
  readonly metrics: MailMetrics
}

/** Delay with which work is found that no notification announced. */
const pollMs = 500
/**
 * Claims of a killed process go back to the queue after this time, not only when their lease
 * expires.
 */
const recoverMsMax = 2_000
const claimsMax = 500
const marksMin = 4
const marksMaxMax = 50
/** Emails of campaigns that are uncertain after a crash, for each connection. */
const openPerConnection = 2
/** Emails that the mail server accepted are not uncertain, so their results may wait longer. */
const acceptedFlushMs = 100
/**
 * Failures to reach the mail server after which all campaigns are paused, and again after as many.
 */
const unreachableInARowMax = 50

export class MailProcess {
  readonly #options: MailProcessOptions
  readonly #pool: SmtpPool
  readonly #urgent: EmailLane<ClaimedSend>
  readonly #notifications: EmailLane<ClaimedSend>
  readonly #retries: EmailLane<CampaignClaim>
  readonly #blocks: BlockLane
  readonly #runs: CampaignRuns
  readonly #session: MailSession
  readonly #ends: EmailEnds
  readonly #sendResults: Recorder<SendResult>
  readonly #deliveryResults: Recorder<BlockResult>
  readonly #acceptedResults: Recorder<AcceptedResult>
  readonly #periodic: PeriodicTasks
  /** Retries that are marked, or about to be, and whose result is not stored. */
  #openRetries = 0
  /** Emails per second that the transport allows; undefined: no limit. */
  #rate: number | undefined
  #campaignTask: PeriodicTask | undefined

  constructor(options: MailProcessOptions) {
    this.#options = options
    const { pg, processId, leaseMs, clock, log, retrySeconds, box, metrics, connectionsMax } =
      options
    this.#periodic = new PeriodicTasks({ clock, log, registry: metrics.registry })
    const holds = new DomainHolds(clock, retrySeconds)
    const domains = new SenderDomains({
      find: (organizationId, domain) => findSenderDomain(pg, organizationId, domain),
      box,
      clock,
      log,
    })
    const fromDomains = new FromDomains({
      find: (organizationId, domain) => fromDomainState(pg, organizationId, domain),
      allowUnverifiedFrom: options.allowUnverifiedFrom,
      clock,
      log,
    })
    const recordBounce = recordSessionBounce.bind(undefined, pg)
    this.#ends = new EmailEnds({ retrySeconds, holds, metrics, log, recordBounce })
    this.#sendResults = new Recorder({
      write: (results) => settleSends(pg, { processId, results }),
      log,
    })
    this.#deliveryResults = new Recorder({ write: (results) => this.#settle(results), log })
    this.#acceptedResults = new Recorder({
      write: (results) => this.#settleAccepted(results),
      flushMs: acceptedFlushMs,
      log,
    })
    this.#runs = new CampaignRuns({
      pg,
      clock,
      log,
      fromDomains,
      composer: { domains, clock, box, baseUrl: options.baseUrl, buffers: new MessageBuffers() },
      from: options.from,
      onWork: () => {
        this.#retries.poke()
        this.#blocks.poke()
      },
      onPrepared: () => void this.#campaignTask?.run(),
    })

    const marksMax = Math.min(marksMaxMax, Math.max(marksMin, connectionsMax))
    const lane = { claimsMax, marksMax, freshMs: leaseMs / 2, clock, log }
    const pool = {
      hasOpenConnection: () => this.#pool.openCount > 0,
      wakePool: () => this.#pool.wake(),
    }
    const common = { pg, processId, leaseMs, clock, ends: this.#ends }
    const sends = {
      ...common,
      domains,
      from: fromDomains,
      box,
      results: this.#sendResults,
      hasRate: () => this.#rate !== undefined,
    }
    // An email that one process has claimed is out of reach of the others, so only single emails
    // that leave soon are claimed.
    const sendLane = { ...lane, ...pool, claimsMax: marksMax }
    this.#urgent = new EmailLane(sendLedger(sends, [0, 1]), { ...sendLane, name: 'urgent' })
    this.#notifications = new EmailLane(sendLedger(sends, [2]), {
      ...sendLane,
      name: 'notifications',
    })
    const campaigns = { ...common, runs: this.#runs, holds, rate: () => this.#rate }
    const openMax = openPerConnection * connectionsMax
    const retriesMax = Math.max(1, Math.floor(connectionsMax / 4))
    this.#retries = new EmailLane(
      campaignLedger({
        ...campaigns,
        results: this.#deliveryResults,
        marksNow: () => retriesMax - this.#openRetries,
        onMarks: (count) => {
          this.#openRetries += count
        },
      }),
      { ...lane, ...pool, marksMax: retriesMax, name: 'retries' },
    )
    this.#blocks = new BlockLane(
      blockLedger({
        ...campaigns,
        claimsMax,
        compose: (run, delivery) => run.compose(delivery),
        results: this.#deliveryResults,
        accepted: this.#acceptedResults,
      }),
      {
        claimsMax,
        marksMin: Math.max(1, Math.floor(connectionsMax / 2)),
        openMax: openMax - retriesMax,
        freshMs: leaseMs / 2,
        clock,
        log,
        ...pool,
      },
    )
    this.#pool = new SmtpPool(
      {
        settings: options.settings,
        connectionsMax,
        log,
        onUnreachable: (failures, reason) => this.#unreachable(failures, reason),
      },
      {
        hasWork: (urgentOnly) =>
          this.#urgent.hasWork() ||
          (!urgentOnly && this.#otherLanes.some((lane) => lane.hasWork())),
        take: (urgentOnly) => this.#urgent.take() ?? (urgentOnly ? undefined : this.#takeOther()),
      },
    )
    this.#session = new MailSession({ url: options.postgresUrl, processId, log }, (channel) => {
      if (channel === 'campaigns') void this.#campaignTask?.run()
      else this.#pokeSends()
    })
  }

  get isListening(): boolean {
    return this.#session.isHeld
  }

  /** Resolves to why the mail server cannot be used, or to undefined. */
  findSmtpFault(): Promise<string | undefined> {
    return this.#pool.findFault()
  }

  get connectionsOpen(): number {
    return this.#pool.openCount
  }

  get emailsOnWire(): number {
    return this.#pool.emailsOnWire
  }

  get isSmtpAway(): boolean {
    return !this.#pool.isReachable
  }

  async start(): Promise<void> {
    await this.#session.open()
    const { pg, leaseMs } = this.#options
    const recovery = this.#periodic.start({
      name: 'mail_recovery',
      intervalMs: Math.min(recoverMsMax, leaseMs / 4),
      run: () => this.#recover(),
      failure: { code: 'recovery_failed', text: 'Recovering emails of lost processes failed' },
    })
    await recovery.run()
    this.#campaignTask = this.#periodic.start({
      name: 'mail_campaigns',
      intervalMs: pollMs,
      first: 'now',
      run: () => this.#runs.look(),
      failure: { code: 'campaigns_unknown', text: 'Reading the campaigns to send failed' },
    })
    this.#periodic.start({
      name: 'mail_sends',
      intervalMs: pollMs,
      first: 'now',
      run: async () => {
        this.#pokeSends()
        this.#rate = await readRate(pg)
      },
      failure: { code: 'rate_unknown', text: 'Reading the rate limit of the transport failed' },
    })
  }

  /**
   * Stops claiming, finishes emails whose data is being transferred, releases the others, and
   * stores every result.
   */
  async drain(): Promise<void> {
    const stopped = this.#periodic.stop()
    await this.#runs.close()
    const lanes = [this.#urgent, ...this.#otherLanes]
    await Promise.all(lanes.map((lane) => lane.close()))
    await this.#pool.drain()
    await stopped
    await Promise.all([
      this.#sendResults.drain(),
      this.#deliveryResults.drain(),
      this.#acceptedResults.drain(),
      this.#ends.drain(),
    ])
    await this.#blocks.drain()
    await this.#session.close()
  }

  /** In the order of their priority. */
  get #otherLanes(): readonly [EmailLane<ClaimedSend>, EmailLane<CampaignClaim>, BlockLane] {
    return [this.#notifications, this.#retries, this.#blocks]
  }

  #takeOther(): WireJob | undefined {
    return this.#notifications.take() ?? this.#retries.take() ?? this.#blocks.take()
  }

  #pokeSends(): void {
    this.#urgent.poke()
    this.#notifications.poke()
  }

  async #recover(): Promise<void> {
    const { pg, log, metrics } = this.#options
    const found = [await recoverSends(pg), ...(await recoverDeliveries(pg))]
    const requeued = found.reduce((sum, one) => sum + one.requeued, 0)
    const uncertain = found.reduce((sum, one) => sum + one.uncertain, 0)
    metrics.requeued.inc(requeued)
    metrics.uncertain.inc(uncertain)
    if (requeued + uncertain > 0) {
      log.warn(
        { code: 'letters_recovered', requeued, uncertain },
        'Claims of lost mail processes were recovered: emails are queued again, or uncertain.',
      )
    }
  }

  async #settle(results: readonly BlockResult[]): Promise<void> {
    const { pg, processId } = this.#options
    // If one group fails, all are stored again. For those that were stored the second time changes
    // nothing: they are fenced.
    for (const group of byCampaign(results)) {
      await settleDeliveries(pg, { processId, results: group })
    }
    for (const { email, wasTaken } of results) {
      if (email !== undefined) this.#blocks.stored(email)
      else if (wasTaken) this.#openRetries -= 1
    }
  }

  async #settleAccepted(results: readonly AcceptedResult[]): Promise<void> {
    const { pg, processId } = this.#options
    for (const accepted of byCampaign(results)) {
      if (await settleAccepted(pg, { processId, accepted })) continue
      // The lease of some had ended: they are uncertain, or recorded as sent already.
      const late = accepted.map((one) => ({
        ...one,
        attempt: 1,
        state: 'sent' as const,
        reason: null,
        delaySeconds: 0,
      }))
      await settleDeliveries(pg, { processId, results: late })
    }
    for (const { email } of results) this.#blocks.stored(email)
  }

  #unreachable(failuresInARow: number, reason: string): void {
    if (failuresInARow < unreachableInARowMax || failuresInARow % unreachableInARowMax !== 0) return
    void this.#runs.pauseAll(
      `The mail server could not be reached ${failuresInARow} times in a row: ${reason}`,
    )
  }
}

function byCampaign<Result extends { readonly campaignId: string }>(
  results: readonly Result[],
): Iterable<Result[]> {
  const groups = new Map<string, Result[]>()
  for (const result of results) {
    const group = groups.get(result.campaignId)
    if (group === undefined) groups.set(result.campaignId, [result])
    else group.push(result)
  }
  return groups.values()
}
