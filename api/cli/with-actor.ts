import { type Actor, commandLineActor } from '../audit/audit-store.ts'
import type { Database } from '../database.ts'
import type { Run } from './command.ts'

/** Runs a change and its audit entry in one transaction. */
export async function withActor<T>(
  { session, organization }: Run,
  change: (client: Database, actor: Actor) => Promise<T>,
): Promise<T> {
  const actor = commandLineActor(await organization())
  return session.pg.transaction((client) => change(client, actor))
}
