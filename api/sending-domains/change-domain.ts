/** How people add, check and remove sending domains, from a browser or the command line. */
import { v7 as uuidv7 } from 'uuid'
import type { DnsResolver } from '#platform/dns-resolver.ts'
import type { Logger } from '#platform/logger.ts'
import type { SecretBox } from '#platform/secret-box.ts'
import { isWithin } from '#schemas/domain-name.ts'
import { CodedError } from '#schemas/error-codes.ts'
import type { DnsRecordCheck, SendingDomain } from '#schemas/rest/email/sending-domain.ts'
import { type Actor, addAudit, commandLineActor } from '../audit/audit-store.ts'
import type { Database, Postgres } from '../database.ts'
import { found } from '../http/route.ts'
import { invalidField } from '../http/validation/invalid-field.ts'
import { checkDomain } from './check-domain.ts'
import { dnsRecordsOf, proofText } from './dns-records.ts'
import { makeDkimKey } from './make-dkim-key.ts'
import { planDomainState } from './plan-domain-state.ts'
import { parseSenderDomain } from './public-suffix.ts'
import {
  addSendingDomain,
  deleteSendingDomain,
  findSendingDomain,
  listSendingDomains,
  lockDomain,
  loseDomain,
  type StoredSendingDomain,
  storeDomainCheck,
} from './sending-domain-store.ts'

/** All of them are one page, and each is a key of its own. */
export const domainsMax = 200
/** Of the secret box; the place is the row's id. The mail process opens it. */
const dkimPurpose = 'dkim'
const selectorDefault = 'sluice'

interface NewDomain {
  readonly domain: string
  readonly bounceDomain?: string | null | undefined
  readonly selector?: string | null | undefined
}

export async function addDomain(
  { pg, box, mailSpf }: { pg: Postgres; box: SecretBox; mailSpf: string },
  actor: Actor,
  wanted: NewDomain,
): Promise<SendingDomain> {
  const { organizationId } = actor
  const domain = parseSenderDomain('domain', wanted.domain)
  const bounceDomain = wanted.bounceDomain
    ? parseSenderDomain('bounceDomain', wanted.bounceDomain)
    : null
  // Aligned with the from address, or DMARC does not take SPF's word for it (RFC 7489 §3.1.2).
  if (bounceDomain !== null && !isWithin(bounceDomain, new Set([domain]))) {
    throw invalidField('bounceDomain', `must be ${domain} or lie below it`)
  }
  const key = await makeDkimKey()
  const id = uuidv7()
  return pg.transaction(async (client) => {
    const rowsMax = domainsMax
    if ((await listSendingDomains(client, { organizationId, rowsMax })).length === domainsMax) {
      const message = `An organization has at most ${domainsMax} sending domains.`
      throw new CodedError('conflict', { message })
    }
    const stored = await addSendingDomain(client, {
      ...{ id, organizationId, domain, bounceDomain },
      selector: wanted.selector || selectorDefault,
      sealedKey: box.seal(dkimPurpose, id, key.privatePem),
      publicKey: key.publicKey,
    })
    if (stored === undefined) {
      throw new CodedError('conflict', { message: 'This sending domain exists already.' })
    }
    await addAudit(client, actor, {
      ...{ action: 'sending_domain.created', subjectType: 'sending_domain', subjectId: id },
      details: { domain },
    })
    return domainItem(stored, mailSpf)
  })
}

export interface CheckContext {
  readonly pg: Postgres
  readonly resolver: DnsResolver
  readonly mailSpf: string
  readonly log?: Logger
}

/** Asks the DNS, and stores what it means for the domain. `actor` stands behind what changes by it. */
export async function checkStoredDomain(
  ctx: CheckContext,
  actor: Actor,
  { id, now }: { id: string; now: Date },
): Promise<SendingDomain> {
  const { pg, resolver, mailSpf } = ctx
  const { organizationId } = actor
  const stored = found(await findSendingDomain(pg, { organizationId, id }))
  // Name servers are asked outside of any transaction: they take their time.
  const checks = await checkDomain(resolver, stored, mailSpf)
  const checked = await pg.transaction((client) =>
    applyChecks(client, actor, { stored, checks, now }),
  )
  if (checked.state !== stored.state) logState(ctx.log, checked)
  return domainItem(checked, mailSpf)
}

async function applyChecks(
  client: Database,
  actor: Actor,
  { stored, checks, now }: { stored: StoredSendingDomain; checks: DnsRecordCheck[]; now: Date },
): Promise<StoredSendingDomain> {
  const rows = await lockDomain(client, stored.domain)
  const current = found(rows.find(({ id }) => id === stored.id))
  const owner = rows.find(({ id, ownedAt }) => id !== stored.id && ownedAt !== null)
  const plan = planDomainState(
    now,
    { ...current, isOwned: current.ownedAt !== null },
    checks,
    owner && { isProvenNow: isPublished(checks, owner.proofToken) },
  )
  if (owner !== undefined && plan.takesOver) await takeOver(client, actor, { owner, now })
  const checked = await storeDomainCheck(client, {
    ...plan,
    ...{ id: stored.id, checks, now },
    nextCheckAt: new Date(now.getTime() + plan.nextCheckMs),
  })
  if (plan.state !== current.state) {
    await addAudit(client, actor, {
      ...{ action: `sending_domain.${plan.state}`, subjectType: 'sending_domain' },
      ...{ subjectId: stored.id, details: { domain: stored.domain, reason: plan.reason } },
    })
  }
  return found(checked)
}

/** Found when our own proof was looked for: all tokens stand under one name. */
function isPublished(checks: readonly DnsRecordCheck[], token: string): boolean {
  const texts = checks.find(({ use }) => use === 'proof')?.found ?? []
  return texts.some((text) => text.trim() === proofText(token))
}

async function takeOver(
  client: Database,
  actor: Actor,
  { owner, now }: { owner: StoredSendingDomain; now: Date },
): Promise<void> {
  const { id, organizationId, domain } = owner
  const reason = `Another organization has proven that ${domain} is its own, and your proof record is not published.`
  await loseDomain(client, { id, reason, now })
  // Of the organization that took it over the log says nothing: it is none of theirs.
  const nobody: Actor = { ...actor, organizationId, personId: null, name: checkActorName, ip: null }
  await addAudit(client, nobody, {
    ...{ action: 'sending_domain.lost', subjectType: 'sending_domain', subjectId: id },
    details: { domain, reason },
  })
}

/** In the audit log, for what nobody asked for. */
const checkActorName = 'Sluice (DNS check)'

export function checkActor(organizationId: string): Actor {
  return { ...commandLineActor(organizationId), name: checkActorName }
}

function logState(log: Logger | undefined, checked: StoredSendingDomain): void {
  const { domain, organizationId, state, stateReason: reason } = checked
  const about = { code: `sending_domain_${state}`, domain, organizationId, reason }
  if (state === 'verified') log?.info(about, 'A sending domain is verified; its emails are signed.')
  else {
    log?.warn(
      about,
      'A sending domain is not verified any more; its emails leave unsigned, with the From address as envelope sender.',
    )
  }
}

export async function removeDomain(pg: Postgres, actor: Actor, id: string): Promise<void> {
  const { organizationId } = actor
  await pg.transaction(async (client) => {
    if (!(await deleteSendingDomain(client, { organizationId, id }))) {
      throw new CodedError('not_found')
    }
    await addAudit(client, actor, {
      ...{ action: 'sending_domain.removed', subjectType: 'sending_domain', subjectId: id },
    })
  })
}

export function domainItem(stored: StoredSendingDomain, spfTerms: string): SendingDomain {
  const { id, domain, bounceDomain, selector, checks, checkedAt, createdAt } = stored
  const { state, stateReason, stateAt } = stored
  const records = dnsRecordsOf(stored, spfTerms)
  const ready = records.every(
    ({ use, required }) =>
      !required || checks?.some((check) => check.use === use && check.state === 'pass') === true,
  )
  return {
    ...{ id, domain, bounceDomain, selector, records, ready, checks, state, stateReason },
    stateAt: stateAt.toISOString(),
    checkedAt: checkedAt?.toISOString() ?? null,
    createdAt: createdAt.toISOString(),
  }
}
