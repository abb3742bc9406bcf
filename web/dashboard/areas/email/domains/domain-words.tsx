import { Badge, type Tone } from '../../../design/content/badge.tsx'
import type { Reply } from '../../../http/request.ts'

export const domainList = 'GET /api/v1/admin/email/domains'
export const domainOne = 'GET /api/v1/admin/email/domains/{id}'
export type SendingDomain = Reply<typeof domainOne>
export type DnsRecord = SendingDomain['records'][number]
export type RecordCheck = NonNullable<SendingDomain['checks']>[number]

const states: Readonly<Record<SendingDomain['state'], readonly [string, Tone]>> = {
  pending: ['Not verified yet', 'info'],
  verified: ['Verified', 'success'],
  failed: ['Records are wrong now', 'danger'],
}

export function DomainState({ domain }: { readonly domain: SendingDomain }) {
  const [label, tone] = states[domain.state]
  return <Badge tone={tone}>{label}</Badge>
}

export const recordUses: Readonly<
  Record<DnsRecord['use'], { readonly name: string; readonly what: string }>
> = {
  proof: { name: 'Ownership', what: 'Proves that the domain is yours.' },
  dkim: { name: 'DKIM', what: 'The public key that receivers check signatures with.' },
  spf: { name: 'SPF', what: 'The servers that may send for the bounce domain.' },
  dmarc: {
    name: 'DMARC',
    what: 'What receivers do with forged emails. Large mailboxes ask for it.',
  },
  mx: {
    name: 'Bounces',
    what: 'Where bounce messages go. Needed only if bounces are returned as emails.',
  },
}

const checkStates: Readonly<Record<RecordCheck['state'], readonly [string, Tone]>> = {
  pass: ['Found', 'success'],
  missing: ['Missing', 'danger'],
  wrong: ['Wrong', 'danger'],
  unknown: ['No answer', 'warning'],
}

export function CheckState({
  check,
  isRequired,
}: {
  readonly check: RecordCheck | undefined
  readonly isRequired: boolean
}) {
  if (check === undefined) return <Badge>Not checked</Badge>
  const [label, tone] = checkStates[check.state]
  return <Badge tone={tone === 'danger' && !isRequired ? 'neutral' : tone}>{label}</Badge>
}
