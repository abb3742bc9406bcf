/** `suppression`: addresses that get no emails. */
import { MiB } from '#schemas/limits.ts'
import { ContactSource } from '#schemas/rest/email/contact.ts'
import { BulkLift, LiftReason, SuppressionCause } from '#schemas/rest/email/suppression.ts'
import { commandLineActor } from '../../../audit/audit-store.ts'
import { addSuppression } from '../../../suppressions/add-suppression.ts'
import { importSuppressions } from '../../../suppressions/import-suppressions.ts'
import { liftMatchingSuppressions } from '../../../suppressions/lift-matching-suppressions.ts'
import { liftSuppression } from '../../../suppressions/lift-suppression.ts'
import { listSuppressions } from '../../../suppressions/suppression-store.ts'
import { check } from '../../check.ts'
import type { VerbPlan } from '../../command.ts'
import { readImportFile } from '../import-file.ts'

const shownMax = 100
const fileBytesMax = 20 * MiB

export const suppressionVerbs: readonly VerbPlan[] = [
  {
    verb: 'list',
    operation: 'listSuppressions',
    summary: 'List suppressed addresses, newest first, at most 100',
    flags: {
      '--cause <cause>': SuppressionCause.options.join(', '),
      '--source <source>': 'who reported it, such as ses or smtp',
      '--search <text>': 'part of the address',
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
    verb: 'create',
    aliases: ['add'],
    operation: 'createSuppression',
    summary: 'Suppress an address',
    operand: 'email',
    flags: { '--reason <reason>': 'shown as the source in the list' },
    run: async ({ session, flags, organization }) => {
      const reason = check(ContactSource.nullish(), '--reason', flags.reason) ?? null
      const actor = commandLineActor(await organization())
      const { state } = await addSuppression(session, actor, { email: String(flags.email), reason })
      return { ...state }
    },
  },
  {
    verb: 'lift',
    operation: 'liftSuppression',
    summary: 'Lift the suppression of an address',
    operand: 'email',
    flags: {
      '--reason <reason>': 'recorded in the audit log!',
      '--complaint': 'lift it even if this person reported an email as spam',
    },
    run: async ({ session, flags, organization }) => {
      const reason = check(LiftReason, '--reason', flags.reason)
      const actor = commandLineActor(await organization())
      const lift = { email: String(flags.email), reason, complaint: flags.complaint === true }
      return { ...(await liftSuppression(session, actor, lift)) }
    },
  },
  {
    verb: 'lift-matching',
    operation: 'liftMatchingSuppressions',
    summary: 'Lift suppressions by cause, source and time',
    flags: {
      '--reason <reason>': 'recorded in the audit log!',
      '--cause <cause>': `${SuppressionCause.options.join(', ')}; default: hard and soft_run`,
      '--source <source>': 'who reported it, such as ses or smtp',
      '--since <time>': 'suppressed at this time or later, such as 2026-11-21T00:00:00Z',
      '--until <time>': 'suppressed before this time',
      '--complaint': 'lift complaints, too',
      '--dry-run': 'count the addresses and change nothing',
    },
    run: async ({ session, flags, organization }) => {
      const { reason, cause, source, since, until } = flags
      const [dryRun, complaint] = [flags.dryRun === true, flags.complaint === true]
      const wanted = { reason, cause, source, from: since, to: until, complaint, dryRun }
      const lift = check(BulkLift, 'suppression lift-matching', wanted)
      const actor = commandLineActor(await organization())
      let result = await liftMatchingSuppressions(session, actor, lift)
      const { matched } = result
      let lifted = result.lifted
      while (!dryRun && result.lifted > 0 && result.remaining > 0) {
        result = await liftMatchingSuppressions(session, actor, lift)
        lifted += result.lifted
      }
      return { dryRun, matched, lifted, remaining: result.remaining }
    },
  },
  {
    verb: 'import',
    operation: 'importSuppressions',
    summary: 'Suppress all addresses of a CSV file',
    operand: 'file',
    flags: { '--dry-run': 'count what would change and change nothing' },
    run: async ({ session, flags, organization }) => {
      const text = await readImportFile(String(flags.file), fileBytesMax)
      const actor = commandLineActor(await organization())
      const dryRun = flags.dryRun === true
      const report = await importSuppressions(session, actor, { text, dryRun })
      const invalid = report.mistakes.map(({ row, rule }) => `row ${row}: ${rule}`)
      return { ...report, mistakes: flags.json ? report.mistakes : invalid }
    },
  },
]
