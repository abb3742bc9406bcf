/**
 * The audit log: changes by people, and by programs on their behalf. It is append-only. A row is
 * inserted in the transaction of its change, so that neither exists without the other.
 */
import { v7 as uuidv7 } from 'uuid'
import type { Database } from '../database.ts'

/** Who changed something. */
export interface Actor {
  readonly organizationId: string
  /** Null for access tokens and the command line. */
  readonly personId: string | null
  /** The email address or label at the time of the change; it stays when the person is deleted. */
  readonly name: string
  readonly via: 'login' | 'token' | 'command_line'
  readonly ip: string | null
}

/** Organizations of one person in whose log a failed log-in is written. */
const organizationsMax = 20

export interface AuditEntry {
  /** noun.verb, as in `newsletter.created`. */
  readonly action: `${string}.${string}`
  readonly subjectType: string
  readonly subjectId?: string
  /** Further facts about the change; never a secret. */
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

/** Unless the log has the same entry of the same actor since that time. */
export async function addAuditOnce(
  pg: Database,
  actor: Actor,
  entry: AuditEntry,
  since: Date,
): Promise<void> {
  const { rowCount } = await pg.query(
    `select from audit_log where organization_id = $1 and at > $2 and person_id is not distinct from $3 and actor = $4
       and via = $5 and action = $6 and subject_id = $7 and details = $8 limit 1`,
    [
      actor.organizationId,
      since,
      actor.personId,
      actor.name,
      actor.via,
      entry.action,
      entry.subjectId ?? null,
      JSON.stringify(entry.details ?? {}),
    ],
  )
  if (rowCount === 0) await addAudit(pg, actor, entry)
}

/** In every organization of the person. Who tried is unknown, so the entry has no `person_id`. */
export async function addFailedLogin(
  pg: Database,
  failed: { readonly person: { readonly id: string; readonly email: string }; readonly ip: string },
): Promise<void> {
  const { person, ip } = failed
  const { rows } = await pg.query<{ organization_id: string }>(
    `select organization_id from memberships where person_id = $1 order by created_at limit ${organizationsMax}`,
    [person.id],
  )
  for (const { organization_id: organizationId } of rows) {
    const actor = { organizationId, personId: null, name: person.email, via: 'login', ip } as const
    await addAudit(pg, actor, {
      action: 'person.login_failed',
      subjectType: 'person',
      subjectId: person.id,
    })
  }
}

/** The actor of changes that are made on the command line. */
export function commandLineActor(organizationId: string): Actor {
  return { organizationId, personId: null, name: 'admin', via: 'command_line', ip: null }
}

export interface StoredAuditEntry {
  readonly id: string
  readonly at: Date
  /** The time with microseconds, for the cursor of the next page. */
  readonly position: string
  readonly actor: string
  readonly person_id: string | null
  readonly via: Actor['via']
  readonly action: string
  readonly subject_type: string
  readonly subject_id: string | null
  readonly details: Record<string, unknown>
  readonly ip: string | null
}

/** Newest first, with one row more than `limit`. */
export async function listAudit(
  pg: Database,
  list: {
    readonly organizationId: string
    /** A part of the action, in any case. */
    readonly action: string | undefined
    readonly subjectId: string | undefined
    readonly personId: string | undefined
    readonly after: readonly [at: string, id: string] | undefined
    readonly limit: number
  },
): Promise<StoredAuditEntry[]> {
  const { rows } = await pg.query<StoredAuditEntry>(
    `select id, at, to_json(at)#>>'{}' as position, actor, person_id, via, action, subject_type, subject_id, details, ip
     from audit_log
     where organization_id = $1 and ($2::text is null or position(lower($2) in action) > 0)
       and ($3::text is null or subject_id = $3) and ($4::uuid is null or person_id = $4)
       and ($5::timestamptz is null or (at, id) < ($5, $6::uuid))
     order by at desc, id desc limit $7`,
    [
      list.organizationId,
      list.action,
      list.subjectId,
      list.personId,
      list.after?.[0],
      list.after?.[1],
      list.limit + 1,
    ],
  )
  return rows
}
