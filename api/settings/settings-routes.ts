import { eventBytesMax, KiB } from '#schemas/limits.ts'
import { ProjectSettings, ProjectSettingsChange } from '#schemas/project-settings.ts'
import { GroupingTrial, GroupingTrialResult } from '#schemas/rest/settings/grouping-trial.ts'
import { SettingsTrial, SettingsTrialResult } from '#schemas/rest/settings/settings-trial.ts'
import { UpdatedProjectSettings } from '#schemas/rest/settings/updated-settings.ts'
import { actorOf } from '../auth/people-gate.ts'
import type { ApiContext } from '../context.ts'
import { type ApiInstance, ProjectPath, projectOf, replies } from '../http/route.ts'
import { readProjectSettings } from './project-settings-store.ts'
import { tryGrouping } from './try-grouping.ts'
import { trySettings } from './try-settings.ts'
import { updateProjectSettings } from './update-project-settings.ts'

const tags = ['project settings']
/** The text of an event is larger as part of a JSON body. */
const trialBytesMax = 2 * eventBytesMax + 64 * KiB

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
        'What is removed from events, which events are filtered out, how they are grouped, how long they are kept, and which web pages may send them.',
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
        'A field that is left out keeps its value, also within `scrubbing`, `filters` and `grouping`. A list is replaced as a whole. The settings apply to events that are digested from now on; a shorter retention does not delete stored events.',
      params: ProjectPath,
      body: ProjectSettingsChange,
      response: replies(UpdatedProjectSettings),
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
    // Nothing is stored, and a stored event is shown to nobody who may not read it anyway.
    config: { scope: 'issues:read', role: 'viewer' },
    schema: {
      operationId: 'tryProjectSettings',
      tags,
      summary: 'Try the scrubbing and the filters of a project on an event',
      description:
        'Whether such an event, or a stored one, would be dropped and by which filter, what would be removed from it, and what would be stored; with the stored settings or with changes to them. A worker decides, with the code that digests events; without one, the reply is 503. Nothing is stored. Allowed origins are not tried.',
      params: ProjectPath,
      body: SettingsTrial,
      response: replies(SettingsTrialResult),
    },
    handler: (request) => trySettings(ctx, projectOf(request), request.body),
  })

  app.route({
    method: 'POST',
    url: '/grouping/try',
    bodyLimit: trialBytesMax,
    config: { scope: 'issues:read', role: 'viewer' },
    schema: {
      operationId: 'tryGrouping',
      tags,
      summary: 'Try grouping rules on an event',
      description:
        'How such an event, or a stored one, is grouped with the stored rules and with those of the request: its hashes, its title, the issue it would belong to, why, and which rules match. A worker decides, with the code that digests events; without one, the reply is 503. Nothing is saved, and stored events keep their issues.',
      params: ProjectPath,
      body: GroupingTrial,
      response: replies(GroupingTrialResult),
    },
    handler: (request) => tryGrouping(ctx, projectOf(request), request.body),
  })
}
