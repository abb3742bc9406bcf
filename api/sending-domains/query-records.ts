import { getDomain } from 'tldts'
import type { DnsResolver } from '#platform/dns-resolver.ts'
import type { DnsRecordCheck, DnsRecordUse } from '#schemas/rest/email/sending-domain.ts'
import {
  checkDkim,
  checkDmarc,
  checkMx,
  checkProof,
  checkSpf,
  describeCheck,
} from './check-records.ts'
import { type DomainNames, proofName } from './dns-records.ts'

/**
 * Queries all DNS records of a sending domain at once. A record whose name server does not answer
 * has the state `unknown`.
 */
export async function queryRecords(
  resolver: DnsResolver,
  names: DomainNames,
  spfTerms: string,
): Promise<DnsRecordCheck[]> {
  const { domain, bounceDomain, selector, publicKey, proofToken } = names
  return Promise.all([
    check('proof', async () => {
      const found = await resolver.txt(proofName(domain))
      return describeCheck('proof', found, checkProof(found, proofToken))
    }),
    check('dkim', async () => {
      const found = await resolver.txt(`${selector}._domainkey.${domain}`)
      return describeCheck('dkim', found, checkDkim(found, publicKey))
    }),
    check('spf', async () => {
      const found = await resolver.txt(bounceDomain)
      return describeCheck('spf', found, checkSpf(found, spfTerms))
    }),
    check('dmarc', async () => {
      const found = await resolver.txt(`_dmarc.${domain}`)
      const above = getDomain(domain)
      const isBelow = above !== null && above !== domain
      const inherited = isBelow ? await resolver.txt(`_dmarc.${above}`) : []
      return describeCheck('dmarc', [...found, ...inherited], checkDmarc(found, inherited))
    }),
    check('mx', async () => {
      const found = await resolver.mx(bounceDomain)
      return describeCheck('mx', found, checkMx(found))
    }),
  ])
}

async function check(
  use: DnsRecordUse,
  ask: () => Promise<DnsRecordCheck>,
): Promise<DnsRecordCheck> {
  try {
    return await ask()
  } catch {
    return {
      use,
      state: 'unknown',
      hint: 'The name server did not answer. Try again later.',
      found: [],
    }
  }
}
