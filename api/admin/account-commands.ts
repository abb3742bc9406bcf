/** `organization`, `project`, `newsletter`: what an installation is divided into. */
import { DisplayName, EmailAddress, NewsletterSlug } from '#schemas/rest/account.ts'
import {
  type ListedProject,
  listNewsletters,
  listOrganizations,
  listProjects,
} from '../io/account-lists.ts'
import {
  createDsnKey,
  createNewsletter,
  createOrganization,
  createProject,
  formatDsn,
} from '../io/account-store.ts'
import { check } from './check.ts'
import type { VerbPlan } from './command.ts'

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
    run: async ({ session, flags, organization }) => {
      const name = check(DisplayName, '--name', flags.name)
      const organizationId = await organization()
      return session.pg.transaction(async (client) => {
        const project = await createProject(client, { organizationId, name })
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

export const newsletterVerbs: readonly VerbPlan[] = [
  {
    verb: 'create',
    summary: 'Make a newsletter',
    flags: {
      '--slug <slug>': 'how the API names it!',
      '--name <name>': 'the name that readers see!',
      '--from <address>': 'the address it is sent from!',
      '--confirm': 'readers confirm their address before they get mail',
    },
    run: async ({ session, flags, organization }) => {
      const newsletter = {
        slug: check(NewsletterSlug, '--slug', flags.slug),
        name: check(DisplayName, '--name', flags.name),
        from: check(EmailAddress, '--from', flags.from),
        confirm: flags.confirm === true,
      }
      const organizationId = await organization()
      return { ...(await createNewsletter(session.pg, { organizationId, ...newsletter })) }
    },
  },
  {
    verb: 'list',
    summary: 'List the newsletters of an organization',
    run: async ({ session, organization }) =>
      (await listNewsletters(session.pg, await organization())).map((row) => ({ ...row })),
  },
]
