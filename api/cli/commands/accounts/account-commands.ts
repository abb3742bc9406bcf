/** `organization` and `project`. */
import { DisplayName } from '#schemas/rest/account.ts'
import { commandLineActor } from '../../../audit/audit-store.ts'
import { deleteOrganization } from '../../../deletions/delete-organization.ts'
import { deleteProject } from '../../../deletions/delete-project.ts'
import { deletionView } from '../../../deletions/deletion-view.ts'
import { exportOrganization } from '../../../deletions/export-organization.ts'
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
import type { Run, VerbPlan } from '../../command.ts'
import { exportTo, toFlag } from '../../files/export-to.ts'
import { namedProject, projectFlag } from '../../named-project.ts'
import { UsageError } from '../../usage-error.ts'

const yesFlag = { '--yes': 'confirm; required' }
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
  {
    verb: 'export',
    operation: 'exportOrganization',
    summary: 'Export everything of an organization as JSON Lines',
    flags: toFlag,
    run: async (run) => {
      const actor = await actorOf(run.organization)
      return exportTo(run, () => exportOrganization(run.session, actor))
    },
  },
  {
    verb: 'delete',
    operation: 'deleteOrganization',
    summary: 'Delete an organization and everything in it; this cannot be undone',
    flags: yesFlag,
    run: async (run) => {
      const { session, organization } = run
      const organizationId = await organization()
      const organizations = await listOrganizations(session.pg)
      const name = organizations.find(({ id }) => id === organizationId)?.name
      requireYes(run, `the organization ${name} with all its projects and contacts`)
      const actor = commandLineActor(organizationId)
      return deletionView(await deleteOrganization(session, actor, { confirm: undefined }))
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
  {
    verb: 'delete',
    operation: 'deleteProject',
    summary: 'Delete a project with all its data; this cannot be undone',
    flags: { '--project <project>': 'its id, DSN number or name!', ...yesFlag },
    run: async (run) => {
      const { id, name, organizationId } = await namedProject(run)
      requireYes(run, `the project ${name} with all its events and ideas`)
      const actor = commandLineActor(organizationId)
      return deletionView(await deleteProject(run.session, actor, { id, confirm: undefined }))
    },
  },
]

/** What the command deletes, when it is not confirmed. */
function requireYes({ flags }: Run, what: string): void {
  if (flags.yes === true) return
  throw new UsageError(`This deletes ${what} permanently: add --yes to confirm.`)
}

async function actorOf(organization: () => Promise<string>) {
  return commandLineActor(await organization())
}

function printedProject(project: OrganizationProject, ingestUrl: string) {
  const { id, dsn_id: dsnId, name, project_key, public_key: publicKey } = project
  const dsn = publicKey === null ? null : formatDsn({ ingestUrl, publicKey, dsnId })
  return { id, dsn_id: String(dsnId), name, project_key, dsn }
}
