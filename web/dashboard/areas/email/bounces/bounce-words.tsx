import { Badge, type Tone } from '../../../design/content/badge.tsx'
import type { Item } from '../../../http/use-pages.ts'

export type Bounce = Item<'GET /api/v1/admin/email/bounces'>
type Cause = NonNullable<Bounce['cause']>

export const bounceTypes: Readonly<Record<Bounce['type'], string>> = {
  hard: 'Hard',
  soft: 'Soft',
  complaint: 'Complaint',
}

const tones: Readonly<Record<Bounce['type'], Tone>> = {
  hard: 'danger',
  soft: 'warning',
  complaint: 'purple',
}

export const bounceCauses: Readonly<Record<Cause, string>> = {
  mailbox: 'Mailbox does not exist',
  transient: 'Mailbox full or away',
  policy: 'Policy of the receiver',
  reputation: 'Reputation or block list',
  content: 'Content or spam filter',
  size: 'Email too large',
  routing: 'Routing',
  provider_list: 'List of the provider',
  unclear: 'No clear reason',
  complaint: 'Reported as spam',
}

export function BounceType({ bounce }: { readonly bounce: Pick<Bounce, 'type' | 'counted'> }) {
  return (
    <span class="row">
      <Badge tone={tones[bounce.type]}>{bounceTypes[bounce.type]}</Badge>
      {!bounce.counted && (
        <Badge title="Recorded without effect on the address, because of its cause or because it arrived too late.">
          Not counted
        </Badge>
      )}
    </span>
  )
}
