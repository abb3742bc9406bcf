/** The records that a sending domain needs, exactly as they are to be pasted (RFC 6376, RFC 7208, RFC 7489). */
import type { DnsRecord } from '#schemas/rest/sending-domain.ts'

export interface DomainNames {
  readonly domain: string
  readonly bounceDomain: string
  readonly selector: string
  /** DER as base64. */
  readonly publicKey: string
}

export function dnsRecordsOf(names: DomainNames, spfTerms: string): DnsRecord[] {
  const { domain, bounceDomain, selector, publicKey } = names
  return [
    {
      ...{ use: 'dkim', type: 'TXT', name: `${selector}._domainkey.${domain}` },
      ...{ value: `v=DKIM1; k=rsa; p=${publicKey}`, required: true },
    },
    {
      ...{ use: 'spf', type: 'TXT', name: bounceDomain },
      ...{ value: `v=spf1 ${spfTerms} ~all`, required: true },
    },
    {
      ...{ use: 'dmarc', type: 'TXT', name: `_dmarc.${domain}` },
      ...{ value: 'v=DMARC1; p=none', required: true },
    },
    // Where bounces are to come back; a relay that reports them by a webhook needs none.
    {
      ...{ use: 'mx', type: 'MX', name: bounceDomain },
      ...{ value: '10 the name of your mail server', required: false },
    },
  ]
}
