import type { BounceCause, BounceType } from '#schemas/mail/bounce.ts'
import type { Database } from '../database.ts'

export interface ListedBounce {
  readonly id: string
  readonly email: string | null
  readonly type: BounceType
  readonly counted: boolean
  readonly cause: BounceCause | null
  readonly source: string | null
  readonly excerpt: string | null
  readonly at: Date
  readonly receivedAt: Date
}

/** Newest first, by their ids, which are ordered by time; one row more than the page shows. */
export async function listBounces(
  pg: Database,
  list: {
    organizationId: string
    type: BounceType | undefined
    cause: BounceCause | undefined
    query: string | undefined
    beforeId: string | undefined
    rowsMax: number
  },
): Promise<ListedBounce[]> {
  const { rows } = await pg.query<ListedBounce>(
    `select b.id, a.email, b.type, b.counted, b.cause, b.source, b.excerpt, b.at, b.received_at as "receivedAt"
       from bounce_reports b join addresses a on a.id = b.address_id
       where b.organization_id = $1 and ($2::text is null or b.type = $2)
         and ($3::text is null or strpos(a.email_key, lower($3)) > 0)
         and ($4::uuid is null or b.id < $4)
         and ($6::text is null or b.cause = $6)
       order by b.id desc limit $5`,
    [
      list.organizationId,
      list.type ?? null,
      list.query ?? null,
      list.beforeId ?? null,
      list.rowsMax,
      list.cause ?? null,
    ],
  )
  return rows
}
