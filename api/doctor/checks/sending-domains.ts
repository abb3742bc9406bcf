/** DNS records of the sending domains. Nothing is stored: `domain check` does that. */
import type { DnsRecordCheck } from '#schemas/rest/email/sending-domain.ts'
import { queryRecords } from '../../sending-domains/query-records.ts'
import {
  listAllSendingDomains,
  type StoredSendingDomain,
} from '../../sending-domains/sending-domain-store.ts'
import type { Check, DoctorContext } from '../doctor-context.ts'
import { type Finding, of } from '../finding.ts'

const domains = of('sending_domains')
const domainsMax = 20

export const sendingDomainsCheck: Check = {
  group: 'sending_domains',
  run: async (ctx) => {
    const found = await ctx.postgres()
    if (found.state !== 'answers') return [domains.skipped('all', 'Needs Postgres.')]
    const rows = await listAllSendingDomains(found.store.database, domainsMax + 1)
    if (rows.length === 0) return [domains.skipped('all', 'There are no sending domains.')]
    const checked = rows.slice(0, domainsMax)
    const findings = await Promise.all(checked.map((domain) => check(ctx, domain)))
    if (rows.length <= domainsMax) return findings
    const more = `Only the first ${domainsMax} domains were checked.`
    return [...findings, domains.skipped('others', more)]
  },
}

async function check(ctx: DoctorContext, domain: StoredSendingDomain): Promise<Finding> {
  const records = await queryRecords(ctx.resolver, domain, ctx.settings.get('MAIL_SPF') ?? '')
  return domainFinding(domain, records)
}

export function domainFinding(
  domain: Pick<StoredSendingDomain, 'domain' | 'proofRequired' | 'state'>,
  records: readonly DnsRecordCheck[],
): Finding {
  const { domain: name, proofRequired, state } = domain
  // Bounces may come back by a webhook, and a domain of an earlier version needs no proof.
  const needed = records.filter(({ use }) => use !== 'mx' && (use !== 'proof' || proofRequired))
  const bad = needed.filter((record) => record.state === 'missing' || record.state === 'wrong')
  if (bad.length > 0) {
    const list = bad.map((record) => `${record.use.toUpperCase()} is ${record.state}`).join(', ')
    const hint = bad.find((record) => record.hint !== null)?.hint ?? 'Correct the records.'
    const text = `${name}: ${list}.`
    const advice = `${hint} See \`npm run admin -- domain show ${name}\` for the records.`
    // Emails of a domain that was never verified are not sent from it.
    return state === 'verified'
      ? domains.problem(name, text, advice)
      : domains.warning(name, text, advice)
  }
  if (needed.some((record) => record.state === 'unknown')) {
    const advice = 'Check the name servers of this machine, then run the doctor again.'
    return domains.warning(name, `${name}: the name server did not answer.`, advice)
  }
  const mx = records.find(({ use }) => use === 'mx')?.state === 'pass' ? 'with' : 'without'
  return domains.ok(name, `${name} has all records, ${mx} MX for bounces.`)
}
