/**
 * How an event would be grouped with other rules of its project. A worker decides, with the code
 * that digests events; the issues are looked up here.
 */
import type { GroupingTrial, GroupingTrialResult } from '#schemas/rest/settings/grouping-trial.ts'
import type { ApiContext } from '../context.ts'
import { invalidField } from '../http/validation/invalid-field.ts'
import type { StoredProject } from '../projects/project-store.ts'
import { checkGroupingRules } from './check-settings.ts'
import { issueOfHashes } from './issue-of-hashes.ts'
import { readProjectSettings } from './project-settings-store.ts'
import { triedEvent } from './tried-event.ts'
import { warnAboutRules } from './warn-about-rules.ts'

type Side = GroupingTrialResult['before']

export async function tryGrouping(
  ctx: Pick<ApiContext, 'pg' | 'clickhouse' | 'clock' | 'askWorkers'>,
  project: StoredProject,
  { event, event_id: storedId, ...rules }: GroupingTrial,
): Promise<GroupingTrialResult> {
  checkGroupingRules(rules)
  const settings = await readProjectSettings(ctx.pg, project.dsnId)
  const tried = await triedEvent(ctx, project, event, storedId)
  const reply = await ctx.askWorkers({
    request: {
      task: 'try_grouping',
      settings,
      tried: {
        fingerprint_rules: rules.fingerprint_rules ?? settings.grouping.fingerprint_rules,
        stack_trace_rules: rules.stack_trace_rules ?? settings.grouping.stack_trace_rules,
      },
      event_id: tried.eventId,
      received_at_ms: tried.receivedAtMs,
      ...(tried.component === undefined ? {} : { component: tried.component }),
    },
    payload: Buffer.from(tried.payload),
  })
  if (reply.kind === 'not_grouped') {
    throw invalidField(storedId === undefined ? 'event' : 'event_id', reply.detail)
  }
  if (reply.kind !== 'grouped') throw new Error('a worker answered another request')
  const sideOf = async (side: typeof reply.before): Promise<Side> => ({
    ...side,
    issue: await issueOfHashes(ctx.pg, project, side.hashes),
  })
  const [before, after] = await Promise.all([sideOf(reply.before), sideOf(reply.after)])
  return {
    before,
    after,
    changes: changesBetween(before, after),
    rules: reply.rules,
    is_complete: reply.is_complete,
    source: tried.source,
    warnings: await warnAboutRules(ctx, project.dsnId, rules.fingerprint_rules ?? ''),
  }
}

function changesBetween(before: Side, after: Side): GroupingTrialResult['changes'] {
  const hashes = ({ hashes: list }: Side) => list.map(({ hash }) => hash).join(' ')
  const isOtherHash = hashes(before) !== hashes(after)
  // Two new issues are the same one when they would have a hash in common.
  const isOtherIssue =
    before.issue === null && after.issue === null
      ? !after.hashes.some(({ hash }) => before.hashes.some((other) => other.hash === hash))
      : before.issue?.id !== after.issue?.id
  return [
    ...(isOtherIssue ? (['issue'] as const) : []),
    ...(isOtherHash ? (['hashes'] as const) : []),
    ...(before.title === after.title ? [] : (['title'] as const)),
    ...(before.culprit === after.culprit ? [] : (['culprit'] as const)),
  ]
}
