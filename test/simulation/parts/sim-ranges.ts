/**
 * The rows that Postgres keeps of partitions, frames and issues. Each method is one transaction, as
 * `RangeStore` describes it (workers/partitions/ports.ts). Of an issue only its count is kept,
 * which the invariants need.
 */
import type { ProjectId } from '#schemas/ids.ts'
import { type IdWindow, repeats, secondOf } from '../../../workers/dedup/id-window.ts'
import type { LateId } from '../../../workers/dedup/known-ids.ts'
import type { ItemId } from '../../../workers/digest/free-records.ts'
import type { RangeOutput } from '../../../workers/digest/range.ts'
import type { InstanceProgress } from '../../../workers/partitions/frame-progress.ts'
import {
  type CommitResult,
  type Cursor,
  DataRefusedError,
  FencedError,
  type RangeCommit,
  type RangePlan,
  type StreamState,
  type TakenPartition,
} from '../../../workers/partitions/ports.ts'
import { postgresRefusesMark } from './marks.ts'
import { SimItems } from './sim-items.ts'
import type { SimQuota } from './sim-quota.ts'

interface CursorRow {
  epoch: number
  generation: number
  incarnation: string
  committedSeq: number
  plannedSeq: number
  plan: RangePlan | undefined
}

export class SimRanges {
  readonly cursors = new Map<number, CursorRow>()
  /** By partition, then by instance id. */
  readonly progress = new Map<number, Map<string, InstanceProgress>>()
  /** Counted events, by project and first hash. */
  readonly issues = new Map<string, { readonly projectId: number; count: number }>()
  readonly samplers: readonly (readonly [ProjectId, number])[]
  /** By partition. */
  readonly itemIds = new Map<number, ItemId[]>()
  readonly items = new SimItems()
  commitCount = 0
  /** Whether every record is refused. */
  refusesAll = false
  readonly #quota: SimQuota

  constructor(quota: SimQuota, samplers: readonly (readonly [ProjectId, number])[]) {
    this.#quota = quota
    this.samplers = samplers
  }

  takeOver(partition: number, stream: StreamState): TakenPartition {
    let row = this.cursors.get(partition)
    if (row === undefined) {
      row = {
        epoch: 0,
        generation: 1,
        incarnation: stream.createdAt,
        committedSeq: 0,
        plannedSeq: 0,
        plan: undefined,
      }
      this.cursors.set(partition, row)
    }
    row.epoch += 1
    const isSameStream = row.incarnation === stream.createdAt
    const isCut = row.plannedSeq > stream.lastSeq
    return {
      cursor: cursorOf(partition, row),
      plan: row.plan,
      frames: [...(this.progress.get(partition)?.values() ?? [])],
      isNoted: false,
      reset: !isSameStream ? 'new_stream' : isCut ? 'tail_cut' : 'none',
    }
  }

  beginGeneration(cursor: Cursor, stream: StreamState): Cursor {
    const row = this.#fenced(cursor)
    row.generation += 1
    row.incarnation = stream.createdAt
    row.committedSeq = 0
    row.plannedSeq = 0
    row.plan = undefined
    return cursorOf(cursor.partition, row)
  }

  readSamplers(projectIds: readonly ProjectId[]): (readonly [ProjectId, number])[] {
    return this.samplers.filter(([projectId]) => projectIds.includes(projectId))
  }

  plan(cursor: Cursor, plan: RangePlan): Cursor {
    // mutant: fence-plan
    const row = this.#fenced(cursor)
    if (row.committedSeq !== cursor.committedSeq)
      throw new FencedError('another place is committed')
    const isRepeated =
      row.plan !== undefined &&
      row.plan.plannedSeq === plan.plannedSeq &&
      JSON.stringify(row.plan.settings) === JSON.stringify(plan.settings)
    if (row.plannedSeq !== row.committedSeq && !isRepeated) {
      throw new FencedError('another range is planned')
    }
    row.plannedSeq = plan.plannedSeq
    // Copied as a database would, so that nothing is shared with the caller.
    row.plan = {
      plannedSeq: plan.plannedSeq,
      settings: JSON.parse(JSON.stringify(plan.settings)),
      outcomeRows: Uint8Array.from(plan.outcomeRows),
    }
    return cursorOf(cursor.partition, row)
  }

  commit({ cursor, output, frames }: RangeCommit): CommitResult {
    // mutant: fence-commit
    const row = this.#fenced(cursor)
    if (row.plannedSeq !== cursor.plannedSeq || row.committedSeq !== cursor.committedSeq) {
      throw new FencedError('another range is planned')
    }
    this.#refuseData(output)
    let newIssues = 0
    for (const { projectId, hashes, eventCount } of output.issues) {
      const key = `${projectId} ${hashes[0]?.hash}`
      const issue = this.issues.get(key)
      if (issue !== undefined) issue.count += eventCount
      else {
        newIssues += 1
        this.issues.set(key, { projectId, count: eventCount })
      }
    }
    const progress = this.progress.get(cursor.partition) ?? new Map<string, InstanceProgress>()
    this.progress.set(cursor.partition, progress)
    // mutant: commit-progress
    for (const instance of frames) progress.set(instance.instanceId, instance)
    const itemIds = this.itemIds.get(cursor.partition) ?? []
    this.itemIds.set(cursor.partition, itemIds)
    itemIds.push(...output.itemIds)
    this.items.commit(output)
    this.#quota.commitLeases(output.leases)
    row.committedSeq = row.plannedSeq
    row.plan = undefined
    this.commitCount += 1
    return { newIssues, regressedIssues: 0 }
  }

  rehearse({ cursor, output }: RangeCommit): void {
    this.#fenced(cursor)
    this.#refuseData(output)
  }

  readItemIds(partition: number, window: IdWindow): void {
    const { fingerprinter } = window
    for (const { projectId, recordId, receivedAtMs } of this.itemIds.get(partition) ?? []) {
      fingerprinter.ofBytes(projectId, Buffer.from(recordId, 'hex'), 0)
      const second = secondOf(receivedAtMs)
      window.enter(fingerprinter.a, fingerprinter.b, fingerprinter.c, second)
    }
  }

  itemIdsAmong(partition: number, ids: readonly LateId[]): readonly boolean[] {
    const known = this.itemIds.get(partition) ?? []
    return ids.map(({ projectId, recordId, receivedAtMs }) =>
      known.some(
        (id) =>
          id.projectId === projectId &&
          id.recordId === recordId &&
          repeats(secondOf(id.receivedAtMs), secondOf(receivedAtMs)),
      ),
    )
  }

  readCursor(partition: number): Cursor {
    const row = this.cursors.get(partition)
    if (row === undefined) throw new Error(`partition ${partition} has no cursor`)
    return cursorOf(partition, row)
  }

  /** Refuses data as a constraint or the range of a column would. */
  #refuseData({ issues, checkIns }: RangeOutput): void {
    const texts = [...issues.map(({ title }) => title), ...checkIns.map(({ slug }) => slug)]
    const isRefused = texts.some((text) => text.includes(postgresRefusesMark))
    if (!isRefused && !(this.refusesAll && texts.length > 0)) return
    throw new DataRefusedError('Postgres refuses the data of a range')
  }

  #fenced(cursor: Cursor): CursorRow {
    const row = this.cursors.get(cursor.partition)
    if (row?.epoch !== cursor.epoch || row.generation !== cursor.generation) {
      throw new FencedError(`partition ${cursor.partition} has another owner`)
    }
    return row
  }
}

function cursorOf(partition: number, row: CursorRow): Cursor {
  const { epoch, generation, committedSeq, plannedSeq } = row
  return { partition, epoch, generation, committedSeq, plannedSeq }
}
