/**
 * Distinguishes a broken store from records that it refuses: both stores are asked to accept
 * records that the program made itself. Postgres gets them in a transaction that is rolled back.
 * ClickHouse has no such transaction, so they are inserted for a project that does not exist, under
 * constant tokens: each part of a table stores them at most once.
 */
import { firstFrameCounter } from '#schemas/bus/frame.ts'
import { FrameWriter } from '#schemas/bus/frame-writer.ts'
import type { DsnKeyNo, ProjectId } from '#schemas/ids.ts'
import { KiB } from '#schemas/limits.ts'
import { digestRange } from '../digest/digest-range.ts'
import type { RangeOutput } from '../digest/range.ts'
import {
  type Cursor,
  DataRefusedError,
  type RangeStore,
  type RowInsert,
  type RowStore,
} from './ports.ts'

/** A store refuses every record. The range is retried as if the store were down. */
export class StoreFaultError extends Error {}

export interface ProbeContext {
  readonly ranges: Pick<RangeStore, 'rehearse'>
  readonly rows: Pick<RowStore, 'insert'>
}

export interface ProbePlace {
  readonly cursor: Cursor
  /** End of the range that was refused. */
  readonly plannedSeq: number
  /** Projects with records in the range that was refused. */
  readonly projects: readonly ProjectId[]
}

/**
 * Projects of the range for which Postgres is probed. It is at fault when it refuses all of them; a
 * single project could itself be the cause.
 */
const probedProjectsMax = 3
/** Owns the rows in ClickHouse. Project numbers begin at 1. */
const noProject = 0 as ProjectId
/** No partition has this number, so no id window reads the rows. */
const noPartition = 0xffff
const retentionDays = 1
/** Always the same, so that a repeated probe has the same rows in the same part of a table. */
const receivedAtMs = Date.UTC(2026, 0, 1)
const probeId = 'b0'.repeat(16)
const release = 'store-probe@1.0.0'

/**
 * Returns why a store refuses the records, or undefined when both accept them. Throws when a store
 * does not answer.
 */
export async function probeStores(
  { ranges, rows }: ProbeContext,
  { cursor, plannedSeq, projects }: ProbePlace,
): Promise<string | undefined> {
  const refusal = await refusalOf(async () => {
    for (const insert of probeInserts()) await rows.insert(insert)
  })
  if (refusal !== undefined) return refusal
  let firstRefusal: string | undefined
  const probed = projects.slice(0, probedProjectsMax)
  for (const projectId of probed.length > 0 ? probed : [noProject]) {
    const output = probeOutput(projectId)
    const { outcomeRows } = output
    const settings = { retentionDays, rowsHash: '', weeks: [] }
    const refusal = await refusalOf(() =>
      ranges.rehearse({ cursor, output, frames: [] }, { plannedSeq, settings, outcomeRows }),
    )
    if (refusal === undefined) return undefined
    firstRefusal ??= refusal
  }
  return firstRefusal
}

export const probeTokenPrefix = 'probe:'

/** Returns rows that every table accepts unless it is broken. */
export function probeInserts(): RowInsert[] {
  const { eventRows, sessionRows, outcomeRows } = probeOutput(noProject)
  return [
    { table: 'events', rows: eventRows, token: `${probeTokenPrefix}events` },
    { table: 'sessions', rows: sessionRows, token: `${probeTokenPrefix}sessions` },
    { table: 'outcomes', rows: outcomeRows, token: `${probeTokenPrefix}outcomes` },
  ]
}

async function refusalOf(write: () => Promise<void>): Promise<string | undefined> {
  try {
    await write()
    return undefined
  } catch (error) {
    if (error instanceof DataRefusedError) return error.message
    throw error
  }
}

/** Digests an ordinary event and an ordinary session like any other records. */
function probeOutput(projectId: ProjectId): RangeOutput {
  const writer = new FrameWriter(noPartition, { take: () => Buffer.alloc(4 * KiB) })
  const append = (kind: 'event' | 'session', payload: object) =>
    writer.append({
      kind,
      projectId,
      dsnKeyNo: 0 as DsnKeyNo,
      receivedAtMs,
      recordId: Buffer.from(probeId, 'hex'),
      headerJson: '',
      payload: Buffer.from(JSON.stringify(payload)),
    })
  const exception = { values: [{ type: 'StoreProbe', value: 'A record that every store takes.' }] }
  append('event', { exception, release, platform: 'node', environment: 'production' })
  const started = new Date(receivedAtMs).toISOString()
  const attrs = { release, environment: 'production' }
  append('session', { sid: probeId, init: true, started, status: 'ok', attrs })
  const bytes = writer.finish({
    instanceId: probeId,
    partition: noPartition,
    counter: firstFrameCounter,
  })
  const output = digestRange({
    partition: noPartition,
    generation: 1,
    retentionDays,
    frames: [{ streamSeq: 1, bytes }],
  })
  // Without minutes, no monitor is ticked.
  return { ...output, minutes: [] }
}
