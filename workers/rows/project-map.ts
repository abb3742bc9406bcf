import type { ProjectId } from '#schemas/ids.ts'

/** Values by project and name. A look-up makes no text of both, which would have to be hashed. */
export class ProjectMap<Value> {
  readonly #projects = new Map<ProjectId, Map<string, Value>>()
  /** In the order in which they were made. */
  readonly all: Value[] = []

  get(projectId: ProjectId, name: string): Value | undefined {
    return this.#projects.get(projectId)?.get(name)
  }

  /** @param name has no value yet. */
  add(projectId: ProjectId, name: string, value: Value): void {
    let ofProject = this.#projects.get(projectId)
    if (ofProject === undefined) {
      ofProject = new Map()
      this.#projects.set(projectId, ofProject)
    }
    ofProject.set(name, value)
    this.all.push(value)
  }

  clear(): void {
    this.#projects.clear()
    this.all.length = 0
  }
}
