/** `ownership`: the rules that give new issues of a project their owners. */
import { readFile } from 'node:fs/promises'
import { ownershipCharactersMax } from '#schemas/ownership/parse-ownership.ts'
import { OwnershipBody, type OwnershipRules } from '#schemas/rest/ownership.ts'
import { commandLineActor } from '../../../audit/audit-store.ts'
import { describeOwnership } from '../../../ownership/describe-ownership.ts'
import { readOwnership } from '../../../ownership/ownership-store.ts'
import { updateOwnership } from '../../../ownership/update-ownership.ts'
import { check } from '../../check.ts'
import { clickhouseOrUnavailable } from '../../clickhouse-or-unavailable.ts'
import type { Run, VerbPlan } from '../../command.ts'
import { namedProject, projectFlag } from '../../named-project.ts'
import { UsageError } from '../../usage-error.ts'

export const ownershipVerbs: readonly VerbPlan[] = [
  {
    verb: 'show',
    operation: 'getOwnership',
    summary: 'Show the ownership rules of a project',
    flags: projectFlag,
    run: async (run) => {
      const { dsn_id: dsnId } = await namedProject(run)
      const ctx = namesContext(run)
      return printed(run, await describeOwnership(ctx, dsnId, await readOwnership(ctx.pg, dsnId)))
    },
  },
  {
    verb: 'set',
    operation: 'updateOwnership',
    summary: 'Replace the ownership rules of a project by those of a file',
    flags: {
      ...projectFlag,
      '--file <path>': 'a file in the form of CODEOWNERS!',
      '--skip-invalid': 'skip invalid lines instead of refusing the file',
    },
    run: async (run) => {
      const { id, dsn_id: dsnId, organizationId } = await namedProject(run)
      const actor = commandLineActor(organizationId)
      const rules = await readRules(run.flags.file ?? '')
      const body = { rules, skip_invalid: run.flags.skipInvalid === true }
      const input = { project: { id, dsnId }, body }
      return printed(run, await updateOwnership(namesContext(run), actor, input))
    },
  },
]

function namesContext({ session }: Run) {
  const { pg, clock } = session
  return { pg, clock, clickhouse: clickhouseOrUnavailable(session) }
}

async function readRules(path: string): Promise<string> {
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw new UsageError(`${path} cannot be read.`, { cause })
  })
  if (text.includes('\0')) throw new UsageError(`${path} is no text.`)
  if (text.length > ownershipCharactersMax) {
    throw new UsageError(`${path} is longer than ${ownershipCharactersMax} characters.`)
  }
  return check(OwnershipBody.shape.rules, '--file', text)
}

/** With --json the whole answer; else one row for each rule, after the warnings. */
function printed({ flags, say }: Run, answer: OwnershipRules) {
  if (flags.json === true) return { ...answer }
  for (const { line, message } of answer.warnings) say(`Line ${line}: ${message}.\n`)
  return answer.parsed.map(({ owners, ...rule }) => ({ ...rule, owners: owners.join(' ') }))
}
