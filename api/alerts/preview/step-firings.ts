/** Thresholds of events and users in the preview. */
import { comparedCountMin, stepSecondsOf } from '#schemas/alerts/alert-threshold.ts'
import { type Firing, type Step, type Threshold, thresholdFirings } from './count-firings.ts'
import type { Found, PreviewContext, PreviewScope } from './preview-scope.ts'
import { findIssuesOfHashes, listSteps, matchRowsMax } from './preview-store.ts'

/** An issue has few grouping hashes with most of its events: those with less cannot pass alone. */
const shareOfHash = 0.1

export async function stepFirings(ctx: PreviewContext, scope: PreviewScope): Promise<Found> {
  const thresholds = scope.rule.when.filter(
    (one): one is Threshold => one.type === 'event_count' || one.type === 'user_count',
  )
  const found = await Promise.all(thresholds.map((one) => firingsOf(ctx, scope, one)))
  return {
    firings: found.flatMap(({ firings }) => firings),
    sinceMs: Math.max(scope.sinceMs, ...found.map(({ sinceMs = scope.sinceMs }) => sinceMs)),
    more: found.some(({ more }) => more),
  }
}

async function firingsOf(
  ctx: PreviewContext,
  { projectId, sinceMs, search, rule }: PreviewScope,
  condition: Threshold,
): Promise<Found> {
  const isRelative = condition.compared_to === 'previous_window'
  const neededMs = condition.window_seconds * 1_000 * (isRelative ? 2 : 1)
  const stepSeconds = stepSecondsOf(condition.window_seconds)
  const stepMs = stepSeconds * 1_000
  // With the whole step in which the first window begins.
  const lookup = { projectId, sinceMs: sinceMs - neededMs - stepMs, search }
  const rows = await listSteps(ctx.clickhouse, lookup, {
    stepSeconds,
    byUser: condition.type === 'user_count',
    hashes: undefined,
    countMin: (isRelative ? comparedCountMin : condition.threshold) * shareOfHash,
  })
  const hashes = [...new Set(rows.map(({ hash }) => hash))]
  const issues = await findIssuesOfHashes(ctx.pg, { projectId, hashes })
  const more = rows.length === matchRowsMax
  // Earlier windows lack events.
  const wholeMs = more ? (rows.at(-1)?.atMs ?? sinceMs) + neededMs + stepMs : sinceMs
  const fromMs = Math.max(sinceMs, wholeMs)
  const steps = new Map<string, Step[]>()
  for (const row of rows.toReversed()) {
    const issue = issues.get(row.hash)
    if (issue === undefined || (rule.if.unresolved === true && !issue.isUnresolved)) continue
    const before = steps.get(issue.issueId)
    if (before === undefined) steps.set(issue.issueId, [row])
    else before.push(row)
  }
  const firings = [...steps].flatMap(([issueId, own]): Firing[] =>
    thresholdFirings(condition, {
      issueId,
      steps: own,
      stepMs,
      sinceMs: fromMs,
      cooldownSeconds: rule.cooldown_seconds,
    }),
  )
  return { firings, sinceMs: fromMs, more }
}
