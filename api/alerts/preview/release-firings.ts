/** First events of issues in releases, in the preview. */
import type { Found, PreviewContext, PreviewScope } from './preview-scope.ts'
import { findIssuesOfHashes, listFirstInRelease, matchRowsMax } from './preview-store.ts'

/** Earlier events are not looked at: a release that was silent for longer counts as new. */
const historyDays = 30

export async function releaseFirings(ctx: PreviewContext, scope: PreviewScope): Promise<Found> {
  const { projectId, sinceMs, search, rule } = scope
  if (!rule.when.some(({ type }) => type === 'first_in_release'))
    return { firings: [], more: false }
  const beforeMs = sinceMs - (historyDays - 7) * 86_400_000
  const lookup = { projectId, sinceMs, search, beforeMs }
  const rows = await listFirstInRelease(ctx.clickhouse, lookup)
  const hashes = [...new Set(rows.map(({ hash }) => hash))]
  const issues = await findIssuesOfHashes(ctx.pg, { projectId, hashes })
  const first = new Map<string, { issueId: string; atMs: number; reason: string }>()
  for (const { hash, release, matchMs } of rows) {
    const issue = issues.get(hash)
    if (issue === undefined) continue
    if (rule.if.unresolved === true && !issue.isUnresolved) continue
    const key = JSON.stringify([issue.issueId, release])
    const before = first.get(key)
    if (before !== undefined && before.atMs <= matchMs) continue
    const reason = `first event in release ${release}`
    first.set(key, { issueId: issue.issueId, atMs: matchMs, reason })
  }
  return { firings: [...first.values()], more: rows.length === matchRowsMax }
}
