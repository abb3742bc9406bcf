/** The steps of each kind of deletion, on the stores. Only wiring. */
import type { ClickHouseClient } from '#platform/clickhouse.ts'
import type { Clock } from '#platform/clock.ts'
import {
  readSearchedTables,
  type SearchedTable,
} from '#platform/person-data/searched-columns-store.ts'
import type { Pool } from '#platform/postgres.ts'
import { clickHouseTables } from '#schemas/stored-data/clickhouse-tables.ts'
import { eraseAttachments } from '../attachments/erase-attachments-store.ts'
import type { Sleep } from '../partitions/ports.ts'
import { enterState, finishDeletion, finishStep, readDeletion } from './deletion-row-store.ts'
import { eraseDeadLetters, eraseImportFiles } from './erase-bytes-store.ts'
import { eraseEvents, eraseSessions } from './erase-events-store.ts'
import {
  eraseAddress,
  eraseInTable,
  eraseNewIssueCounts,
  erasePortalUsers,
} from './erase-rows-store.ts'
import { removeEvents } from './remove-events-store.ts'
import { removedTables, removeRows } from './remove-rows-store.ts'
import type { Deletion, DeletionPorts, DeletionStep } from './run-deletion.ts'
import { checkStream, type StreamEnds } from './stream-passed-store.ts'

export interface RemovalContext {
  readonly pg: Pool
  readonly clickhouse: ClickHouseClient
  readonly clock: Clock
  readonly sleep: Sleep
  /** Aborted when the process drains. Another process continues. */
  readonly signal: AbortSignal
  readonly ends: StreamEnds
}

export async function deletionPorts(ctx: RemovalContext): Promise<DeletionPorts> {
  const { pg, clock, signal, ends } = ctx
  const searched = await readSearchedTables(pg)
  return {
    read: (id) => readDeletion(pg, id),
    stepsOf: (deletion) =>
      deletion.kind === 'person'
        ? erasureSteps(ctx, deletion, searched)
        : removalSteps(ctx, deletion),
    finishStep: (id, step) => finishStep(pg, id, step),
    enter: (id, change) => enterState(pg, id, change),
    finish: (deletion) => finishDeletion(pg, deletion),
    checkStream: (deletion) => checkStream(pg, deletion, ends),
    now: () => new Date(clock.nowMs()),
    throwIfDraining: () => signal.throwIfAborted(),
  }
}

function removalSteps(ctx: RemovalContext, deletion: Deletion): DeletionStep[] {
  const { pg, signal } = ctx
  const isProject = deletion.kind === 'project'
  const { organizationId, ...projects } = deletion
  const removal = {
    deletionId: deletion.id,
    scope: isProject ? projects : { ...projects, organizationId },
    throwIfDraining: () => signal.throwIfAborted(),
  }
  const tables = removedTables(isProject ? ['project'] : ['project', 'organization'])
  return tables.flatMap((table) => {
    // While the row of a project exists, a commit that was planned before the request may refer to
    // it. So it goes last, in the second pass, and the organization with it.
    const isLast = table.name === 'projects' || table.name === 'organizations'
    const step: DeletionStep = {
      name: table.name,
      run: async (pass) => {
        if (isLast && pass === 1) return
        await removeRows(pg, table, removal)
      },
    }
    return table.name === 'projects' ? [...eventSteps(ctx, removal), step] : [step]
  })
}

function eventSteps(
  ctx: RemovalContext,
  removal: Parameters<typeof removeRows>[2],
): DeletionStep[] {
  return clickHouseTables.map(({ name }) => ({
    name: `clickhouse.${name}`,
    run: (pass) => removeEvents(ctx, name, { ...removal, pass }),
  }))
}

function erasureSteps(
  ctx: RemovalContext,
  deletion: Deletion,
  searched: readonly SearchedTable[],
): DeletionStep[] {
  const { pg, signal } = ctx
  const { subject } = deletion
  if (subject === undefined) throw new Error(`deletion ${deletion.id} has no subject`)
  const erasure = {
    deletionId: deletion.id,
    scope: deletion,
    subject,
    throwIfDraining: () => signal.throwIfAborted(),
  }
  return [
    { name: 'addresses', run: () => eraseAddress(pg, erasure) },
    { name: 'portal users', run: () => erasePortalUsers(pg, erasure) },
    ...searched.map((table) => ({
      name: table.table.name,
      run: () => eraseInTable(pg, table, erasure),
    })),
    { name: 'kinds of new issues', run: () => eraseNewIssueCounts(pg, erasure) },
    { name: 'payloads of dead letters', run: () => eraseDeadLetters(pg, erasure) },
    { name: 'files of imports', run: () => eraseImportFiles(pg, erasure) },
    { name: 'files of events', run: () => eraseAttachments(ctx, erasure) },
    { name: 'clickhouse.events', run: (pass) => eraseEvents(ctx, { ...erasure, pass }) },
    { name: 'clickhouse.sessions', run: (pass) => eraseSessions(ctx, { ...erasure, pass }) },
  ]
}
