import type { ProjectSettingsChange } from '#schemas/project-settings.ts'
import type { UpdatedProjectSettings } from '#schemas/rest/settings/updated-settings.ts'
import { type Actor, addAudit } from '../audit/audit-store.ts'
import type { StoredProject } from '../projects/project-store.ts'
import type { NamesContext } from '../search/require-known-names.ts'
import { checkSettings } from './check-settings.ts'
import { changeProjectSettings } from './project-settings-store.ts'
import { warnAboutRules } from './warn-about-rules.ts'

export interface UpdateProjectSettings {
  readonly project: StoredProject
  readonly change: ProjectSettingsChange
}

/**
 * Changes the fields that are given. Workers apply them to events that are digested from now on.
 */
export async function updateProjectSettings(
  ctx: NamesContext,
  actor: Actor,
  { project, change }: UpdateProjectSettings,
): Promise<UpdatedProjectSettings> {
  checkSettings(change)
  const settings = await ctx.pg.transaction(async (client) => {
    await addAudit(client, actor, {
      action: 'project_settings.changed',
      subjectType: 'project',
      subjectId: project.id,
      details: change,
    })
    return changeProjectSettings(client, project.dsnId, change)
  })
  const changedRules = change.grouping?.fingerprint_rules ?? ''
  return { ...settings, warnings: await warnAboutRules(ctx, project.dsnId, changedRules) }
}
