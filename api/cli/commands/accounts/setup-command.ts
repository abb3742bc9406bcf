/** `setup`: the first organization of an installation, with everything needed to use it. */
import { DisplayName, NewsletterSlug } from '#schemas/rest/account.ts'
import { PersonEmail } from '#schemas/rest/person.ts'
import { formatDsn } from '../../../keys/format-dsn.ts'
import { setUp } from '../../../organization/set-up.ts'
import { check } from '../../check.ts'
import type { Run, VerbPlan } from '../../command.ts'
import { nameFlags } from '../../name-flags.ts'
import { readPassword } from '../../read-password.ts'
import { UsageError } from '../../usage-error.ts'

export const setupCommand: VerbPlan = {
  verb: 'setup',
  summary:
    'Create the first organization with an owner, a project, a DSN, an access token and an API key',
  addresses: ['INGEST_URL', 'API_URL'],
  flags: {
    '--organization <organization>': 'the display name of the organization!',
    '--email <email>': 'the email address of the owner!',
    '--name <name>': 'the name of the owner',
    '--password-file <path>':
      'file with the password of the owner, or - for standard input; without it, a one-time link to choose one is printed',
    '--project <name>': 'the display name of the project; default: that of the organization',
    '--newsletter <slug>': 'also create a newsletter; its name in the API',
    '--from <address>': 'the From address of that newsletter',
    '--allow-domain':
      'allow the domain of --from without checking its DNS, for example behind a relay that signs',
  },
  run: async (run) => {
    const { session, flags } = run
    const organization = check(DisplayName, '--organization', flags.organization)
    const email = check(PersonEmail, '--email', flags.email)
    const name = check(DisplayName.optional(), '--name', flags.name) ?? null
    const project = check(DisplayName, '--project', flags.project ?? organization)
    const newsletter = newsletterOf(run, organization)
    const file = flags.passwordFile
    const password = file === undefined ? undefined : await readPassword(file)
    const done = await nameFlags({ from_address: '--from' }, () =>
      setUp(session, {
        organization,
        owner: { email, name, password },
        project,
        newsletter,
        allowedDomain:
          flags.allowDomain === true ? newsletter?.from_address.split('@').at(-1) : undefined,
      }),
    )
    const { id: projectId, dsn_id: dsnId, project_key, public_key: publicKey } = done.project
    const { ingestUrl } = session
    return {
      organization_id: done.organizationId,
      organization,
      owner_email: email,
      password_link: done.link?.url ?? null,
      password_link_expires_at: done.link?.expiresAt ?? null,
      project_id: projectId,
      project,
      dsn: publicKey === null ? null : formatDsn({ ingestUrl, publicKey, dsnId }),
      project_key,
      access_token: done.accessToken,
      api_key: done.apiKey,
      newsletter: done.newsletter,
      api_url: session.apiUrl,
    }
  },
}

function newsletterOf({ flags }: Run, organization: string) {
  const { newsletter, from } = flags
  if ((newsletter === undefined) !== (from === undefined)) {
    throw new UsageError('--newsletter and --from go together: give both or neither.')
  }
  if (newsletter === undefined || from === undefined) {
    if (flags.allowDomain !== true) return undefined
    throw new UsageError(
      '--allow-domain allows the domain of --from: give --newsletter and --from.',
    )
  }
  return {
    slug: check(NewsletterSlug, '--newsletter', newsletter),
    name: organization,
    from_address: check(PersonEmail, '--from', from),
  }
}
