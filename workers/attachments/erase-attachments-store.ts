/**
 * Removes the files of a person's events: nobody knows what they contain. Before the events are
 * rewritten, by which they are found.
 */
import { type EventColumn, personEventSql } from '#platform/person-data/person-event-sql.ts'
import { inTransaction } from '#platform/postgres.ts'
import { select } from '../removals/clickhouse-mutation-store.ts'
import { addCount } from '../removals/deletion-row-store.ts'
import type { ErasureContext } from '../removals/erase-events-store.ts'
import type { Erasure } from '../removals/erase-rows-store.ts'
import { deleteAttachments } from './attachment-store.ts'
import { foundEvents } from './found-events-store.ts'

export async function eraseAttachments(ctx: ErasureContext, erasure: Erasure): Promise<void> {
  const { pg, clickhouse } = ctx
  const columns = await select<EventColumn>(
    clickhouse,
    `select name, type from system.columns where database = currentDatabase() and table = 'events'`,
  )
  const { found: condition } = personEventSql(erasure.subject, columns)
  for (const projectId of erasure.scope.projectNumbers) {
    for await (const ids of foundEvents({ pg, clickhouse, projectId, condition })) {
      erasure.throwIfDraining()
      await inTransaction(pg, async (client) => {
        const rows = await deleteAttachments(client, projectId, ids)
        await addCount(client, erasure.deletionId, { table: 'event_attachments', rows })
      })
    }
  }
}
