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

  /** The grouping itself, or the coarse one instead of it. */
  regroup(grouping: Grouping, projectId: ProjectId, receivedAtMs: number): Grouping {
    if (!this.#projects.has(projectId)) return grouping
    const name = floodName({ projectId, hour: floodHour(receivedAtMs), kind: grouping.kind() })
    return this.#names.has(name) ? grouping.coarsen() : grouping
  }
}
