/** How people add, check and remove sending domains, from a browser or the command line. */
import { v7 as uuidv7 } from 'uuid'
import type { DnsResolver } from '#platform/dns-resolver.ts'
import type { SecretBox } from '#platform/secret-box.ts'
import { isWithin, parseDomainName } from '#schemas/domain-name.ts'
import { CodedError } from '#schemas/error-codes.ts'
import type { SendingDomain } from '#schemas/rest/sending-domain.ts'
import { invalidField } from '../../http/invalid-field.ts'
import { found } from '../../http/route.ts'
import { type Actor, addAudit } from '../../io/audit-store.ts'
import type { Postgres } from '../../io/database.ts'
import {
  addSendingDomain,
  deleteSendingDomain,
  findSendingDomain,
  listSendingDomains,
  type StoredSendingDomain,
  setDomainChecks,
} from '../../io/sending-domain-store.ts'
import { checkDomain } from './check-domain.ts'
import { dnsRecordsOf } from './dns-records.ts'
import { makeDkimKey } from './make-dkim-key.ts'

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
  const domain = readDomain('domain', wanted.domain)
  const bounceDomain = wanted.bounceDomain ? readDomain('bounceDomain', wanted.bounceDomain) : null
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

export async function checkStoredDomain(
  { pg, resolver, mailSpf }: { pg: Postgres; resolver: DnsResolver; mailSpf: string },
  { organizationId, id, now }: { organizationId: string; id: string; now: Date },
): Promise<SendingDomain> {
  const stored = found(await findSendingDomain(pg, { organizationId, id }))
  // Name servers are asked outside of any transaction: they take their time.
  const checks = await checkDomain(resolver, stored, mailSpf)
  return domainItem(found(await setDomainChecks(pg, { id, checks, now })), mailSpf)
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
  const records = dnsRecordsOf(stored, spfTerms)
  const ready = records.every(
    ({ use, required }) =>
      !required || checks?.some((check) => check.use === use && check.state === 'pass') === true,
  )
  return {
    ...{ id, domain, bounceDomain, selector, records, ready, checks },
    checkedAt: checkedAt?.toISOString() ?? null,
    createdAt: createdAt.toISOString(),
  }
}

function readDomain(field: string, text: string): string {
  const parsed = parseDomainName(text.trim())
  if (parsed.kind === 'invalid') throw invalidField(field, parsed.rule)
  return parsed.domain
}
