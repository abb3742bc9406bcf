/** Projects of one round, so that no round reads what another has stored. */
import type { Pool } from '#platform/postgres.ts'
import type { SecretBox } from '#platform/secret-box.ts'
import type { ProjectId } from '#schemas/ids.ts'
import { addDsnKey } from '../../api/keys/dsn-key-store.ts'
import { addOrganization } from '../../api/organization/organization-store.ts'
import { addProject } from '../../api/projects/project-store.ts'
import type { AlertReceiver } from './alerts/alert-receiver.ts'
import { makeRules, type RoundRule } from './alerts/round-rules.ts'
import { type LoadPlan, type PlannedProject, type ProjectRole, projectRoles } from './plan-load.ts'

export interface RoundProject {
  /** The project number in DSNs. */
  readonly dsnId: number
  readonly publicKey: string
  readonly rules: readonly RoundRule[]
}

interface MadeProject extends Omit<RoundProject, 'dsnId' | 'rules'> {
  readonly id: string
  readonly organizationId: string
  readonly dsnId: ProjectId
}

export async function makeProjects(
  ctx: { readonly pg: Pool; readonly box: SecretBox; readonly receiver: AlertReceiver },
  plan: LoadPlan,
  name: string,
): Promise<Record<ProjectRole, RoundProject>> {
  const projects = {} as Record<ProjectRole, RoundProject>
  for (const role of projectRoles) {
    const project = await makeOneProject(ctx.pg, plan.projects[role], `${name}, ${role}`)
    if (role === 'unlimited') await keepAttachments(ctx.pg, project.id)
    const rules = await makeRules(ctx, project, plan.projects[role].alertThreshold)
    projects[role] = { ...project, rules }
  }
  return projects
}

export async function makeOneProject(
  pg: Pool,
  {
    monthlyEvents,
    issueEventsPerMinute,
  }: Pick<PlannedProject, 'monthlyEvents' | 'issueEventsPerMinute'>,
  name: string,
): Promise<MadeProject> {
  const { id: organizationId } = await addOrganization(pg, { name })
  const { id, dsnId } = await addProject(pg, { organizationId, name })
  await pg.query(
    'update projects set monthly_events = $2, issue_events_per_minute = $3 where id = $1',
    [id, monthlyEvents, issueEventsPerMinute],
  )
  // Last, because ingest may learn of the project as soon as it has a key.
  const { public_key: publicKey } = await addDsnKey(pg, { projectId: id, label: null })
  return { id, organizationId, dsnId, publicKey }
}

export async function keepAttachments(pg: Pool, projectId: string): Promise<void> {
  await pg.query(
    `update projects set settings = settings || '{"attachments": {"keep": true}}' where id = $1`,
    [projectId],
  )
}
