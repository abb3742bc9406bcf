/**
 * Stops all emails of a portal to one address, and removes the address if it is not its owner's.
 */
import type { ApiContext } from '../../context.ts'
import { optOut, removeTypedAddress } from './notification-store.ts'

export interface StopEmails {
  readonly projectId: string
  /** The address in lower case. */
  readonly key: string
  /** `not_me`: somebody else typed the address, so it is removed wherever it is not signed. */
  readonly reason: 'stop' | 'not_me'
}

export function stopEmails(
  ctx: Pick<ApiContext, 'pg' | 'clock'>,
  { projectId, key, reason }: StopEmails,
): Promise<void> {
  const now = new Date(ctx.clock.nowMs())
  return ctx.pg.transaction(async (pg) => {
    await optOut(pg, { projectId, key, reason, now })
    if (reason === 'not_me') await removeTypedAddress(pg, { projectId, key })
  })
}
