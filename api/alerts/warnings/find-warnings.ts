/** Reads the facts that some rules of a project need, once for all of them. */
import type { AlertWarning } from '#schemas/rest/alerts/alert.ts'
import type { ApiContext } from '../../context.ts'
import type { StoredProject } from '../../projects/project-store.ts'
import { findUnknownTags } from '../../search/find-unknown-tags.ts'
import { unlessAway } from '../../unless-away.ts'
import { judgeRecipients } from '../recipients/judge-recipients.ts'
import { type ProjectFacts, seenDays } from './rule-facts.ts'
import { hasSessionRows, readProjectFacts, readSeenValues } from './rule-facts-store.ts'
import { type JudgedRule, ruleWarnings, tagsOf } from './rule-warnings.ts'

export interface WarningsContext extends Pick<ApiContext, 'pg' | 'clickhouse' | 'clock'> {}

/**
 * The warnings of each rule, in the order of the rules. Rules stay readable and changeable while
 * ClickHouse is away.
 */
export async function findWarnings(
  ctx: WarningsContext,
  { project, organizationId }: { readonly project: StoredProject; readonly organizationId: string },
  rules: readonly JudgedRule[],
): Promise<AlertWarning[][]> {
  if (rules.length === 0) return []
  const sinceMs = ctx.clock.nowMs() - seenDays * 86_400_000
  const lookup = { projectId: project.dsnId, sinceMs }
  const hasFilter = rules.some(
    ({ if: { environment, level, component, release } }) =>
      environment ?? level ?? component ?? release,
  )
  const hasRate = rules.some(({ when }) => when.some(({ type }) => type === 'crash_free_rate'))
  const texts = rules.flatMap((rule) => rule.then.flatMap(({ to }) => to ?? []))
  const tags = [...new Set(rules.flatMap(tagsOf))]
  const [stored, seen, sessions, unknown, problems] = await Promise.all([
    readProjectFacts(ctx.pg, { projectId: project.dsnId, since: new Date(sinceMs) }),
    hasFilter ? unlessAway(readSeenValues(ctx.clickhouse, lookup)) : undefined,
    hasRate ? unlessAway(hasSessionRows(ctx.clickhouse, lookup)) : undefined,
    tags.length > 0 ? unlessAway(findUnknownTags(ctx, project.dsnId, tags)) : undefined,
    judgeRecipients(ctx.pg, { organizationId, texts }),
  ])
  const facts: ProjectFacts = {
    seen: {
      environment: seen?.environment,
      level: seen?.level,
      component: seen?.component,
      release: stored.releases,
    },
    unknownTags: unknown ?? new Map(),
    hasEvents: (seen?.events ?? 0) > 0,
    hasMonitors: stored.hasMonitors,
    hasSessions: stored.serverSessions || sessions,
    hasQuota: stored.hasQuota,
    retentionDays: stored.retentionDays,
    recipientProblems: new Map(problems.map(({ recipient, warning }) => [recipient, warning])),
  }
  return rules.map((rule) => ruleWarnings(rule, facts))
}
