import { makeToken } from '../auth/secret.ts'
import type { ApiContext } from '../context.ts'
import type { Database } from '../database.ts'
import { addPersonLink, type PersonLinkKind } from './person-link-store.ts'

const inviteLifeMs = 7 * 86_400_000
const resetLifeMs = 60 * 60_000

export interface PersonLink {
  readonly kind: PersonLinkKind
  readonly url: string
  readonly expiresAt: Date
}

/**
 * Creates a one-time link to set the first or another password. The link logs its holder in as this
 * person, so it is sent to the mailbox of the person only.
 */
export async function makePersonLink(
  pg: Database,
  person: { readonly id: string; readonly passwordHash: string | null },
  ctx: Pick<ApiContext, 'clock' | 'apiUrl'>,
): Promise<PersonLink> {
  const kind = person.passwordHash === null ? 'invite' : 'reset'
  const nowMs = ctx.clock.nowMs()
  const expiresAt = new Date(nowMs + (kind === 'invite' ? inviteLifeMs : resetLifeMs))
  const { value, hash } = makeToken()
  await addPersonLink(pg, {
    tokenHash: hash,
    personId: person.id,
    kind,
    expiresAt,
    now: new Date(nowMs),
  })
  return { kind, url: `${ctx.apiUrl.replace(/(?<!\/)\/+$/, '')}/welcome/${value}`, expiresAt }
}
