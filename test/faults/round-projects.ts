/** Projects of one round, so that no round reads what another has stored. */
import type { Pool } from '#platform/postgres.ts'
import { createDsnKey, createOrganization, createProject } from '../../api/io/account-store.ts'
import { type LoadPlan, type ProjectRole, projectRoles } from './plan-load.ts'

export interface RoundProject {
  /** The number that stands in DSNs. */
  readonly dsnId: number
  readonly publicKey: string
}

export async function makeProjects(
  pg: Pool,
  plan: LoadPlan,
  name: string,
): Promise<Record<ProjectRole, RoundProject>> {
  const { id: organizationId } = await createOrganization(pg, { name })
  const projects = {} as Record<ProjectRole, RoundProject>
  for (const role of projectRoles) {
    const { monthlyEvents, issueEventsPerMinute } = plan.projects[role]
    projects[role] = await makeProject(pg, {
      organizationId,
      name: role,
      monthlyEvents,
      issueEventsPerMinute,
    })
  }
  return projects
}

export async function makeProject(
  pg: Pool,
  project: {
    readonly organizationId: string
    readonly name: string
    readonly monthlyEvents: number | null
    readonly issueEventsPerMinute: number | null
  },
): Promise<RoundProject> {
  const { id, dsnId } = await createProject(pg, project)
  await pg.query(
    'update projects set monthly_events = $2, issue_events_per_minute = $3 where id = $1',
    [id, project.monthlyEvents, project.issueEventsPerMinute],
  )
  // Last, because ingest may learn of the project as soon as it has a key.
  const { publicKey } = await createDsnKey(pg, { projectId: id, label: null })
  return { dsnId, publicKey }
}
