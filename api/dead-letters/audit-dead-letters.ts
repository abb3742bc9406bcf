import { type Actor, addAudit } from '../audit/audit-store.ts'
import type { Database } from '../database.ts'
import type { ChangedDeadLetter, DeadLetterFilter } from './dead-letter-store.ts'

/** The actor within an organization. Null: for dead letters whose project is unknown or deleted. */
export type ActorOf = (organizationId: string | null) => Promise<Actor>

/** Ids that one audit entry lists. */
const auditedIdsMax = 100

/** Writes one entry per organization that the dead letters belong to. */
export async function auditDeadLetters(
  client: Database,
  actorOf: ActorOf,
  change: {
    readonly action: `dead_letter.${'retried' | 'dropped'}`
    readonly filter: DeadLetterFilter
    readonly deadLetters: readonly ChangedDeadLetter[]
  },
): Promise<void> {
  const { action, filter, deadLetters } = change
  const changes = new Map<string, { actor: Actor; ids: number[] }>()
  for (const { id, organization_id } of deadLetters) {
    const actor = await actorOf(organization_id)
    const known = changes.get(actor.organizationId)
    if (known === undefined) changes.set(actor.organizationId, { actor, ids: [id] })
    else known.ids.push(id)
  }
  for (const { actor, ids } of changes.values()) {
    await addAudit(client, actor, {
      action,
      subjectType: 'dead_letter',
      ...(filter.id === undefined ? {} : { subjectId: String(filter.id) }),
      details: { count: ids.length, ids: ids.slice(0, auditedIdsMax), reason: filter.reason },
    })
  }
}
