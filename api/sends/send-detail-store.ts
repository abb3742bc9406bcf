/** One email of the log with its attempts, and its content. */
import type { SendContentState } from '#schemas/rest/email/send.ts'
import { readableSendKinds } from '#schemas/rest/email/send.ts'
import type { Database } from '../database.ts'
import { type StoredSend, sendColumns } from './send-log-store.ts'

export interface StoredSendDetail extends StoredSend {
  readonly from: string
  readonly fromName: string | null
  readonly toName: string | null
  readonly replyTo: string | null
  readonly notBefore: Date
  /** As stored: `attemptViews` reads it. */
  readonly attemptLog: unknown
  readonly hasBody: boolean
  readonly isSealed: boolean
}

export async function findSendDetail(
  pg: Database,
  { organizationId, id }: { organizationId: string; id: string },
): Promise<StoredSendDetail | undefined> {
  const { rows } = await pg.query<StoredSendDetail>(
    `select ${sendColumns}, s.from_address as "from", s.from_name as "fromName", s.to_name as "toName",
       s.reply_to as "replyTo", s.not_before as "notBefore", s.attempt_log as "attemptLog",
       (s.text <> '' or s.html is not null) as "hasBody", s.sealed_body is not null as "isSealed"
     from sends s left join newsletters n on n.id = s.newsletter_id where s.organization_id = $1 and s.id = $2`,
    [organizationId, id],
  )
  return rows[0]
}

/**
 * What is stored of an email that Sluice wrote itself is withheld: its links stop alerts, change
 * subscriptions or log somebody in, for everybody who has them.
 */
export function contentStateOf(
  send: Pick<StoredSendDetail, 'kind' | 'hasBody' | 'isSealed'>,
): SendContentState {
  if (send.isSealed) return 'sealed'
  if (!send.hasBody) return 'removed'
  return readableSendKinds.includes(send.kind) ? 'stored' : 'withheld'
}

export interface StoredSendContent {
  readonly text: string
  readonly html: string | null
  readonly headers: Readonly<Record<string, string>>
}

/** Only of the kinds that may be read, and never of a sealed email. */
export async function readSendContent(
  pg: Database,
  { organizationId, id }: { organizationId: string; id: string },
): Promise<StoredSendContent | undefined> {
  const { rows } = await pg.query<StoredSendContent>(
    `select text, html, headers from sends where organization_id = $1 and id = $2 and kind = any($3)
       and sealed_body is null and (text <> '' or html is not null)`,
    [organizationId, id, readableSendKinds],
  )
  return rows[0]
}
