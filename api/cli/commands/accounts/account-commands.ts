/** `organization` and `project`. */
import { DisplayName } from '#schemas/rest/account.ts'
import { commandLineActor } from '../../../audit/audit-store.ts'
import { formatDsn } from '../../../keys/format-dsn.ts'
import { addOrganization, listOrganizations } from '../../../organization/organization-store.ts'
import { updateOrganization } from '../../../organization/update-organization.ts'
import { createProject } from '../../../projects/create-project.ts'
import {
  listOrganizationProjects,
  type OrganizationProject,
} from '../../../projects/project-store.ts'
import { updateProject } from '../../../projects/update-project.ts'
import { check } from '../../check.ts'
import type { VerbPlan } from '../../command.ts'
import { namedProject, projectFlag } from '../../named-project.ts'

const nameFlag = { '--name <name>': 'the display name!' }

export const organizationVerbs: readonly VerbPlan[] = [
  {
    verb: 'create',
    summary: 'Create an organization',
    flags: nameFlag,
    run: async ({ session, flags }) =>
      addOrganization(session.pg, { name: check(DisplayName, '--name', flags.name) }),
  },
  {
    verb: 'list',
    summary: 'List organizations',
    run: async ({ session }) => (await listOrganizations(session.pg)).map((row) => ({ ...row })),
  },
  {
    verb: 'show',
    operation: 'getOrganization',
    summary: 'Show an organization',
    run: async ({ session, organization }) => {
      const organizationId = await organization()
      const organizations = await listOrganizations(session.pg)
      return { ...organizations.find(({ id }) => id === organizationId) }
    },
  },
  {
    verb: 'update',
    operation: 'updateOrganization',
    summary: 'Rename an organization',
    flags: nameFlag,
    run: async ({ session, flags, organization }) => {
      const name = check(DisplayName, '--name', flags.name)
      return { ...(await updateOrganization(session, await actorOf(organization), { name })) }
    },
  },
]

export const projectVerbs: readonly VerbPlan[] = [
  {
    verb: 'create',
    operation: 'createProject',
    summary: 'Create a project with a default DSN key',
    addresses: ['INGEST_URL'],
    flags: nameFlag,
    run: async ({ session, flags, organization }) => {
      const name = check(DisplayName, '--name', flags.name)
      const project = await createProject(session, await actorOf(organization), { name })
      return printedProject(project, session.ingestUrl)
    },
  },
  {
    verb: 'list',
    operation: 'listProjects',
    summary: 'List the projects of an organization',
    addresses: ['INGEST_URL'],
    run: async ({ session, organization }) => {
      const projects = await listOrganizationProjects(session.pg, await organization())
      return projects.map((project) => printedProject(project, session.ingestUrl))
    },
  },
  {
    verb: 'show',
    operation: 'getProject',
    summary: 'Show a project',
    addresses: ['INGEST_URL'],
    flags: projectFlag,
    run: async (run) => printedProject(await namedProject(run), run.session.ingestUrl),
  },
  {
    verb: 'update',
    operation: 'updateProject',
    summary: 'Rename a project; the short ids of its issues stay the same',
    addresses: ['INGEST_URL'],
    flags: { ...projectFlag, ...nameFlag },
    run: async (run) => {
      const name = check(DisplayName, '--name', run.flags.name)
      const { id, organizationId } = await namedProject(run)
      const actor = commandLineActor(organizationId)
      const project = await updateProject(run.session, actor, { id, name })
      return printedProject(project, run.session.ingestUrl)
    },
  },
]

async function actorOf(organization: () => Promise<string>) {
  return commandLineActor(await organization())
}

function printedProject(project: OrganizationProject, ingestUrl: string) {
  const { id, dsn_id: dsnId, name, project_key, public_key: publicKey } = project
  const dsn = publicKey === null ? null : formatDsn({ ingestUrl, publicKey, dsnId })
  return { id, dsn_id: String(dsnId), name, project_key, dsn }
}
