/**
 * The kinds of events that a range groups coarsely, because they created too many issues in their
 * hour. The plan of the range names them.
 */
import type { ProjectId } from '#schemas/ids.ts'
import { burstHour, burstName } from '../commit/burst-gate.ts'
import type { Grouping } from '../grouping/grouping.ts'

/** Project, hour since 1970, kind. */
export type Burst = readonly [projectId: ProjectId, hour: number, kind: string]

export class BurstingKinds {
  readonly #projects: ReadonlySet<ProjectId>
  readonly #names: ReadonlySet<string>

  constructor(bursts: readonly Burst[]) {
    this.#projects = new Set(bursts.map(([projectId]) => projectId))
    this.#names = new Set(
      bursts.map(([projectId, hour, kind]) => burstName({ projectId, hour, kind })),
    )
  }

  /** Returns the grouping itself, a coarser one, or the coarsest one. */
  regroup(grouping: Grouping, projectId: ProjectId, receivedAtMs: number): Grouping {
    if (!this.#projects.has(projectId)) return grouping
    const hour = burstHour(receivedAtMs)
    const isBursting = (kind: string) => this.#names.has(burstName({ projectId, hour, kind }))
    if (!isBursting(grouping.kind())) return grouping
    const coarse = grouping.coarsen()
    return isBursting(coarse.kind()) ? coarse.coarsen() : coarse
  }
}
