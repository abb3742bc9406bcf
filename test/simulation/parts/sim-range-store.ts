import type { RangeStore } from '../../../workers/partitions/ports.ts'
import type { SimLink } from './sim-link.ts'
import type { SimProcess } from './sim-process.ts'
import type { SimRanges } from './sim-ranges.ts'

/** The tables of `SimRanges` from the view of one process. */
export function simRangeStore(process: SimProcess, link: SimLink, ranges: SimRanges): RangeStore {
  return {
    takeOver: (partition, stream) =>
      link.call(process, `take over ${partition}`, () => ranges.takeOver(partition, stream)),
    beginGeneration: (cursor, stream) =>
      link.call(process, `begin a generation of ${cursor.partition}`, () =>
        ranges.beginGeneration(cursor, stream),
      ),
    readSamplers: (projectIds) =>
      link.call(process, 'read samplers', () => ranges.readSamplers(projectIds)),
    // No project has changed its settings.
    readSettings: async () => [],
    // No error occurs in bursts.
    readBursts: async () => [],
    // No project has rules about its issues.
    readIssueRules: async () => [],
    readAlertRules: async () => [],
    plan: (cursor, plan) =>
      link.call(
        process,
        `plan ${cursor.partition}: ${cursor.committedSeq}-${plan.plannedSeq}`,
        () => ranges.plan(cursor, plan),
      ),
    commit: (commit) => {
      const { partition, committedSeq, plannedSeq } = commit.cursor
      return link.call(process, `commit ${partition}: ${committedSeq}-${plannedSeq}`, () =>
        ranges.commit(commit),
      )
    },
    rehearse: (commit, plan) =>
      link.call(process, `rehearse ${commit.cursor.partition}: -${plan.plannedSeq}`, () =>
        ranges.rehearse(commit),
      ),
    readItemIds: (partition, window) =>
      link.call(process, `read item ids of ${partition}`, () =>
        ranges.readItemIds(partition, window),
      ),
    itemIdsAmong: (partition, ids) =>
      link.call(process, `look for ${ids.length} late items`, () =>
        ranges.itemIdsAmong(partition, ids),
      ),
    readCursor: (partition) =>
      link.call(process, `read cursor ${partition}`, () => ranges.readCursor(partition)),
  }
}
