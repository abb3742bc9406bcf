/** Which events a range groups coarsely, because their kind made too many new issues in their hour. Named in the plan. */
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

  /** The grouping itself, or a coarser one instead of it, or one that is coarser still. */
  regroup(grouping: Grouping, projectId: ProjectId, receivedAtMs: number): Grouping {
    if (!this.#projects.has(projectId)) return grouping
    const hour = burstHour(receivedAtMs)
    const isBursting = (kind: string) => this.#names.has(burstName({ projectId, hour, kind }))
    if (!isBursting(grouping.kind())) return grouping
    const coarse = grouping.coarsen()
    return isBursting(coarse.kind()) ? coarse.coarsen() : coarse
  }
}
