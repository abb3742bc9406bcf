/** Records bounces of our own SMTP sessions, with the SQL function that all bounce reports use. */
import { v7 as uuidv7 } from 'uuid'
import type { Pool } from '#platform/postgres.ts'
import { type BounceCause, effectOf } from '#schemas/mail/bounce.ts'

export interface SessionBounce {
  readonly addressId: string
  readonly cause: BounceCause
  readonly emailRef: string
  readonly campaignId: string | null
  readonly excerpt: string
}

export async function recordSessionBounce(pg: Pool, bounce: SessionBounce): Promise<void> {
  const { type, counts } = effectOf(bounce.cause)
  await pg.query(`select record_bounce($1, $2, $3, $4, 'smtp', $5, $5, $6, now(), now(), $7, $8)`, [
    uuidv7(),
    bounce.addressId,
    type,
    counts,
    bounce.emailRef,
    bounce.excerpt,
    bounce.campaignId,
    bounce.cause,
  ])
}
