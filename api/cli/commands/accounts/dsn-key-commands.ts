/** `dsn-key`: the keys that SDKs send events with. */
import { z } from 'zod'
import { KeyLabel } from '#schemas/rest/account.ts'
import { DsnKeyChange } from '#schemas/rest/dsn-key.ts'
import { commandLineActor } from '../../../audit/audit-store.ts'
import { createDsnKey } from '../../../keys/create-dsn-key.ts'
import { deleteDsnKey } from '../../../keys/delete-dsn-key.ts'
import { findNamedKey, listProjectKeys, type StoredDsnKey } from '../../../keys/dsn-key-store.ts'
import { formatDsn } from '../../../keys/format-dsn.ts'
import { updateDsnKey } from '../../../keys/update-dsn-key.ts'
import { check } from '../../check.ts'
import type { Run, VerbPlan } from '../../command.ts'
import { LimitText } from '../../limit-text.ts'
import { namedProject, projectFlag } from '../../named-project.ts'
import { UsageError } from '../../usage-error.ts'

const statusFlag = z.enum(['active', 'disabled'], 'must be active or disabled')
const operand = 'id'

export const dsnKeyVerbs: readonly VerbPlan[] = [
  {
    verb: 'create',
    operation: 'createDsnKey',
    summary: 'Create a DSN key',
    addresses: ['INGEST_URL'],
    flags: {
      ...projectFlag,
      '--label <label>': 'the component it is for (worker, cli), which its events carry!',
    },
    run: async (run) => {
      const label = check(KeyLabel, '--label', run.flags.label)
      const { id: projectId, dsn_id, organizationId } = await namedProject(run)
      const actor = commandLineActor(organizationId)
      const key = await createDsnKey(run.session, actor, { projectId, label, perMinute: null })
      const { id, public_key, dsn } = printedKey(key, dsn_id, run)
      return { id, label, public_key, dsn }
    },
  },
  {
    verb: 'list',
    operation: 'listDsnKeys',
    summary: 'List the DSN keys of a project',
    addresses: ['INGEST_URL'],
    flags: projectFlag,
    run: async (run) => {
      const { id, dsn_id } = await namedProject(run)
      const keys = await listProjectKeys(run.session.pg, id)
      return keys.map((key) => printedKey(key, dsn_id, run))
    },
  },
  {
    verb: 'update',
    aliases: ['limit'],
    operation: 'updateDsnKey',
    summary: 'Update a DSN key, named by its id or public key',
    addresses: ['INGEST_URL'],
    operand,
    flags: {
      '--label <label>': 'the component it is for, or none',
      '--per-minute <number>': 'events per minute, or none',
      '--status <status>': 'active or disabled',
    },
    run: async (run) => {
      const { label, perMinute, status } = run.flags
      const change: DsnKeyChange = {}
      if (label !== undefined) {
        change.label = label === 'none' ? null : check(KeyLabel, '--label', label)
      }
      if (perMinute !== undefined) {
        const limit = check(LimitText, '--per-minute', perMinute)
        change.rate_limit = check(DsnKeyChange.shape.rate_limit, '--per-minute', limit)
      }
      if (status !== undefined) change.status = check(statusFlag, '--status', status)
      if (Object.keys(change).length === 0) {
        throw new UsageError('Say what to update: --label, --per-minute or --status.')
      }
      return updateNamed(run, change)
    },
  },
  {
    verb: 'disable',
    operation: 'updateDsnKey',
    summary: 'Refuse events that are sent with a DSN key, named by its id or public key',
    addresses: ['INGEST_URL'],
    operand,
    run: (run) => updateNamed(run, { status: 'disabled' }),
  },
  {
    verb: 'enable',
    operation: 'updateDsnKey',
    summary: 'Accept events that are sent with a DSN key again',
    addresses: ['INGEST_URL'],
    operand,
    run: (run) => updateNamed(run, { status: 'active' }),
  },
  {
    verb: 'delete',
    operation: 'deleteDsnKey',
    summary: 'Delete a DSN key, named by its id or public key; its events stay',
    operand,
    run: async (run) => {
      const { actor, id, projectId } = await namedKey(run)
      await deleteDsnKey(run.session, actor, { projectId, id })
      return { id, deleted: true }
    },
  },
]

async function updateNamed(run: Run, change: DsnKeyChange) {
  const { actor, id, projectId, dsnId } = await namedKey(run)
  return printedKey(await updateDsnKey(run.session, actor, { projectId, id, change }), dsnId, run)
}

async function namedKey(run: Run) {
  const organizationId = await run.organization()
  const named = String(run.flags.id)
  const key = await findNamedKey(run.session.pg, { organizationId, named })
  if (key === undefined) {
    throw new UsageError(`No DSN key is called ${named}: see \`dsn-key list\`.`)
  }
  const { id, project_id: projectId, dsn_id: dsnId } = key
  return { actor: commandLineActor(organizationId), id, projectId, dsnId }
}

function printedKey(key: StoredDsnKey, dsnId: number, { session }: Run) {
  const { id, label, public_key, status, rate_limit: per_minute, last_used_at } = key
  const dsn = formatDsn({ ingestUrl: session.ingestUrl, publicKey: public_key, dsnId })
  return { id, label, public_key, dsn, status, per_minute, last_used_at }
}
