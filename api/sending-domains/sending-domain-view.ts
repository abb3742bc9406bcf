import type { SendingDomain } from '#schemas/rest/email/sending-domain.ts'
import { dnsRecordsOf } from './dns-records.ts'
import type { StoredSendingDomain } from './sending-domain-store.ts'

/** A sending domain with the DNS records that it needs. `spfTerms`: MAIL_SPF. */
export function sendingDomainView(stored: StoredSendingDomain, spfTerms: string): SendingDomain {
  const { checks } = stored
  const records = dnsRecordsOf(stored, spfTerms)
  const ready = records.every(
    ({ use, required }) =>
      !required || checks?.some((check) => check.use === use && check.state === 'pass') === true,
  )
  return {
    id: stored.id,
    domain: stored.domain,
    bounceDomain: stored.bounceDomain,
    selector: stored.selector,
    records,
    ready,
    checks,
    state: stored.state,
    stateReason: stored.stateReason,
    stateAt: stored.stateAt.toISOString(),
    checkedAt: stored.checkedAt?.toISOString() ?? null,
    createdAt: stored.createdAt.toISOString(),
  }
}
