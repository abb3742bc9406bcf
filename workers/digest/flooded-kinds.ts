/** Which events a range groups coarsely, because their kind made too many new issues in their hour. Named in the plan. */
import type { ProjectId } from '#schemas/ids.ts'
import { floodHour, floodName } from '../commit/flood-gate.ts'
import type { Grouping } from '../grouping/grouping.ts'

/** Project, hour since 1970, kind. */
export type Flood = readonly [projectId: ProjectId, hour: number, kind: string]

export class FloodedKinds {
  readonly #projects: ReadonlySet<ProjectId>
  readonly #names: ReadonlySet<string>

  constructor(floods: readonly Flood[]) {
    this.#projects = new Set(floods.map(([projectId]) => projectId))
    this.#names = new Set(
      floods.map(([projectId, hour, kind]) => floodName({ projectId, hour, kind })),
    )
  }

  /** The grouping itself, or a coarser one instead of it, or one that is coarser still. */
  regroup(grouping: Grouping, projectId: ProjectId, receivedAtMs: number): Grouping {
    if (!this.#projects.has(projectId)) return grouping
    const hour = floodHour(receivedAtMs)
    const isFlooded = (kind: string) => this.#names.has(floodName({ projectId, hour, kind }))
    if (!isFlooded(grouping.kind())) return grouping
    const coarse = grouping.coarsen()
    return isFlooded(coarse.kind()) ? coarse.coarsen() : coarse
  }
}
