import { CodedError } from '#schemas/error-codes.ts'
import type { NewsletterBody } from '#schemas/rest/email/newsletter.ts'
import { addAudit, commandLineActor } from '../audit/audit-store.ts'
import type { ApiContext } from '../context.ts'
import { createCredential } from '../credentials/create-credential.ts'
import { type Database, joinTransaction } from '../database.ts'
import { createNewsletter } from '../newsletters/create-newsletter.ts'
import { invitePerson } from '../people/invite-person.ts'
import type { PersonLink } from '../people/person-link.ts'
import { addPerson } from '../people/person-store.ts'
import { createProject } from '../projects/create-project.ts'
import type { OrganizationProject } from '../projects/project-store.ts'
import { allowDomain } from '../sending-domains/allow-domain.ts'
import { addOrganization, listOrganizations, lockOrganizations } from './organization-store.ts'

export interface SetUp {
  readonly organization: string
  readonly owner: {
    readonly email: string
    readonly name: string | null
    /** Undefined: the owner chooses one with a one-time link. */
    readonly password: string | undefined
  }
  readonly project: string
  readonly newsletter: NewsletterBody | undefined
  /** Domain whose From addresses are allowed without a check of its DNS; undefined for none. */
  readonly allowedDomain: string | undefined
}

export interface SetUpResult {
  readonly organizationId: string
  readonly project: OrganizationProject
  readonly accessToken: string
  readonly apiKey: string
  readonly newsletter: string | null
  /** Null when a password was given. */
  readonly link: PersonLink | null
}

/**
 * Creates the first organization of an installation with an owner, a project, an access token and
 * an API key, in one transaction. Throws `conflict` when there is an organization.
 */
export async function setUp(
  ctx: Pick<ApiContext, 'pg' | 'clock' | 'apiUrl' | 'allowUnverifiedFrom'>,
  input: SetUp,
): Promise<SetUpResult> {
  const { clock, apiUrl, allowUnverifiedFrom } = ctx
  return ctx.pg.transaction(async (client) => {
    await requireNoOrganization(client)
    const inside = { pg: joinTransaction(client), clock, apiUrl, allowUnverifiedFrom }
    const { id: organizationId } = await addOrganization(client, { name: input.organization })
    const actor = commandLineActor(organizationId)
    await addAudit(client, actor, {
      action: 'organization.created',
      subjectType: 'organization',
      subjectId: organizationId,
      details: { name: input.organization },
    })
    const link = await addOwner(inside, organizationId, input.owner)
    const project = await createProject(inside, actor, { name: input.project })
    const label = 'setup'
    const token = await createCredential(inside, actor, { table: 'access_tokens', label })
    const key = await createCredential(inside, actor, { table: 'api_keys', label })
    if (input.allowedDomain !== undefined) {
      const reason = 'setup'
      await allowDomain(inside, actor, { domain: input.allowedDomain, reason })
    }
    if (input.newsletter !== undefined) await createNewsletter(inside, actor, input.newsletter)
    return {
      organizationId,
      project,
      accessToken: token.value,
      apiKey: key.value,
      newsletter: input.newsletter?.slug ?? null,
      link,
    }
  })
}

/** Two concurrent set-ups run one after the other: the second one finds the first one's rows. */
async function requireNoOrganization(pg: Database): Promise<void> {
  await lockOrganizations(pg)
  const [first] = await listOrganizations(pg)
  if (first === undefined) return
  const since = first.created_at.toISOString()
  throw new CodedError('conflict', {
    message: `Already set up: the organization ${JSON.stringify(first.name)} exists since ${since}. Nothing was changed. Add people with \`person invite\`, projects with \`project create\`, and further organizations with \`organization create\`.`,
  })
}

async function addOwner(
  ctx: Parameters<typeof invitePerson>[0],
  organizationId: string,
  { email, name, password }: SetUp['owner'],
): Promise<PersonLink | null> {
  const actor = commandLineActor(organizationId)
  const role = 'owner'
  if (password === undefined) {
    const delivery = { kind: 'returned' } as const
    const { delivered } = await invitePerson(ctx, actor, { email, role, name, delivery })
    return delivered.kind === 'returned' ? delivered.link : null
  }
  const fields = { organizationId, email, name: name ?? email, password, role } as const
  const { id } = await addPerson(ctx.pg, fields)
  await addAudit(ctx.pg, actor, {
    action: 'person.created',
    subjectType: 'person',
    subjectId: id,
    details: { email, role },
  })
  return null
}
