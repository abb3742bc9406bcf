/** Reads the log of transactional and system emails, which `send-store.ts` writes. */
import type { Database } from '../database.ts'
import type { SendKind } from './send-store.ts'

export type SendState =
  | 'queued'
  | 'claimed'
  | 'handed_over'
  | 'sent'
  | 'failed'
  | 'skipped'
  | 'uncertain'
  | 'cancelled'

export interface StoredSend {
  readonly id: string
  readonly kind: SendKind
  readonly state: SendState
  readonly to: string
  readonly subject: string
  /** The slug of its newsletter; null: it has none, or the newsletter was deleted. */
  readonly newsletter: string | null
  readonly reason: string | null
  readonly attempts: number
  readonly createdAt: Date
  readonly finishedAt: Date | null
}

export const sendColumns = `s.id, s.kind, s.state, s.to_address as "to", s.subject, n.slug as newsletter, s.reason, s.tries as attempts,
  s.created_at as "createdAt", s.finished_at as "finishedAt"`

export async function findSend(
  pg: Database,
  { organizationId, id, kind }: { organizationId: string; id: string; kind?: SendKind },
): Promise<StoredSend | undefined> {
  const { rows } = await pg.query<StoredSend>(
    `select ${sendColumns} from sends s left join newsletters n on n.id = s.newsletter_id
       where s.organization_id = $1 and s.id = $2 and ($3::text is null or s.kind = $3)`,
    [organizationId, id, kind ?? null],
  )
  return rows[0]
}

export interface SendLogRow extends StoredSend {
  /** With microseconds, for the cursor. */
  readonly createdText: string
}

/** Newest first; one row more than the page shows. */
export async function listSends(
  pg: Database,
  list: {
    organizationId: string
    states: readonly SendState[] | undefined
    kind: SendKind | undefined
    query: string | undefined
    before: readonly [createdAt: string, id: string] | undefined
    rowsMax: number
  },
): Promise<SendLogRow[]> {
  const { organizationId, states, kind, query, before, rowsMax } = list
  const { rows } = await pg.query<SendLogRow>(
    `select ${sendColumns}, to_char(s.created_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "createdText"
       from sends s left join newsletters n on n.id = s.newsletter_id
       where s.organization_id = $1
         and ($2::text[] is null or s.state = any($2))
         and ($3::text is null or s.kind = $3)
         and ($4::text is null or strpos(lower(s.to_address), lower($4)) > 0)
         and ($5::timestamptz is null or (s.created_at, s.id) < ($5, $6::uuid))
       order by s.created_at desc, s.id desc limit $7`,
    [
      organizationId,
      states ?? null,
      kind ?? null,
      query ?? null,
      before?.[0] ?? null,
      before?.[1] ?? null,
      rowsMax,
    ],
  )
  return rows
}
