import { KiB } from '#schemas/limits.ts'
import { ProjectSettings, ProjectSettingsChange } from '#schemas/project-settings.ts'
import { SettingsTrial, SettingsTrialResult } from '#schemas/rest/settings/settings-trial.ts'
import { actorOf } from '../auth/people-gate.ts'
import type { ApiContext } from '../context.ts'
import { type ApiInstance, ProjectPath, projectOf, replies } from '../http/route.ts'
import { readProjectSettings } from './project-settings-store.ts'
import { trySettings } from './try-settings.ts'
import { updateProjectSettings } from './update-project-settings.ts'

const tags = ['project settings']
const trialBytesMax = 64 * KiB

export function registerSettings(app: ApiInstance, ctx: ApiContext): void {
  app.route({
    method: 'GET',
    url: '/settings',
    config: { scope: 'issues:read' },
    schema: {
      operationId: 'getProjectSettings',
      tags,
      summary: 'Get the settings of a project',
      description:
        'What is removed from events, which events are filtered out, how long events are kept, and which web pages may send them.',
      params: ProjectPath,
      response: replies(ProjectSettings),
    },
    handler: (request) => readProjectSettings(ctx.pg, projectOf(request).dsnId),
  })

  app.route({
    method: 'PUT',
    url: '/settings',
    config: { scope: 'settings:write' },
    schema: {
      operationId: 'updateProjectSettings',
      tags,
      summary: 'Update the settings of a project',
      description:
        'A field that is left out keeps its value, also within `scrubbing` and `filters`. A list is replaced as a whole. The settings apply to events that are digested from now on; a shorter retention does not delete stored events.',
      params: ProjectPath,
      body: ProjectSettingsChange,
      response: replies(ProjectSettings),
    },
    handler: (request) =>
      updateProjectSettings(ctx, actorOf(request), {
        project: projectOf(request),
        change: request.body,
      }),
  })

  app.route({
    method: 'POST',
    url: '/settings/try',
    bodyLimit: trialBytesMax,
    config: { scope: 'settings:write' },
    schema: {
      operationId: 'tryProjectSettings',
      tags,
      summary: 'Try the scrubbing of a project on an event',
      description:
        'What would be removed from such an event, with the stored settings or with changes to them. Nothing is stored. The event has at most 64 KiB.',
      params: ProjectPath,
      body: SettingsTrial,
      response: replies(SettingsTrialResult),
    },
    handler: async (request) => {
      const stored = await readProjectSettings(ctx.pg, projectOf(request).dsnId)
      return trySettings(stored, request.body)
    },
  })
}
