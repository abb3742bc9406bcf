import { parseTextPattern } from '#platform/text/text-pattern.ts'
import type { FieldError } from '#schemas/error-codes.ts'
import type { ProjectSettings, ProjectSettingsChange } from '#schemas/project-settings.ts'
import { type Actor, addAudit } from '../audit/audit-store.ts'
import type { ApiContext } from '../context.ts'
import { invalidFields } from '../http/validation/invalid-field.ts'
import type { StoredProject } from '../projects/project-store.ts'
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
  checkPatterns(change.scrubbing?.patterns ?? [])
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

/** Throws an error that names each invalid pattern and its first invalid character. */
export function checkPatterns(patterns: readonly string[]): void {
  const [first, ...others] = patterns.flatMap((pattern, index): FieldError[] => {
    const parsed = parseTextPattern(pattern)
    if (parsed.kind === 'pattern') return []
    const rule = `at character ${parsed.at + 1}: ${parsed.rule}`
    return [{ field: `scrubbing.patterns.${index}`, rule }]
  })
  if (first !== undefined) throw invalidFields([first, ...others])
}
