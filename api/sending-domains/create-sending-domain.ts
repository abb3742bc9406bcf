import { v7 as uuidv7 } from 'uuid'
import type { z } from 'zod'
import { isWithin } from '#schemas/domain-name.ts'
import { CodedError } from '#schemas/error-codes.ts'
import type { NewSendingDomain, SendingDomain } from '#schemas/rest/email/sending-domain.ts'
import { type Actor, addAudit } from '../audit/audit-store.ts'
import type { ApiContext } from '../context.ts'
import { invalidField } from '../http/validation/invalid-field.ts'
import { makeDkimKey } from './make-dkim-key.ts'
import { parseSenderDomain } from './public-suffix.ts'
import { addSendingDomain, domainsMax, listSendingDomains } from './sending-domain-store.ts'
import { sendingDomainView } from './sending-domain-view.ts'

/**
 * Purpose of the SecretBox for DKIM keys; the place is the id of the row. The mail process opens
 * it.
 */
const dkimPurpose = 'dkim'
const selectorDefault = 'sluice'

/**
 * Creates a sending domain with a DKIM key of its own. It signs once a check has found its DNS
 * records.
 */
export async function createSendingDomain(
  ctx: Pick<ApiContext, 'pg' | 'box' | 'mailSpf'>,
  actor: Actor,
  input: z.infer<typeof NewSendingDomain>,
): Promise<SendingDomain> {
  const { organizationId } = actor
  const { domain, bounceDomain } = parseDomains(input)
  const key = await makeDkimKey()
  const id = uuidv7()
  return ctx.pg.transaction(async (pg) => {
    const rows = await listSendingDomains(pg, { organizationId, rowsMax: domainsMax })
    if (rows.length === domainsMax) {
      const message = `An organization has at most ${domainsMax} sending domains.`
      throw new CodedError('conflict', { message })
    }
    const stored = await addSendingDomain(pg, {
      id,
      organizationId,
      domain,
      bounceDomain,
      selector: input.selector || selectorDefault,
      sealedKey: ctx.box.seal(dkimPurpose, id, key.privatePem),
      publicKey: key.publicKey,
    })
    if (stored === undefined) {
      throw new CodedError('conflict', { message: 'This sending domain exists already.' })
    }
    await addAudit(pg, actor, {
      action: 'sending_domain.created',
      subjectType: 'sending_domain',
      subjectId: id,
      details: { domain },
    })
    return sendingDomainView(stored, ctx.mailSpf)
  })
}

function parseDomains(input: z.infer<typeof NewSendingDomain>) {
  const domain = parseSenderDomain('domain', input.domain)
  const bounceDomain = input.bounceDomain
    ? parseSenderDomain('bounceDomain', input.bounceDomain)
    : null
  // SPF counts for DMARC only when both domains are aligned (RFC 7489 §3.1.2).
  if (bounceDomain !== null && !isWithin(bounceDomain, new Set([domain]))) {
    throw invalidField('bounceDomain', `must be ${domain} or lie below it`)
  }
  return { domain, bounceDomain }
}
