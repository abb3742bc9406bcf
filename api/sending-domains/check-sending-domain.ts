/**
 * Queries the DNS records of a sending domain and stores the result: whether it is verified, and
 * which organization owns it. It is called on request, and by `recheck-domains.ts` every day.
 */
import type { Logger } from '#platform/logger.ts'
import type { DnsRecordCheck, SendingDomain } from '#schemas/rest/email/sending-domain.ts'
import { type Actor, addAudit, commandLineActor } from '../audit/audit-store.ts'
import type { ApiContext } from '../context.ts'
import type { Database } from '../database.ts'
import { found, requireUuid } from '../http/route.ts'
import { proofText } from './dns-records.ts'
import { planDomainState } from './plan-domain-state.ts'
import { queryRecords } from './query-records.ts'
import {
  findSendingDomain,
  lockDomain,
  loseDomain,
  type StoredSendingDomain,
  storeDomainCheck,
} from './sending-domain-store.ts'
import { sendingDomainView } from './sending-domain-view.ts'

export type CheckContext = Pick<ApiContext, 'pg' | 'clock' | 'resolver' | 'mailSpf'> & {
  readonly log?: Logger
}

/**
 * The audit log names `actor` for a change of the domain's state; a check that changes nothing has
 * no entry.
 */
export async function checkSendingDomain(
  ctx: CheckContext,
  actor: Actor,
  input: { readonly id: string },
): Promise<SendingDomain> {
  const { organizationId } = actor
  const id = requireUuid(input.id)
  const stored = found(await findSendingDomain(ctx.pg, { organizationId, id }))
  const now = new Date(ctx.clock.nowMs())
  // Name servers may take seconds to answer, so they are asked outside of the transaction.
  const checks = await queryRecords(ctx.resolver, stored, ctx.mailSpf)
  const checked = await ctx.pg.transaction((pg) => applyChecks(pg, actor, { stored, checks, now }))
  if (checked.state !== stored.state) logState(ctx.log, checked)
  return sendingDomainView(checked, ctx.mailSpf)
}

interface CheckedDomain {
  readonly stored: StoredSendingDomain
  readonly checks: readonly DnsRecordCheck[]
  readonly now: Date
}

async function applyChecks(
  pg: Database,
  actor: Actor,
  { stored, checks, now }: CheckedDomain,
): Promise<StoredSendingDomain> {
  const rows = await lockDomain(pg, stored.domain)
  const current = found(rows.find(({ id }) => id === stored.id))
  const owner = rows.find(({ id, ownedAt }) => id !== stored.id && ownedAt !== null)
  const plan = planDomainState(
    now,
    { ...current, isOwned: current.ownedAt !== null },
    checks,
    owner && { isProvenNow: isPublished(checks, owner.proofToken) },
  )
  if (owner !== undefined && plan.takesOver) await takeOver(pg, actor, { owner, now })
  const checked = await storeDomainCheck(pg, {
    ...plan,
    id: stored.id,
    checks,
    now,
    nextCheckAt: new Date(now.getTime() + plan.nextCheckMs),
  })
  if (plan.state !== current.state) {
    await addAudit(pg, actor, {
      action: `sending_domain.${plan.state}`,
      subjectType: 'sending_domain',
      subjectId: stored.id,
      details: { domain: stored.domain, reason: plan.reason },
    })
  }
  return found(checked)
}

/**
 * All organizations publish their tokens under one name, so the query for our own proof has found
 * the others as well.
 */
function isPublished(checks: readonly DnsRecordCheck[], token: string): boolean {
  const texts = checks.find(({ use }) => use === 'proof')?.found ?? []
  return texts.some((text) => text.trim() === proofText(token))
}

async function takeOver(
  pg: Database,
  actor: Actor,
  { owner, now }: { owner: StoredSendingDomain; now: Date },
): Promise<void> {
  const { id, organizationId, domain } = owner
  const reason = `Another organization has proven that ${domain} is its own, and your proof record is not published.`
  await loseDomain(pg, { id, reason, now })
  // This entry is in the log of the organization that lost the domain, so it must not name a person
  // of the other one.
  const dnsCheck: Actor = {
    ...actor,
    organizationId,
    personId: null,
    name: checkActorName,
    ip: null,
  }
  await addAudit(pg, dnsCheck, {
    action: 'sending_domain.lost',
    subjectType: 'sending_domain',
    subjectId: id,
    details: { domain, reason },
  })
}

/** The name in the audit log when no person asked for the check. */
const checkActorName = 'Sluice (DNS check)'

export function checkActor(organizationId: string): Actor {
  return { ...commandLineActor(organizationId), name: checkActorName }
}

function logState(log: Logger | undefined, checked: StoredSendingDomain): void {
  const { domain, organizationId, state, stateReason: reason } = checked
  const about = { code: `sending_domain_${state}`, domain, organizationId, reason }
  if (state === 'verified') {
    log?.info(about, 'A sending domain was verified; its emails are signed.')
    return
  }
  log?.warn(
    about,
    'A sending domain is no longer verified; its emails are unsigned, with the From address as envelope sender.',
  )
}
