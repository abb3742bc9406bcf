/**
 * The campaigns that are being sent now, as this process last read them. It reads them twice a
 * second and after each notification of a change: due campaigns begin, their ledgers are filled,
 * finished ones end. Pausing does not depend on it, because marking an email checks the state of
 * its campaign.
 */
import type { Clock } from '#platform/clock.ts'
import type { Logger } from '#platform/logger.ts'
import type { Pool } from '#platform/postgres.ts'
import { domainOfAddress, unverifiedFromSentence } from '#schemas/mail/from-domain.ts'
import { FrozenCampaign } from '#schemas/mail/frozen-campaign.ts'
import type { Mailbox } from '#schemas/mail/mailbox.ts'
import { CampaignHealth } from './campaign-health.ts'
import type { EmailEnd } from './email-ends.ts'
import type { FromDomains } from './from-domains.ts'
import {
  analyzeDeliveries,
  beginDue,
  cancelLeftOvers,
  finishCampaign,
  listPreparing,
  listSending,
  pauseCampaign,
  prepareStep,
  readFrozen,
  type SendingCampaign,
} from './ledger/mail-campaign-store.ts'
import { forgetCampaignRate, setCampaignRate } from './mail-transport-store.ts'
import {
  type CampaignComposerOptions,
  type CampaignToPrepare,
  PreparedCampaign,
  type Recipient,
} from './message/prepared-campaign.ts'
import type { ComposedEmail } from './smtp/smtp-pool.ts'
import { warmUpTotal } from './warm-up.ts'

export interface CampaignRun {
  readonly id: string
  readonly organizationId: string
  readonly newsletterId: string
  readonly frozen: FrozenCampaign
  readonly compose: (recipient: Recipient) => Promise<ComposedEmail>
  readonly rateMax: number | null
  /** Token bucket of this campaign; undefined if it has no rate limit of its own. */
  readonly bucket: string | undefined
  readonly allowedNow: () => number
  /** Skips the campaign for half a second, because no retry of it can be claimed now. */
  readonly rest: () => void
  /** The same for first attempts. */
  readonly restBlocks: () => void
  readonly ended: (end: EmailEnd) => void
  /** Emails that this process has claimed and not settled. */
  inHand: number
}

interface KnownRun extends CampaignRun {
  latest: SendingCampaign
  restingUntilMs: number
  blocksRestUntilMs: number
  sentSinceLook: number
}

export interface CampaignRunsOptions {
  readonly pg: Pool
  readonly clock: Clock
  readonly log: Logger
  readonly fromDomains: FromDomains
  readonly composer: CampaignComposerOptions
  /** Sender of emails to the owners of an organization. */
  readonly from: Mailbox
  /** Called when something can be claimed that could not be claimed before. */
  readonly onWork: () => void
  /**
   * Called when the ledger of a campaign is filled: it can be sent as soon as the campaigns are
   * read again.
   */
  readonly onPrepared: () => void
}

const restMs = 500

export class CampaignRuns {
  readonly #options: CampaignRunsOptions
  readonly #runs = new Map<string, KnownRun>()
  readonly #preparing = new Map<string, Promise<void>>()
  #isClosed = false
  #turn = 0
  #turnOfBlocks = 0

  constructor(options: CampaignRunsOptions) {
    this.#options = options
  }

  /** The next campaign in round-robin order that is not skipped for the moment. */
  next(): CampaignRun | undefined {
    const nowMs = this.#options.clock.monotonicMs()
    const [run, turn] = nextOf(
      [...this.#runs.values()],
      this.#turn,
      (one) => one.restingUntilMs <= nowMs,
    )
    this.#turn = turn
    return run
  }

  /** The same for first attempts. */
  nextOfBlocks(): CampaignRun | undefined {
    const nowMs = this.#options.clock.monotonicMs()
    const isReady = (one: KnownRun) => one.blocksRestUntilMs <= nowMs
    const [run, turn] = nextOf([...this.#runs.values()], this.#turnOfBlocks, isReady)
    this.#turnOfBlocks = turn
    return run
  }

  /**
   * For when the mail server stays unreachable: all campaigns are paused until a person resumes
   * them.
   */
  async pauseAll(reason: string): Promise<void> {
    await Promise.all([...this.#runs.keys()].map((id) => this.#pause(id, reason)))
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.all(this.#preparing.values())
  }

  /**
   * Starts due campaigns, fills their ledgers, and reads which ones are being sent. Calls must not
   * overlap.
   */
  async look(): Promise<void> {
    if (this.#isClosed) return
    const { pg, onWork } = this.#options
    await beginDue(pg)
    await cancelLeftOvers(pg)
    for (const id of await listPreparing(pg)) this.#prepare(id)
    const sending = await listSending(pg)
    const ids = new Set(sending.map(({ id }) => id))
    for (const id of this.#runs.keys()) if (!ids.has(id)) this.#runs.delete(id)
    for (const campaign of sending) {
      if (campaign.waiting === 0 && (await finishCampaign(pg, campaign.id))) {
        this.#runs.delete(campaign.id)
        await forgetCampaignRate(pg, campaign.id)
        this.#options.log.info(
          { code: 'campaign_sent', campaignId: campaign.id },
          'A campaign has been sent.',
        )
        continue
      }
      await this.#update(campaign)
    }
    if (this.#runs.size > 0) onWork()
  }

  async #update(campaign: SendingCampaign): Promise<void> {
    const known = this.#runs.get(campaign.id)
    if (known !== undefined && (await this.#isPausedForSender(campaign, known.frozen))) return
    if (known !== undefined && known.rateMax === campaign.rateMax) {
      known.latest = campaign
      known.sentSinceLook = 0
      return
    }
    const { pg } = this.#options
    const frozen = FrozenCampaign.safeParse(await readFrozen(pg, campaign.id)).data
    const prepared = frozen && this.#prepareEmails({ ...campaign, frozen })
    if (frozen === undefined || prepared === undefined) {
      await this.#pause(
        campaign.id,
        'The stored email of the campaign cannot be read. Duplicate the campaign and send the copy.',
      )
      return
    }
    if (known === undefined && (await this.#isPausedForSender(campaign, frozen))) return
    const { rateMax } = campaign
    const bucket = rateMax === null ? undefined : await setCampaignRate(pg, campaign.id, rateMax)
    const run = this.#runOf(campaign, { frozen, prepared, bucket })
    this.#runs.set(campaign.id, run)
  }

  async #isPausedForSender({ id, organizationId }: SendingCampaign, frozen: FrozenCampaign) {
    const domain = domainOfAddress(frozen.fromAddress)
    if (!(await this.#options.fromDomains.isRefused({ organizationId, domain }))) return false
    await this.#pause(id, unverifiedFromSentence(domain))
    return true
  }

  /** Undefined if a header field cannot be encoded. */
  #prepareEmails(campaign: CampaignToPrepare): PreparedCampaign | undefined {
    try {
      return new PreparedCampaign(campaign, this.#options.composer)
    } catch {
      return undefined
    }
  }

  #runOf(
    campaign: SendingCampaign,
    parts: { frozen: FrozenCampaign; prepared: PreparedCampaign; bucket: string | undefined },
  ): KnownRun {
    const { frozen, prepared, bucket } = parts
    const { clock } = this.#options
    const health = new CampaignHealth()
    const run: KnownRun = {
      ...campaign,
      frozen,
      compose: (recipient) => prepared.compose(recipient),
      bucket,
      latest: campaign,
      restingUntilMs: 0,
      blocksRestUntilMs: 0,
      sentSinceLook: 0,
      inHand: 0,
      allowedNow: () => {
        const { warmUp, sentAt, settled } = run.latest
        if (!warmUp || sentAt === null) return Number.POSITIVE_INFINITY
        return (
          warmUpTotal(clock.nowMs() - sentAt.getTime()) - settled - run.sentSinceLook - run.inHand
        )
      },
      rest: () => {
        run.restingUntilMs = clock.monotonicMs() + restMs
      },
      restBlocks: () => {
        run.blocksRestUntilMs = clock.monotonicMs() + restMs
      },
      ended: (end) => {
        run.sentSinceLook += 1
        const result = end.bounce === 'mailbox' ? 'hard' : end.trouble === 'ours' ? 'ours' : 'other'
        const reason = health.add(end.state === 'sent' ? 'sent' : result)
        if (reason !== undefined) void this.#pause(campaign.id, reason)
      },
    }
    return run
  }

  async #pause(campaignId: string, reason: string): Promise<void> {
    const { pg, log, from } = this.#options
    this.#runs.delete(campaignId)
    try {
      if (await pauseCampaign(pg, { campaignId, reason, from })) {
        log.warn(
          { code: 'campaign_paused', campaignId, reason },
          'A campaign was paused automatically.',
        )
      }
    } catch (error) {
      log.error({ code: 'pause_failed', campaignId, err: error }, 'A campaign could not be paused.')
    }
  }

  /** Runs beside everything else, because a million contacts take some seconds. */
  #prepare(campaignId: string): void {
    if (this.#preparing.has(campaignId)) return
    const work = this.#prepareAll(campaignId)
      .catch((error: unknown) => {
        this.#options.log.warn(
          { code: 'prepare_failed', campaignId, err: error },
          'Filling the ledger of a campaign failed; retrying when the campaigns are read again.',
        )
      })
      .finally(() => this.#preparing.delete(campaignId))
    this.#preparing.set(campaignId, work)
  }

  async #prepareAll(campaignId: string): Promise<void> {
    const { pg } = this.#options
    while (!this.#isClosed) {
      const step = await prepareStep(pg, campaignId)
      if (step === 'more') continue
      if (step === 'done') {
        await analyzeDeliveries(pg)
        this.#options.onPrepared()
      }
      return
    }
  }
}

function nextOf(
  runs: readonly KnownRun[],
  turn: number,
  isReady: (run: KnownRun) => boolean,
): [run: KnownRun | undefined, turn: number] {
  for (let step = 1; step <= runs.length; step += 1) {
    const at = (turn + step) % runs.length
    if (isReady(runs[at]!)) return [runs[at], at]
  }
  return [undefined, turn]
}
