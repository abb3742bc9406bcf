/** People and their logins. */
import { z } from 'zod'
import { DisplayName, EmailAddress } from './account.ts'

export const roles = ['viewer', 'member', 'owner'] as const
export const Role = z
  .enum(roles)
  .describe('Viewers read, members also write, owners also manage the people of the organization.')

export const passwordCharactersMin = 10
/** Longer passwords would slow down hashing. */
export const passwordCharactersMax = 200

export const Password = z
  .string()
  .min(passwordCharactersMin, `must have at least ${passwordCharactersMin} characters`)
  .max(passwordCharactersMax, `must have at most ${passwordCharactersMax} characters`)

/** Stored and compared in lower case. */
export const PersonEmail = EmailAddress.transform((text) => text.toLowerCase())

/**
 * Any text that a store can hold, so that a typing error is an unknown address, not an invalid
 * request.
 */
const TypedEmail = z
  .string()
  .min(1)
  .max(254)
  .regex(/^\P{Cc}*$/u, 'must not hold control characters')
  .refine((text) => text.isWellFormed(), 'must be valid Unicode')

export const LoginBody = z
  .object({
    email: TypedEmail,
    password: z.string().min(1).max(passwordCharactersMax),
    organization_id: z
      .uuid()
      .optional()
      .describe('The organization to log in to. Default: the one that the person joined first.'),
  })
  .meta({ example: { email: 'owner@demo.test', password: 'correct horse battery' } })

const Membership = z.object({ id: z.uuid(), name: z.string(), role: Role })

export const Me = z
  .object({
    id: z.uuid(),
    email: z.string(),
    name: z.string(),
    role: Role,
    organization: z.object({ id: z.uuid(), name: z.string() }),
    organizations: z.array(Membership).describe('All organizations of this person.'),
    is_operator: z
      .boolean()
      .describe(
        'Whether this login may use `/api/v1/operation`: an owner of the first organization.',
      ),
    csrf_token: z.string().describe('Send it as `X-CSRF-Token` with every write.'),
  })
  .meta({
    id: 'Me',
    example: {
      id: '019ab0c4-6d1e-7c3a-9f20-5d7d3f6f2a10',
      email: 'owner@demo.test',
      name: 'Demo Owner',
      role: 'owner',
      organization: { id: '019ab0c4-6d10-7a51-8a6e-0c1f6a8f9b01', name: 'Demo' },
      organizations: [{ id: '019ab0c4-6d10-7a51-8a6e-0c1f6a8f9b01', name: 'Demo', role: 'owner' }],
      is_operator: true,
      csrf_token: 'Zt0w…',
    },
  })
export type Me = z.infer<typeof Me>

export const MeChange = z
  .strictObject({
    name: DisplayName.optional(),
    current_password: z.string().min(1).max(passwordCharactersMax).optional(),
    new_password: Password.optional().describe('Ends all other logins of this person.'),
    organization_id: z.uuid().optional().describe('The organization that this login works for.'),
  })
  .refine((change) => change.new_password === undefined || change.current_password !== undefined, {
    path: ['current_password'],
    message: 'must be sent with new_password',
  })
  .meta({ example: { name: 'Ada Lovelace' } })
export type MeChange = z.infer<typeof MeChange>

export const LoginItem = z
  .object({
    id: z.uuid(),
    current: z.boolean().describe('The login that sent this request.'),
    organization: z.object({ id: z.uuid(), name: z.string() }),
    user_agent: z.string().nullable(),
    ip: z.string().nullable().describe('The IP address from which the person logged in.'),
    created_at: z.iso.datetime(),
    last_used_at: z.iso.datetime(),
    expires_at: z.iso.datetime(),
  })
  .meta({
    id: 'LoginItem',
    example: {
      id: '019ab0c4-6d1e-7c3a-9f20-5d7d3f6f2a10',
      current: true,
      organization: { id: '019ab0c4-6d10-7a51-8a6e-0c1f6a8f9b01', name: 'Demo' },
      user_agent: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
      ip: '192.0.2.1',
      created_at: '2026-11-21T09:30:00.000Z',
      last_used_at: '2026-11-21T12:00:00.000Z',
      expires_at: '2026-12-21T09:30:00.000Z',
    },
  })
export type LoginItem = z.infer<typeof LoginItem>

export const LoginList = z.object({ items: z.array(LoginItem), next_cursor: z.null() })

export const ForgottenPassword = z
  .object({ email: TypedEmail })
  .meta({ example: { email: 'owner@demo.test' } })

export const PersonItem = z
  .object({
    id: z.uuid(),
    email: z.string(),
    name: z.string().nullable(),
    role: Role,
    joined: z.boolean().describe('False until the invitation is accepted.'),
    undeliverable: z
      .boolean()
      .describe(
        'The mailbox was reported as nonexistent: invitations and password links are not sent until its suppression is lifted.',
      ),
    last_seen_at: z.iso.datetime().nullable(),
    created_at: z.iso.datetime().describe('When the person was added to the organization.'),
  })
  .meta({
    id: 'PersonItem',
    example: {
      id: '019ab0c4-6d1e-7c3a-9f20-5d7d3f6f2a10',
      email: 'ada@example.com',
      name: 'Ada Lovelace',
      role: 'member',
      joined: true,
      undeliverable: false,
      last_seen_at: '2026-11-21T09:30:00.000Z',
      created_at: '2026-11-01T12:00:00.000Z',
    },
  })
export type PersonItem = z.infer<typeof PersonItem>

export const PersonList = z.object({ items: z.array(PersonItem), next_cursor: z.null() })

export const Invitation = z
  .strictObject({ email: PersonEmail, role: Role, name: DisplayName.optional() })
  .meta({ example: { email: 'ada@example.com', role: 'member', name: 'Ada Lovelace' } })

export const PersonChange = z.strictObject({ role: Role }).meta({ example: { role: 'viewer' } })

export const PersonRemoval = z.strictObject({
  credentials: z
    .enum(['revoke', 'reassign'])
    .default('revoke')
    .describe(
      'What happens to the access tokens and API keys that the person created: `revoke` them, or `reassign` them to you.',
    ),
})

/** The form of the page behind a one-time link. */
export const LinkBody = z.object({ name: DisplayName.optional(), password: Password })
export type LinkBody = z.infer<typeof LinkBody>
