/** `access-token` and `api-key`: the credentials of programs. */
import { z } from 'zod'
import { AccessScope } from '#schemas/rest/access-scope.ts'
import { DisplayName } from '#schemas/rest/account.ts'
import { commandLineActor } from '../../../audit/audit-store.ts'
import { createCredential } from '../../../credentials/create-credential.ts'
import {
  type CredentialTable,
  findCredential,
  findNamedCredential,
  listCredentials,
  type StoredCredential,
} from '../../../credentials/credential-store.ts'
import { deleteCredential } from '../../../credentials/delete-credential.ts'
import { updateCredential } from '../../../credentials/update-credential.ts'
import { found } from '../../../http/route.ts'
import { check } from '../../check.ts'
import type { Run, VerbPlan } from '../../command.ts'
import { UsageError } from '../../usage-error.ts'

interface Kind {
  readonly table: CredentialTable
  readonly thing: string
  readonly noun: string
  /** A part of operation ids. */
  readonly name: string
}

const accessTokens: Kind = {
  table: 'access_tokens',
  thing: 'access-token',
  noun: 'access token',
  name: 'AccessToken',
}
const apiKeys: Kind = { table: 'api_keys', thing: 'api-key', noun: 'API key', name: 'ApiKey' }

const ScopeList = z
  .string()
  .transform((list) => list.split(',').map((scope) => scope.trim()))
  .pipe(z.array(AccessScope).min(1))

const labelFlag = { '--label <label>': 'what it is for!' }

export const accessTokenVerbs: readonly VerbPlan[] = [
  {
    verb: 'create',
    operation: 'createAccessToken',
    summary: 'Create an access token; its value is printed only once',
    flags: {
      ...labelFlag,
      '--scopes <scopes>': `comma separated: ${AccessScope.options.join(', ')}`,
    },
    run: async (run) => {
      const label = check(DisplayName, '--label', run.flags.label)
      const scopes = check(ScopeList.optional(), '--scopes', run.flags.scopes)
      const { credential, value } = await createCredential(run.session, await actorOf(run), {
        table: 'access_tokens',
        label,
        scopes: scopes && [...new Set(scopes)],
      })
      const { id, prefix, scopes: granted } = credential
      return { id, prefix, label, scopes: granted, value }
    },
  },
  ...commonVerbs(accessTokens),
]

export const apiKeyVerbs: readonly VerbPlan[] = [
  {
    verb: 'create',
    operation: 'createApiKey',
    summary: 'Create a key for the email API; its value is printed only once',
    flags: labelFlag,
    run: async (run) => {
      const label = check(DisplayName, '--label', run.flags.label)
      const input = { table: 'api_keys', label } as const
      const { credential, value } = await createCredential(run.session, await actorOf(run), input)
      return { id: credential.id, prefix: credential.prefix, label, value }
    },
  },
  ...commonVerbs(apiKeys),
]

function commonVerbs(kind: Kind): VerbPlan[] {
  const { table, noun, name } = kind
  return [
    {
      verb: 'list',
      operation: `list${name}s`,
      summary: `List the ${noun}s of an organization`,
      run: async ({ session, organization }) =>
        (await listCredentials(session.pg, table, await organization())).map((row) =>
          printed(table, row),
        ),
    },
    {
      verb: 'show',
      operation: `get${name}`,
      summary: `Show an ${noun}, named by its id or prefix`,
      operand: 'id',
      run: async (run) => {
        const named = { organizationId: await run.organization(), id: await namedId(run, kind) }
        return printed(table, found(await findCredential(run.session.pg, table, named)))
      },
    },
    {
      verb: 'revoke',
      operation: `update${name}`,
      summary: `Revoke an ${noun} permanently, named by its id or prefix`,
      operand: 'id',
      run: async (run) => {
        const id = await namedId(run, kind)
        const input = { table, id, change: { revoked: true } } as const
        return printed(table, await updateCredential(run.session, await actorOf(run), input))
      },
    },
    {
      verb: 'delete',
      operation: `delete${name}`,
      summary: `Delete an ${noun}, named by its id or prefix`,
      operand: 'id',
      run: async (run) => {
        const input = { table, id: await namedId(run, kind) }
        return printed(table, await deleteCredential(run.session, await actorOf(run), input))
      },
    },
  ]
}

async function actorOf({ organization }: Run) {
  return commandLineActor(await organization())
}

async function namedId(run: Run, { table, thing, noun }: Kind): Promise<string> {
  const named = String(run.flags.id)
  const organizationId = await run.organization()
  const id = await findNamedCredential(run.session.pg, table, { organizationId, named })
  if (id !== undefined) return id
  throw new UsageError(`No single ${noun} is called ${named}: see \`${thing} list\`.`)
}

function printed(table: CredentialTable, row: StoredCredential) {
  const { id, prefix, label, scopes, created_at, last_used_at, revoked_at } = row
  const granted = table === 'access_tokens' ? { scopes } : {}
  return { id, prefix, label, ...granted, created_at, last_used_at, revoked_at }
}
