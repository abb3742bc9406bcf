/** `dead-letter`: records that could not be digested or stored. Retried by the workers, or deleted permanently. */
import { z } from 'zod'
import { deadLetterReasons } from '#schemas/dead-letter.ts'
import { addAudit, commandLineActor } from '../../audit/audit-store.ts'
import type { Database } from '../../database.ts'
import {
  type ChangedDeadLetter,
  countDeadLetters,
  type DeadLetterFilter,
  dropDeadLetters,
  findDeadLetter,
  listDeadLetters,
  requestRetries,
} from '../../dead-letters/dead-letter-store.ts'
import { check } from '../check.ts'
import type { Run, VerbPlan } from '../command.ts'
import { namedProject, projectFlag } from '../named-project.ts'
import { UsageError } from '../usage-error.ts'
import { listedDeadLetter, shownDeadLetter } from './dead-letter-view.ts'

const listedDefault = 50
/** Of one command; the result says how many are left. */
const changedMax = 10_000
const auditedIdsMax = 100

const DeadLetterId = z
  .string()
  .regex(/^[1-9]\d{0,14}$/, 'must be the number of a dead letter, as `dead-letter list` prints it')
  .transform(Number)
const Limit = z
  .string()
  .regex(/^([1-9]\d{0,2}|1000)$/, 'must be a whole number from 1 to 1000')
  .transform(Number)
const Reason = z.enum(deadLetterReasons, `must be one of ${deadLetterReasons.join(', ')}`)

const filterFlags = {
  ...projectFlag,
  '--reason <reason>': deadLetterReasons.join(' or '),
}

export const deadLetterVerbs: readonly VerbPlan[] = [
  {
    verb: 'list',
    summary: 'List dead letters, newest first',
    flags: {
      ...filterFlags,
      '--limit <n>': `how many at most, from 1 to 1000; default ${listedDefault}`,
    },
    run: async (run) => {
      const { limit, json } = run.flags
      const rowsMax = limit === undefined ? listedDefault : check(Limit, '--limit', limit)
      const deadLetters = await listDeadLetters(run.session.pg, await filterOf(run), rowsMax)
      return deadLetters.map((deadLetter) => listedDeadLetter(deadLetter, json === true))
    },
  },
  {
    verb: 'show',
    summary: 'Show a dead letter and its payload',
    operand: 'id',
    run: async (run) => shownDeadLetter(await deadLetterOf(run), run.flags.json === true),
  },
  {
    verb: 'retry',
    summary: 'Retry dead letters, after their cause was fixed',
    operand: 'id',
    isOperandOptional: true,
    flags: { ...filterFlags, '--all': 'every dead letter that can be retried' },
    run: retry,
  },
  {
    verb: 'drop',
    summary: 'Delete dead letters permanently',
    operand: 'id',
    isOperandOptional: true,
    flags: {
      ...filterFlags,
      '--all': 'every dead letter',
      '--yes': 'needed with --project, --reason and --all',
    },
    run: drop,
  },
]

async function retry(run: Run) {
  const filter = await selectionOf(run)
  if (filter.id !== undefined) await expectRetryable(run)
  return run.session.pg.transaction(async (client) => {
    const before = await countDeadLetters(client, filter)
    const deadLetters = await requestRetries(client, filter, changedMax)
    await audit(run, client, { action: 'dead_letter.retried', filter, deadLetters })
    const { total, retrying, not_retryable } = before
    return {
      requested: deadLetters.length,
      already_retrying: retrying,
      not_retryable,
      left: Math.max(0, total - retrying - not_retryable - deadLetters.length),
    }
  })
}

async function drop(run: Run) {
  const filter = await selectionOf(run)
  if (filter.id !== undefined) {
    const deadLetter = await deadLetterOf(run)
    if (deadLetter.retry_requested_at !== null) {
      throw new UsageError(
        `Dead letter ${deadLetter.id} is being retried: see \`dead-letter show\`.`,
      )
    }
  }
  return run.session.pg.transaction(async (client) => {
    const { total, retrying } = await countDeadLetters(client, filter)
    if (filter.id === undefined && run.flags.yes !== true) {
      const count = total - retrying
      throw new UsageError(`This deletes ${count} dead letters permanently: add --yes to confirm.`)
    }
    const deadLetters = await dropDeadLetters(client, filter, changedMax)
    await audit(run, client, { action: 'dead_letter.dropped', filter, deadLetters })
    return {
      dropped: deadLetters.length,
      retrying,
      left: Math.max(0, total - retrying - deadLetters.length),
    }
  })
}

/** What `--project`, `--reason` and `--organization` say. */
async function filterOf(run: Run): Promise<DeadLetterFilter> {
  const { project, reason, organization } = run.flags
  return {
    reason: reason === undefined ? undefined : check(Reason, '--reason', reason),
    projectId: project === undefined ? undefined : (await namedProject(run)).dsn_id,
    organizationId: organization === undefined ? undefined : await run.organization(),
  }
}

/** One id, or a filter, or `--all`: leaving everything out selects nothing. */
async function selectionOf(run: Run): Promise<DeadLetterFilter> {
  const { id, project, reason, all } = run.flags
  const isFiltered = project !== undefined || reason !== undefined
  const ways = [id !== undefined, isFiltered, all === true].filter(Boolean).length
  if (ways !== 1) {
    throw new UsageError(
      'Name one dead letter by its id, or some by --project and --reason, or --all.',
    )
  }
  const filter = await filterOf(run)
  return id === undefined ? filter : { ...filter, id: check(DeadLetterId, 'The id', id) }
}

async function deadLetterOf(run: Run) {
  const id = check(DeadLetterId, 'The id', run.flags.id)
  const deadLetter = await findDeadLetter(run.session.pg, id)
  const { organizationId } = await filterOf(run)
  const owner = deadLetter?.organization_id ?? null
  const isForeign = organizationId !== undefined && owner !== null && owner !== organizationId
  if (deadLetter === undefined || isForeign) {
    throw new UsageError(`There is no dead letter ${id}: see \`dead-letter list\`.`)
  }
  return deadLetter
}

async function expectRetryable(run: Run): Promise<void> {
  const { id, reason, kind, organization_id } = await deadLetterOf(run)
  if (reason === 'unreadable_frame') {
    throw new UsageError(
      `Dead letter ${id} is a frame that could not be read. Its records are not known, so it cannot be retried.`,
    )
  }
  if (kind === null) {
    throw new UsageError(
      `Dead letter ${id} was stored by a version that did not keep what a retry needs, so it cannot be retried.`,
    )
  }
  if (organization_id === null) {
    throw new UsageError(`The project of dead letter ${id} was deleted, so it cannot be retried.`)
  }
}

/** One entry for each organization; letters without a project are logged in the organization that the command names. */
async function audit(
  run: Run,
  client: Database,
  change: {
    readonly action: `dead_letter.${'retried' | 'dropped'}`
    readonly filter: DeadLetterFilter
    readonly deadLetters: readonly ChangedDeadLetter[]
  },
): Promise<void> {
  const { action, filter, deadLetters } = change
  const isUnowned = deadLetters.some(({ organization_id }) => organization_id === null)
  const named = isUnowned ? await run.organization() : ''
  const byOrganization = new Map<string, number[]>()
  for (const { id, organization_id } of deadLetters) {
    const owner = organization_id ?? named
    const ids = byOrganization.get(owner)
    if (ids === undefined) byOrganization.set(owner, [id])
    else ids.push(id)
  }
  for (const [organizationId, ids] of byOrganization) {
    await addAudit(client, commandLineActor(organizationId), {
      action,
      subjectType: 'dead_letter',
      ...(filter.id === undefined ? {} : { subjectId: String(filter.id) }),
      details: { count: ids.length, ids: ids.slice(0, auditedIdsMax), reason: filter.reason },
    })
  }
}
