/** Divides the projects of a day into inserts of bounded work and memory. Pure. */
import type { ProjectSessions } from './session-day-store.ts'

/** Rows of sessions in one insert; a project with more is alone. */
const rowsMax = 2_000_000
const projectsMax = 1_000
/**
 * Pairs of a release and an environment in one insert. Each becomes up to 25 rows, which are in
 * memory together. A project with more of them on one day is not summed: sums would be as many as
 * its sessions.
 */
const namesMax = 5_000

export function inBatches(projects: readonly ProjectSessions[]): {
  readonly batches: ProjectSessions[][]
  readonly excluded: ProjectSessions[]
} {
  const batches: ProjectSessions[][] = []
  const excluded: ProjectSessions[] = []
  let rows = 0
  let names = 0
  for (const project of projects) {
    if (project.names > namesMax) {
      excluded.push(project)
      continue
    }
    rows += project.rows
    names += project.names
    const last = batches.at(-1)
    if (last === undefined || last.length >= projectsMax || rows > rowsMax || names > namesMax) {
      batches.push([project])
      rows = project.rows
      names = project.names
    } else last.push(project)
  }
  return { batches, excluded }
}
