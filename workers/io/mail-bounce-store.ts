/** What our own sessions learn of a mailbox, by the same SQL function as every other report. */
import { v7 as uuidv7 } from 'uuid'
import type { Pool } from '#platform/postgres.ts'

export interface SessionBounce {
  readonly addressId: string
  readonly type: 'hard' | 'soft'
  readonly letterRef: string
  readonly campaignId: string | null
  readonly excerpt: string
}

export async function recordSessionBounce(pg: Pool, bounce: SessionBounce): Promise<void> {
  await pg.query(`select record_bounce($1, $2, $3, true, 'smtp', $4, $4, $5, now(), now(), $6)`, [
    uuidv7(),
    bounce.addressId,
    bounce.type,
    bounce.letterRef,
    bounce.excerpt,
    bounce.campaignId,
  ])
}
