import { z } from 'zod'
import { listOrganizationProjects } from '../../projects/project-store.ts'
import { shown } from '../shown.ts'
import { defineTool, readOnly } from '../tool.ts'

const projectsMax = 100

export const projectTools = [
  defineTool({
    name: 'list_projects',
    title: 'List projects',
    description: `Lists the projects of the organization, oldest first, at most ${projectsMax}. The other tools need the id of a project.`,
    scopes: ['issues:read', 'feedback:read'],
    annotations: readOnly,
    input: z.strictObject({
      name_contains: z.string().max(100).optional().describe('Part of the name, in any case.'),
    }),
    run: async ({ ctx, caller }, { name_contains: part = '' }) => {
      const all = await listOrganizationProjects(ctx.pg, caller.organizationId)
      const matching = all.filter(({ name }) => name.toLowerCase().includes(part.toLowerCase()))
      return {
        data: {
          items: matching.slice(0, projectsMax).map(({ id, name, short_name, created_at }) => ({
            id,
            name: shown(name),
            short_name,
            created_at: created_at.toISOString(),
          })),
          total: matching.length,
        },
      }
    },
  }),
]
