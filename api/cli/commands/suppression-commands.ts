/** `suppression`: addresses that get no letter any more. */
import { readFile, stat } from 'node:fs/promises'
import { CodedError } from '#schemas/error-codes.ts'
import { MiB } from '#schemas/limits.ts'
import { ContactSource } from '#schemas/rest/email/contact.ts'
import { BulkLift, LiftReason, SuppressionCause } from '#schemas/rest/email/suppression.ts'
import { commandLineActor } from '../../audit/audit-store.ts'
import { decodedText } from '../../contacts/imports/file/text-encoding.ts'
import { addSuppression, removeSuppression } from '../../suppressions/change-suppression.ts'
import { importSuppressions } from '../../suppressions/import-suppressions.ts'
import { liftSuppressions } from '../../suppressions/lift-suppressions.ts'
import { listSuppressions } from '../../suppressions/suppression-store.ts'
import { check } from '../check.ts'
import type { Run, VerbPlan } from '../command.ts'
import { UsageError } from '../usage-error.ts'

const shownMax = 100
const fileBytesMax = 20 * MiB

export const suppressionVerbs: readonly VerbPlan[] = [
  {
    verb: 'list',
    summary: 'List suppressed addresses, newest first, at most 100',
    flags: {
      '--cause <cause>': 'hard, soft_run, complaint or manual',
      '--source <source>': 'who reported it, as in ses or smtp',
      '--search <text>': 'part of an address',
    },
    run: async ({ session, flags, organization }) => {
      const { cause, search, source } = flags
      const rows = await listSuppressions(session.pg, {
        organizationId: await organization(),
        cause: cause === undefined ? undefined : check(SuppressionCause, '--cause', cause),
        source,
        query: search,
        before: undefined,
        rowsMax: shownMax,
      })
      return rows.map((row) => ({
        email: row.email ?? '(erased)',
        cause: row.cause,
        source: row.source,
        suppressedAt: row.suppressedAt.toISOString(),
      }))
    },
  },
  {
    verb: 'add',
    summary: 'Suppress an address by hand',
    operand: 'email',
    flags: { '--reason <reason>': 'why, for the list' },
    run: async (run) => {
      const reason = check(ContactSource.nullish(), '--reason', run.flags.reason) ?? null
      const { state } = await addSuppression(run.session.pg, { ...(await changeOf(run)), reason })
      return { ...state }
    },
  },
  {
    verb: 'lift',
    summary: 'Lift the suppression of an address',
    operand: 'email',
    flags: {
      '--reason <reason>': 'why, for the log!',
      '--complaint': 'even though this person called a letter spam',
    },
    run: async (run) => {
      const reason = check(LiftReason, '--reason', run.flags.reason)
      const complaint = run.flags.complaint === true
      return {
        ...(await removeSuppression(run.session.pg, {
          ...(await changeOf(run)),
          reason,
          complaint,
        })),
      }
    },
  },
  {
    verb: 'lift-matching',
    summary: 'Lift suppressions by cause, source and time',
    flags: {
      '--reason <reason>': 'why, for the log!',
      '--cause <cause>': 'hard, soft_run, complaint or manual; hard and soft_run when left out',
      '--source <source>': 'who reported it, as in ses or smtp',
      '--since <time>': 'suppressed at this time or later, as in 2026-11-21T00:00:00Z',
      '--until <time>': 'suppressed before this time',
      '--complaint': 'even though these people reported an email as spam',
      '--dry-run': 'count what would be lifted, and change nothing',
    },
    run: async ({ session, flags, organization }) => {
      const { reason, cause, source, since, until } = flags
      const [dryRun, complaint] = [flags.dryRun === true, flags.complaint === true]
      const wanted = { reason, cause, source, from: since, to: until, complaint, dryRun }
      const lift = check(BulkLift, 'suppression lift-matching', wanted)
      const actor = commandLineActor(await organization())
      const now = new Date(session.clock.nowMs())
      let result = await liftSuppressions(session.pg, { actor, lift, now })
      const { matched } = result
      let lifted = result.lifted
      while (!dryRun && result.lifted > 0 && result.remaining > 0) {
        result = await liftSuppressions(session.pg, { actor, lift, now })
        lifted += result.lifted
      }
      return { dryRun, matched, lifted, remaining: result.remaining }
    },
  },
  {
    verb: 'import',
    summary: 'Suppress all addresses of a CSV file',
    operand: 'file',
    flags: { '--dry-run': 'say what would change, and change nothing' },
    run: async ({ session, flags, organization }) => {
      const text = await textOf(String(flags.file))
      const report = await importSuppressions(session.pg, {
        actor: commandLineActor(await organization()),
        text,
        now: new Date(session.clock.nowMs()),
        dryRun: flags.dryRun === true,
      })
      const told = report.mistakes.map(({ row, rule }) => `row ${row}: ${rule}`)
      return { ...report, mistakes: flags.json ? report.mistakes : told }
    },
  },
]

async function changeOf({ session, flags, organization }: Run) {
  const actor = commandLineActor(await organization())
  return { actor, email: String(flags.email), now: new Date(session.clock.nowMs()) }
}

async function textOf(path: string): Promise<string> {
  try {
    const { size } = await stat(path)
    if (fileBytesMax < size) throw new UsageError(`The file ${path} is larger than 20 MiB.`)
    return await decodedText(await readFile(path), 'file')
  } catch (cause) {
    if (cause instanceof UsageError) throw cause
    if (cause instanceof CodedError) throw new UsageError(cause.message, { cause })
    throw new UsageError(`The file ${path} cannot be read.`, { cause })
  }
}
