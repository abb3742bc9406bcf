import { ProjectSettings, ProjectSettingsChange } from '#schemas/project-settings.ts'
import { addAudit } from '../audit/audit-store.ts'
import { actorOf } from '../auth/people-gate.ts'
import type { ApiContext } from '../context.ts'
import { type ApiInstance, ProjectPath, projectOf, replies } from '../http/route.ts'
import { changeProjectSettings, readProjectSettings } from './project-settings-store.ts'

const tags = ['settings']

export function registerSettings(app: ApiInstance, ctx: ApiContext): void {
  app.route({
    method: 'GET',
    url: '/settings',
    config: { scope: 'issues:read' },
    schema: {
      tags,
      summary: 'What is removed, filtered out, kept, and from which pages it may come',
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
      tags,
      summary: 'Change the settings; events that are digested from now on follow them',
      description:
        'What is left out stays as it is, in each part. A list is replaced as a whole. A shorter retention does not touch what is stored.',
      params: ProjectPath,
      body: ProjectSettingsChange,
      response: replies(ProjectSettings),
    },
    handler: async (request) => {
      const { id, dsnId } = projectOf(request)
      return ctx.pg.transaction(async (client) => {
        await addAudit(client, actorOf(request), {
          action: 'project_settings.changed',
          subjectType: 'project',
          subjectId: id,
          details: request.body,
        })
        return changeProjectSettings(client, dsnId, request.body)
      })
    },
  })
}
