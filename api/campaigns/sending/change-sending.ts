/**
 * What people decide about a campaign, from the dashboard and the command line alike. Each change and its line in the audit log are
 * one transaction; a change that the campaign's state does not allow is a conflict that names the state.
 */
import { CodedError } from '#schemas/error-codes.ts'
import { type Actor, addAudit } from '../../audit/audit-store.ts'
import type { ApiContext } from '../../context.ts'
import { judgeFromAddress, requireFromAddress } from '../../sending-domains/from-address.ts'
import { preflight } from '../campaign-check-routes.ts'
import type { StoredCampaign } from '../campaign-store.ts'
import { freezeCampaign, prepareCampaign } from '../freeze-campaign.ts'
import {
  beginSending,
  cancelSending,
  findFrozenFrom,
  pauseSending,
  requeueDeliveries,
  resumeSending,
  setSendingRate,
} from './delivery-store.ts'

export interface StartWish {
  readonly scheduledAt?: Date | null | undefined
  readonly rateMax?: number | null | undefined
  readonly warmUp?: boolean | undefined
  /** Also when the check before sending found errors. */
  readonly force?: boolean | undefined
}

type Ctx = Pick<ApiContext, 'pg' | 'apiUrl' | 'composer' | 'allowUnverifiedFrom'>

/** Now, or at its time; the letter is frozen in this moment either way. */
export async function startCampaign(
  campaign: StoredCampaign,
  wish: StartWish,
  actor: Actor,
  ctx: Ctx,
): Promise<void> {
  const { organizationId: owner, fromAddress } = campaign.newsletter
  // Also with force: mail in somebody else's name is nobody's to wish for.
  await requireFromAddress(ctx, { organizationId: owner, address: fromAddress }, 'newsletter')
  if (wish.force !== true) {
    const { ready, checks } = await preflight(campaign, ctx)
    if (!ready) {
      const errors = checks.filter(({ level }) => level === 'error')
      const message = `It should not be sent like this: ${errors.map(({ sentence }) => sentence).join(' ')}`
      throw new CodedError('conflict', { message })
    }
  }
  const prepared = await prepareCampaign(campaign, ctx)
  const scheduledAt = wish.scheduledAt ?? null
  await ctx.pg.transaction(async (pg) => {
    const { id } = campaign
    const { organizationId } = campaign.newsletter
    const start = { id, scheduledAt, rateMax: wish.rateMax ?? null, warmUp: wish.warmUp === true }
    if (!(await beginSending(pg, start))) throw conflict('sent', campaign)
    await freezeCampaign(pg, { id, organizationId }, ctx, prepared)
    const action = scheduledAt === null ? 'campaign.sent' : 'campaign.scheduled'
    await addAudit(pg, actor, { ...entry(campaign), action, details: start })
  })
}

export async function pauseCampaign(campaign: StoredCampaign, actor: Actor, ctx: Ctx) {
  await ctx.pg.transaction(async (pg) => {
    if (!(await pauseSending(pg, campaign.id))) throw conflict('paused', campaign)
    await addAudit(pg, actor, { ...entry(campaign), action: 'campaign.paused' })
  })
}

/** The mailer would pause it again at once if its From address is no longer allowed, so that is a conflict. */
export async function resumeCampaign(campaign: StoredCampaign, actor: Actor, ctx: Ctx) {
  const address = await findFrozenFrom(ctx.pg, campaign.id)
  if (address !== undefined) {
    const { organizationId } = campaign.newsletter
    const verdict = await judgeFromAddress(ctx, { organizationId, address })
    if (verdict.kind === 'refused') {
      const message = `The campaign cannot be resumed: ${verdict.sentence}`
      throw new CodedError('conflict', { message })
    }
  }
  await ctx.pg.transaction(async (pg) => {
    if (!(await resumeSending(pg, campaign.id))) throw conflict('resumed', campaign)
    await addAudit(pg, actor, { ...entry(campaign), action: 'campaign.resumed' })
  })
}

/** For good; of what has not begun only the plan, and it is a draft again. */
export async function cancelCampaign(campaign: StoredCampaign, actor: Actor, ctx: Ctx) {
  await ctx.pg.transaction(async (pg) => {
    const result = await cancelSending(pg, campaign.id)
    if (result === 'no') throw conflict('cancelled', campaign)
    const action = result === 'draft' ? 'campaign.unscheduled' : 'campaign.cancelled'
    await addAudit(pg, actor, { ...entry(campaign), action })
  })
}

export async function changeRate(
  campaign: StoredCampaign,
  rateMax: number | null,
  actor: Actor,
  ctx: Ctx,
) {
  await ctx.pg.transaction(async (pg) => {
    await setSendingRate(pg, { id: campaign.id, rateMax })
    const details = { rateMax }
    await addAudit(pg, actor, { ...entry(campaign), action: 'campaign.rate_changed', details })
  })
}

/** Some may get it a second time: only a person can decide that. */
export async function resendDeliveries(
  campaign: StoredCampaign,
  again: { state: 'uncertain' | 'failed'; contactIds: readonly string[] | null },
  actor: Actor,
  ctx: Ctx,
): Promise<number> {
  return ctx.pg.transaction(async (pg) => {
    if (!['sending', 'paused', 'sent'].includes(campaign.state)) throw conflict('resent', campaign)
    const requeued = await requeueDeliveries(pg, { id: campaign.id, ...again })
    const details = { state: again.state, requeued }
    await addAudit(pg, actor, { ...entry(campaign), action: 'campaign.resent', details })
    return requeued
  })
}

function entry({ id }: StoredCampaign) {
  return { subjectType: 'campaign', subjectId: id }
}

function conflict(wanted: string, { state }: StoredCampaign): CodedError {
  return new CodedError('conflict', {
    message: `It cannot be ${wanted}: the campaign is ${state}.`,
  })
}
