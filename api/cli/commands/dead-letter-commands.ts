/** `dead-letter`: records that could not be processed, kept to be retried or deleted. */
import { z } from 'zod'
import { deadLetterReasons } from '#schemas/dead-letter.ts'
import { commandLineActor } from '../../audit/audit-store.ts'
import type { ActorOf } from '../../dead-letters/audit-dead-letters.ts'
import {
  countDeadLetters,
  type DeadLetterFilter,
  findDeadLetter,
  listDeadLetters,
} from '../../dead-letters/dead-letter-store.ts'
import { deleteDeadLetters } from '../../dead-letters/delete-dead-letters.ts'
import { retryDeadLetters } from '../../dead-letters/retry-dead-letters.ts'
import { check } from '../check.ts'
import type { Run, VerbPlan } from '../command.ts'
import { namedProject, projectFlag } from '../named-project.ts'
import { UsageError } from '../usage-error.ts'
import { listedDeadLetter, shownDeadLetter } from './dead-letter-view.ts'

const listedDefault = 50

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
    operation: 'listDeadLetters',
    summary: 'List dead letters, newest first',
    flags: {
      ...filterFlags,
      '--limit <n>': `the largest number to list, from 1 to 1000; default ${listedDefault}`,
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
    operation: 'getDeadLetter',
    summary: 'Show a dead letter and its payload',
    operand: 'id',
    run: async (run) => shownDeadLetter(await deadLetterOf(run), run.flags.json === true),
  },
  {
    verb: 'retry',
    operation: 'retryDeadLetters',
    summary: 'Retry dead letters, after their cause was fixed',
    operand: 'id',
    isOperandOptional: true,
    flags: { ...filterFlags, '--all': 'all dead letters that can be retried' },
    run: retry,
  },
  {
    verb: 'delete',
    operation: 'deleteDeadLetters',
    aliases: ['drop'],
    summary: 'Delete dead letters permanently',
    operand: 'id',
    isOperandOptional: true,
    flags: {
      ...filterFlags,
      '--all': 'all dead letters',
      '--yes': 'confirm; required with --project, --reason and --all',
    },
    run: remove,
  },
]

async function retry(run: Run) {
  const filter = await selectionOf(run)
  if (filter.id !== undefined) await deadLetterOf(run)
  return { ...(await retryDeadLetters(run.session, actorsOf(run), filter)) }
}

async function remove(run: Run) {
  const filter = await selectionOf(run)
  if (filter.id !== undefined) await deadLetterOf(run)
  else if (run.flags.yes !== true) {
    const { total, retrying } = await countDeadLetters(run.session.pg, filter)
    const count = total - retrying
    throw new UsageError(`This deletes ${count} dead letters permanently: add --yes to confirm.`)
  }
  return { ...(await deleteDeadLetters(run.session, actorsOf(run), filter)) }
}

/** Dead letters without a project are logged in the organization that the command names. */
function actorsOf({ organization }: Run): ActorOf {
  return async (organizationId) => commandLineActor(organizationId ?? (await organization()))
}

/** The filter of `--project`, `--reason` and `--organization`. */
async function filterOf(run: Run): Promise<DeadLetterFilter> {
  const { project, reason, organization } = run.flags
  return {
    reason: reason === undefined ? undefined : check(Reason, '--reason', reason),
    projectId: project === undefined ? undefined : (await namedProject(run)).dsn_id,
    organizationId: organization === undefined ? undefined : await run.organization(),
  }
}

/** One id, a filter, or `--all`. Giving none of them is an error. */
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
