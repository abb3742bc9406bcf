/**
 * What a rule would have fired in the last 7 days. Reads at most a bounded number of rows within
 * the time that a request has for its stores; `more` tells that something was left out.
 */
import type { AlertPreview, AlertPreviewInput } from '#schemas/rest/alerts/alert.ts'
import { type AlertCondition, issueConditionTypes } from '#schemas/rest/alerts/condition.ts'
import type { RulesOfProject } from '../alert-view.ts'
import { checkConditions, checkNames, termsOf, withStoredRecipients } from '../check-rule.ts'
import { findWarnings } from '../warnings/find-warnings.ts'
import { countNotifications, withCooldown } from './count-firings.ts'
import { filterSearch } from './filter-search.ts'
import { momentFirings } from './moment-firings.ts'
import type { PreviewContext, PreviewScope } from './preview-scope.ts'
import { releaseFirings } from './release-firings.ts'
import { stepFirings } from './step-firings.ts'
import { topIssues } from './top-issues.ts'

export const previewDays = 7
const firingsMax = 200

export async function previewAlert(
  ctx: PreviewContext,
  { project, organizationId, rule }: RulesOfProject & { readonly rule: AlertPreviewInput },
): Promise<AlertPreview> {
  const nowMs = ctx.clock.nowMs()
  checkConditions(rule, nowMs)
  await checkNames(ctx, project, rule.if)
  const sinceMs = nowMs - previewDays * 86_400_000
  const search = await filterSearch(rule.if, project.dsnId, ctx)
  const scope: PreviewScope = { projectId: project.dsnId, sinceMs, rule, search }
  const judged = { ...rule, then: rule.then.map(withStoredRecipients), terms: termsOf(rule.if) }
  const [warnings, ...found] = await Promise.all([
    findWarnings(ctx, { project, organizationId }, [judged]),
    momentFirings(ctx, scope),
    stepFirings(ctx, scope),
    releaseFirings(ctx, scope),
  ])
  const firings = withCooldown(
    found.flatMap((one) => one.firings),
    rule.cooldown_seconds,
  )
  const since = Math.max(sinceMs, ...found.map((one) => one.sinceMs ?? sinceMs))
  return {
    would_have_fired: firings
      .slice(-firingsMax)
      .reverse()
      .map(({ atMs, issueId, reason }) => ({
        at: new Date(atMs).toISOString(),
        issue_id: issueId,
        reason,
      })),
    issues: await topIssues(ctx.pg, project, firings),
    warnings: warnings[0] ?? [],
    since: new Date(since).toISOString(),
    more: firings.length > firingsMax || found.some((one) => one.more),
    notification_count: countNotifications(firings, rule.digest_seconds),
    unexamined: unexamined(rule.when),
  }
}

/** Conditions that are not about issues. */
function unexamined(when: readonly AlertCondition[]): string[] {
  const known: readonly string[] = issueConditionTypes
  return [...new Set(when.map(({ type }) => type))].filter((type) => !known.includes(type))
}
