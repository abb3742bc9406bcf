/**
 * What people changed, and programs on their behalf: append only. A row is added in the transaction of its change, so that neither
 * stands without the other.
 */
import { v7 as uuidv7 } from 'uuid'
import type { Database } from './database.ts'

/** Who changed something. */
export interface Actor {
  readonly organizationId: string
  /** Null: no person of ours stands behind it. */
  readonly personId: string | null
  /** As it is now; it stays in the log when the person is gone. */
  readonly name: string
  readonly via: 'login' | 'token' | 'command_line'
  readonly ip: string | null
}

export interface AuditEntry {
  /** noun.verb, as in `newsletter.created`. */
  readonly action: `${string}.${string}`
  readonly subjectType: string
  readonly subjectId?: string
  /** What a reader of the log wants to know beside it; never a secret. */
  readonly details?: object
}

export async function addAudit(pg: Database, actor: Actor, entry: AuditEntry): Promise<void> {
  await pg.query(
    `insert into audit_log (id, organization_id, person_id, actor, via, action, subject_type, subject_id, details, ip)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    [
      uuidv7(),
      actor.organizationId,
      actor.personId,
      actor.name,
      actor.via,
      entry.action,
      entry.subjectType,
      entry.subjectId ?? null,
      JSON.stringify(entry.details ?? {}),
      actor.ip,
    ],
  )
}

/** Whoever may run commands on the machine. */
export function commandLineActor(organizationId: string): Actor {
  return { organizationId, personId: null, name: 'admin', via: 'command_line', ip: null }
}
