/**
 * The DNS records that a sending domain needs, as people paste them (RFC 6376, RFC 7208, RFC 7489).
 */
import type { DnsRecord } from '#schemas/rest/email/sending-domain.ts'

export interface DomainNames {
  readonly domain: string
  readonly bounceDomain: string
  readonly selector: string
  /** The public key, DER in base64. */
  readonly publicKey: string
  /** The token that this organization publishes to prove that it owns the domain. */
  readonly proofToken: string
  readonly proofRequired: boolean
}

export function proofName(domain: string): string {
  return `_sluice.${domain}`
}

export function proofText(token: string): string {
  return `sluice-domain=${token}`
}

export function dnsRecordsOf(names: DomainNames, spfTerms: string): DnsRecord[] {
  const { domain, bounceDomain, selector, publicKey, proofToken, proofRequired } = names
  return [
    {
      use: 'proof',
      type: 'TXT',
      name: proofName(domain),
      value: proofText(proofToken),
      required: proofRequired,
    },
    {
      use: 'dkim',
      type: 'TXT',
      name: `${selector}._domainkey.${domain}`,
      value: `v=DKIM1; k=rsa; p=${publicKey}`,
      required: true,
    },
    {
      use: 'spf',
      type: 'TXT',
      name: bounceDomain,
      value: `v=spf1 ${spfTerms} ~all`,
      required: true,
    },
    {
      use: 'dmarc',
      type: 'TXT',
      name: `_dmarc.${domain}`,
      value: 'v=DMARC1; p=none',
      required: true,
    },
    // Bounce messages are delivered here; a relay that reports bounces by a webhook needs none.
    {
      use: 'mx',
      type: 'MX',
      name: bounceDomain,
      value: '10 the name of your mail server',
      required: false,
    },
  ]
}
