/** `organization`, `project`: what an installation is divided into. */
import { DisplayName } from '#schemas/rest/account.ts'
import { addAudit } from '../../audit/audit-store.ts'
import {
  type ListedProject,
  listOrganizations,
  listProjects,
} from '../../organization/account-lists.ts'
import {
  createDsnKey,
  createOrganization,
  createProject,
  formatDsn,
} from '../../organization/account-store.ts'
import { check } from '../check.ts'
import type { VerbPlan } from '../command.ts'
import { withActor } from '../with-actor.ts'

export const organizationVerbs: readonly VerbPlan[] = [
  {
    verb: 'create',
    summary: 'Make an organization',
    flags: { '--name <name>': 'what people call it!' },
    run: async ({ session, flags }) =>
      createOrganization(session.pg, { name: check(DisplayName, '--name', flags.name) }),
  },
  {
    verb: 'list',
    summary: 'List all organizations',
    run: async ({ session }) => (await listOrganizations(session.pg)).map((row) => ({ ...row })),
  },
]

export const projectVerbs: readonly VerbPlan[] = [
  {
    verb: 'create',
    summary: 'Make a project and its default DSN key',
    flags: { '--name <name>': 'what people call it!' },
    run: async (run) => {
      const { session, flags } = run
      const name = check(DisplayName, '--name', flags.name)
      return withActor(run, async (client, actor) => {
        const { organizationId } = actor
        const project = await createProject(client, { organizationId, name })
        await addAudit(client, actor, {
          action: 'project.created',
          subjectType: 'project',
          subjectId: project.id,
          details: { name },
        })
        const { publicKey } = await createDsnKey(client, { projectId: project.id, label: null })
        return printedProject(
          {
            id: project.id,
            dsn_id: project.dsnId,
            name,
            project_key: project.projectKey,
            public_key: publicKey,
          },
          session.ingestUrl,
        )
      })
    },
  },
  {
    verb: 'list',
    summary: 'List the projects of an organization',
    run: async ({ session, organization }) => {
      const projects = await listProjects(session.pg, await organization())
      return projects.map((project) => printedProject(project, session.ingestUrl))
    },
  },
]

function printedProject(project: Omit<ListedProject, 'organization_id'>, ingestUrl: string) {
  const { id, dsn_id, name, project_key, public_key } = project
  const dsn =
    public_key === null ? null : formatDsn({ ingestUrl, publicKey: public_key, dsnId: dsn_id })
  return { id, dsn_id: String(dsn_id), name, project_key, dsn }
}
