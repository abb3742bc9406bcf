/** `key`, `token`, `api-key`: what programs show to get in. */
import { z } from 'zod'
import { AccessScope } from '#schemas/rest/access-scope.ts'
import { DisplayName, KeyLabel } from '#schemas/rest/account.ts'
import { QuotaChange } from '#schemas/rest/quota.ts'
import { addAudit } from '../../audit/audit-store.ts'
import {
  type CredentialTable,
  deleteCredential,
  type ListedDsnKey,
  listCredentials,
  listDsnKeys,
  revokeCredential,
  setDsnKeyStatus,
} from '../../organization/account-lists.ts'
import {
  createAccessToken,
  createApiKey,
  createDsnKey,
  formatDsn,
} from '../../organization/account-store.ts'
import { setKeyLimit } from '../../quota/quota-store.ts'
import { check } from '../check.ts'
import type { VerbPlan } from '../command.ts'
import { namedProject, projectFlag } from '../named-project.ts'
import { UsageError } from '../usage-error.ts'
import { withActor } from '../with-actor.ts'
import { LimitText } from './quota-commands.ts'

export const keyVerbs: readonly VerbPlan[] = [
  {
    verb: 'create',
    summary: 'Make a DSN key',
    flags: {
      ...projectFlag,
      '--label <label>': 'the component it is for (worker, cli); events carry it!',
    },
    run: async (run) => {
      const label = check(KeyLabel, '--label', run.flags.label)
      const project = await namedProject(run)
      const key = await withActor(run, async (client, actor) => {
        const made = await createDsnKey(client, { projectId: project.id, label })
        await addAudit(client, actor, keyEntry('created', made.id, { label }))
        return made
      })
      const dsn = formatDsn({
        ingestUrl: run.session.ingestUrl,
        publicKey: key.publicKey,
        dsnId: project.dsn_id,
      })
      return { id: key.id, label, public_key: key.publicKey, dsn }
    },
  },
  {
    verb: 'list',
    summary: 'List the DSN keys of a project',
    flags: projectFlag,
    run: async (run) => {
      const project = await namedProject(run)
      const keys = await listDsnKeys(run.session.pg, project.id)
      return keys.map((key) => printedKey(key, run.session.ingestUrl))
    },
  },
  changeKey('disable', 'disabled', 'Refuse what comes with a DSN key'),
  changeKey('enable', 'active', 'Accept what comes with a DSN key again'),
  {
    verb: 'limit',
    summary: 'Limit the events a minute of a DSN key: its id, or its public half',
    operand: 'id',
    flags: { '--per-minute <number>': 'events a minute, or none!' },
    run: async (run) => {
      const perMinute = check(LimitText, '--per-minute', run.flags.perMinute)
      check(QuotaChange.shape.per_minute, '--per-minute', perMinute)
      const key = String(run.flags.id)
      return withActor(run, async (client, actor) => {
        const { organizationId } = actor
        const changed = await setKeyLimit(client, { organizationId, key, perMinute })
        if (changed === undefined) throw new UsageError(unknownKey(key))
        const { id, public_key, label, per_minute } = changed
        await addAudit(client, actor, keyEntry('changed', id, { rate_limit: per_minute }))
        return { id, label, public_key, per_minute }
      })
    },
  },
]

function changeKey(verb: string, status: 'active' | 'disabled', summary: string): VerbPlan {
  return {
    verb,
    summary: `${summary}: its id, or its public half`,
    operand: 'id',
    run: async (run) => {
      const key = String(run.flags.id)
      return withActor(run, async (client, actor) => {
        const { organizationId } = actor
        const changed = await setDsnKeyStatus(client, { organizationId, key, status })
        if (changed === undefined) throw new UsageError(unknownKey(key))
        await addAudit(client, actor, keyEntry('changed', changed.id, { status }))
        return printedKey(changed, run.session.ingestUrl)
      })
    },
  }
}

function unknownKey(key: string): string {
  return `No DSN key is called ${key}: see \`key list\`.`
}

function keyEntry(verb: 'created' | 'changed', subjectId: string, details: object) {
  return { action: `dsn_key.${verb}`, subjectType: 'dsn_key', subjectId, details } as const
}

function printedKey(key: ListedDsnKey, ingestUrl: string) {
  const { id, label, public_key, dsn_id, status, last_used_at } = key
  const dsn = formatDsn({ ingestUrl, publicKey: public_key, dsnId: dsn_id })
  return { id, label, public_key, dsn, status, last_used_at }
}

const ScopeList = z
  .string()
  .transform((list) => list.split(',').map((scope) => scope.trim()))
  .pipe(z.array(AccessScope).min(1))

export const tokenVerbs: readonly VerbPlan[] = [
  {
    verb: 'create',
    summary: 'Make an access token for scripts; its value is shown this once',
    flags: {
      '--label <label>': 'what it is for!',
      '--scopes <scopes>': `comma separated: ${AccessScope.options.join(', ')}`,
    },
    run: async (run) => {
      const { flags } = run
      const label = check(DisplayName, '--label', flags.label)
      const scopes =
        flags.scopes === undefined
          ? {}
          : { scopes: [...new Set(check(ScopeList, '--scopes', flags.scopes))] }
      return withActor(run, async (client, actor) => {
        const { organizationId } = actor
        const token = await createAccessToken(client, { organizationId, label, ...scopes })
        await addAudit(client, actor, entryOf('token', 'created', token))
        return { ...token }
      })
    },
  },
  ...credentialVerbs('access_tokens', 'token', 'access token'),
  {
    verb: 'delete',
    summary: 'Forget an access token altogether: its id or prefix',
    operand: 'id',
    run: async (run) => {
      const name = String(run.flags.id)
      return withActor(run, async (client, actor) => {
        const { organizationId } = actor
        const gone = await deleteCredential(client, 'access_tokens', { organizationId, name })
        if (gone === undefined)
          throw new UsageError(`No single access token is called ${name}: see \`token list\`.`)
        await addAudit(client, actor, entryOf('token', 'deleted', gone))
        return { ...gone }
      })
    },
  },
]

export const apiKeyVerbs: readonly VerbPlan[] = [
  {
    verb: 'create',
    summary: 'Make a key for the email API; its value is shown this once',
    flags: { '--label <label>': 'what it is for!' },
    run: async (run) => {
      const label = check(DisplayName, '--label', run.flags.label)
      return withActor(run, async (client, actor) => {
        const key = await createApiKey(client, { organizationId: actor.organizationId, label })
        await addAudit(client, actor, entryOf('api-key', 'created', key))
        return { ...key }
      })
    },
  },
  ...credentialVerbs('api_keys', 'api-key', 'API key'),
]

function entryOf(
  thing: 'token' | 'api-key',
  verb: 'created' | 'revoked' | 'deleted',
  { id, prefix, label }: { id: string; prefix: string; label: string },
) {
  const subjectType = thing === 'token' ? 'token' : 'api_key'
  const action = `${subjectType}.${verb}` as const
  return { action, subjectType, subjectId: id, details: { prefix, label } } as const
}

function credentialVerbs(
  table: CredentialTable,
  thing: 'token' | 'api-key',
  noun: string,
): VerbPlan[] {
  return [
    {
      verb: 'list',
      summary: `List the ${noun}s of an organization`,
      run: async ({ session, organization }) =>
        (await listCredentials(session.pg, table, await organization())).map((row) => ({ ...row })),
    },
    {
      verb: 'revoke',
      summary: `Refuse an ${noun} from now on: its id or prefix`,
      operand: 'id',
      run: async (run) => {
        const name = String(run.flags.id)
        const at = new Date(run.session.clock.nowMs())
        return withActor(run, async (client, actor) => {
          const { organizationId } = actor
          const revoked = await revokeCredential(client, table, { organizationId, name, at })
          if (revoked === undefined) {
            throw new UsageError(`No single ${noun} is called ${name}: see \`${thing} list\`.`)
          }
          await addAudit(client, actor, entryOf(thing, 'revoked', revoked))
          return { ...revoked }
        })
      },
    },
  ]
}
