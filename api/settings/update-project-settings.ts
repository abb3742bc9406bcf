import type { ProjectSettings, ProjectSettingsChange } from '#schemas/project-settings.ts'
import { type Actor, addAudit } from '../audit/audit-store.ts'
import type { ApiContext } from '../context.ts'
import type { StoredProject } from '../projects/project-store.ts'
import { checkSettings } from './check-settings.ts'
import { changeProjectSettings } from './project-settings-store.ts'

export interface UpdateProjectSettings {
  readonly project: StoredProject
  readonly change: ProjectSettingsChange
}

/**
 * Changes the fields that are given. Workers apply them to events that are digested from now on.
 */
export async function updateProjectSettings(
  ctx: Pick<ApiContext, 'pg'>,
  actor: Actor,
  { project, change }: UpdateProjectSettings,
): Promise<ProjectSettings> {
  checkSettings(change)
  return ctx.pg.transaction(async (client) => {
    await addAudit(client, actor, {
      action: 'project_settings.changed',
      subjectType: 'project',
      subjectId: project.id,
      details: change,
    })
    return changeProjectSettings(client, project.dsnId, change)
  })
}
