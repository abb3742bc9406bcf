/**
 * The campaigns that are being sent now, as this process knows them. Twice a second, and whenever it is told of a change, it looks
 * again: due ones begin, their ledgers are filled, finished ones end. Pausing does not depend on this: the mark looks for itself.
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
import { warmUpTotal } from './warm-up.ts'

export interface CampaignRun {
  readonly id: string
  readonly organizationId: string
  readonly newsletterId: string
  readonly frozen: FrozenCampaign
  readonly rateMax: number | null
  /** Its own bucket of tokens, where it has a rate. */
  readonly bucket: string | undefined
  readonly allowedNow: () => number
  /** Nothing of it can be claimed for a moment. */
  readonly rest: () => void
  readonly ended: (end: EmailEnd) => void
  /** Letters that this process has claimed and not settled. */
  inHand: number
}

interface KnownRun extends CampaignRun {
  latest: SendingCampaign
  restingUntilMs: number
  sentSinceLook: number
}

export interface CampaignRunsParts {
  readonly pg: Pool
  readonly clock: Clock
  readonly log: Logger
  readonly fromDomains: FromDomains
  /** The sender of emails to owners. */
  readonly from: Mailbox
  /** Something can be claimed that could not be before. */
  readonly onWork: () => void
}

const restMs = 500

export class CampaignRuns {
  readonly #parts: CampaignRunsParts
  readonly #runs = new Map<string, KnownRun>()
  readonly #preparing = new Map<string, Promise<void>>()
  #looking: Promise<void> | undefined
  #isClosed = false
  #turn = 0

  constructor(parts: CampaignRunsParts) {
    this.#parts = parts
  }

  /** The next in turn that does not rest. */
  next(): CampaignRun | undefined {
    const runs = [...this.#runs.values()]
    const nowMs = this.#parts.clock.monotonicMs()
    for (let count = 0; count < runs.length; count += 1) {
      this.#turn = (this.#turn + 1) % runs.length
      const run = runs[this.#turn]!
      if (run.restingUntilMs <= nowMs) return run
    }
    return undefined
  }

  look(): Promise<void> {
    this.#looking ??= this.#look()
      .catch((error: unknown) => {
        this.#parts.log.warn(
          { code: 'campaigns_unknown', err: error },
          'The campaigns could not be read; trying again.',
        )
      })
      .finally(() => {
        this.#looking = undefined
      })
    return this.#looking
  }

  /** The mail server is away for good: everything stops until people have looked. */
  async pauseAll(reason: string): Promise<void> {
    await Promise.all([...this.#runs.keys()].map((id) => this.#pause(id, reason)))
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#looking
    await Promise.all(this.#preparing.values())
  }

  async #look(): Promise<void> {
    if (this.#isClosed) return
    const { pg, onWork } = this.#parts
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
        this.#parts.log.info(
          { code: 'campaign_sent', campaignId: campaign.id },
          'A campaign is sent.',
        )
        continue
      }
      await this.#learn(campaign)
    }
    if (this.next() !== undefined) onWork()
  }

  async #learn(campaign: SendingCampaign): Promise<void> {
    const known = this.#runs.get(campaign.id)
    if (known !== undefined && (await this.#isPausedForSender(campaign, known.frozen))) return
    if (known !== undefined && known.rateMax === campaign.rateMax) {
      known.latest = campaign
      known.sentSinceLook = 0
      return
    }
    const { pg } = this.#parts
    const parsed = FrozenCampaign.safeParse(await readFrozen(pg, campaign.id))
    if (!parsed.success) {
      await this.#pause(
        campaign.id,
        'Its letter cannot be read: make a copy of the campaign and send that.',
      )
      return
    }
    if (known === undefined && (await this.#isPausedForSender(campaign, parsed.data))) return
    const { rateMax } = campaign
    const bucket = rateMax === null ? undefined : await setCampaignRate(pg, campaign.id, rateMax)
    const run = this.#runOf(campaign, parsed.data, bucket)
    this.#runs.set(campaign.id, run)
  }

  async #isPausedForSender({ id, organizationId }: SendingCampaign, frozen: FrozenCampaign) {
    const domain = domainOfAddress(frozen.fromAddress)
    if (!(await this.#parts.fromDomains.isRefused({ organizationId, domain }))) return false
    await this.#pause(id, unverifiedFromSentence(domain))
    return true
  }

  #runOf(campaign: SendingCampaign, frozen: FrozenCampaign, bucket: string | undefined): KnownRun {
    const { clock } = this.#parts
    const health = new CampaignHealth()
    const run: KnownRun = {
      ...campaign,
      frozen,
      bucket,
      latest: campaign,
      restingUntilMs: 0,
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
    const { pg, log, from } = this.#parts
    this.#runs.delete(campaignId)
    try {
      if (await pauseCampaign(pg, { campaignId, reason, from })) {
        log.warn({ code: 'campaign_paused', campaignId, reason }, 'A campaign paused itself.')
      }
    } catch (error) {
      log.error({ code: 'pause_failed', campaignId, err: error }, 'A campaign could not be paused.')
    }
  }

  /** Beside everything else: a million contacts take some seconds. */
  #prepare(campaignId: string): void {
    if (this.#preparing.has(campaignId)) return
    const work = this.#prepareAll(campaignId)
      .catch((error: unknown) => {
        this.#parts.log.warn(
          { code: 'prepare_failed', campaignId, err: error },
          'A ledger could not be filled; going on soon.',
        )
      })
      .finally(() => this.#preparing.delete(campaignId))
    this.#preparing.set(campaignId, work)
  }

  async #prepareAll(campaignId: string): Promise<void> {
    const { pg } = this.#parts
    while (!this.#isClosed) {
      const step = await prepareStep(pg, campaignId)
      if (step === 'more') continue
      if (step === 'done') {
        await analyzeDeliveries(pg)
        void this.look()
      }
      return
    }
  }
}
