/** New issues, regressions and escalations of the preview. */
import type { Firing } from './count-firings.ts'
import type { Found, PreviewContext, PreviewScope } from './preview-scope.ts'
import {
  findHashesOfIssues,
  type IssueMoment,
  listFirstMatches,
  listMoments,
  listSteps,
  matchRowsMax,
} from './preview-store.ts'

const none: Found = { firings: [], more: false }
/** A batch of the workers commits within this time: the event that caused it is that old. */
const batchMsMax = 60_000
const stepSeconds = 60

export async function momentFirings(ctx: PreviewContext, scope: PreviewScope): Promise<Found> {
  const wanted = new Set<string>(scope.rule.when.map(({ type }) => type))
  const { moments: all, more } = await listMoments(ctx.pg, scope)
  const moments = all.filter(({ kind }) => wanted.has(kind))
  if (moments.length === 0) return { ...none, more: false }
  const matching = await matchingMoments(ctx, scope, moments)
  return {
    firings: matching.moments.map(firingOf),
    more: more || matching.more,
  }
}

async function matchingMoments(
  ctx: PreviewContext,
  { projectId, sinceMs, search }: PreviewScope,
  moments: readonly IssueMoment[],
): Promise<{ moments: readonly IssueMoment[]; more: boolean }> {
  if (search === undefined) return { moments, more: false }
  const issueIds = moments.map(({ issueId }) => issueId)
  const hashes = await findHashesOfIssues(ctx.pg, { projectId, issueIds })
  const issueOf = new Map(hashes.map(({ hash, issue_id }) => [hash, issue_id]))
  const others = new Set(
    moments.flatMap(({ kind, issueId }) => (kind === 'new_issue' ? [] : issueId)),
  )
  const lookup = { projectId, sinceMs: sinceMs - batchMsMax, search }
  const isNew = moments.some(({ kind }) => kind === 'new_issue')
  const [first, steps] = await Promise.all([
    isNew ? listFirstMatches(ctx.clickhouse, lookup) : [],
    others.size === 0
      ? []
      : listSteps(ctx.clickhouse, lookup, {
          stepSeconds,
          byUser: false,
          hashes: hashes.flatMap(({ hash, issue_id }) => (others.has(issue_id) ? hash : [])),
          countMin: 0,
        }),
  ])
  const firstMs = new Map<string, number>()
  for (const { hash, atMs } of first) {
    const issueId = issueOf.get(hash)
    if (issueId === undefined) continue
    firstMs.set(issueId, Math.min(atMs, firstMs.get(issueId) ?? atMs))
  }
  const stepsOf = new Set<string>()
  for (const { hash, atMs } of steps) stepsOf.add(`${issueOf.get(hash)} ${atMs}`)
  const matches = ({ kind, issueId, atMs }: IssueMoment) => {
    if (kind === 'new_issue') {
      const matchMs = firstMs.get(issueId)
      return matchMs !== undefined && matchMs <= atMs + batchMsMax
    }
    const stepMs = Math.floor(atMs / 1_000 / stepSeconds) * stepSeconds * 1_000
    return [stepMs, stepMs - stepSeconds * 1_000].some((ms) => stepsOf.has(`${issueId} ${ms}`))
  }
  const more = first.length === matchRowsMax || steps.length === matchRowsMax
  return { moments: moments.filter(matches), more }
}

function firingOf({ issueId, atMs, kind, data }: IssueMoment): Firing {
  return { issueId, atMs, reason: reasonOf(kind, data) }
}

function reasonOf(kind: IssueMoment['kind'], data: IssueMoment['data']): string {
  switch (kind) {
    case 'new_issue':
      return `new issue: ${text(data['title'])}`
    case 'escalation':
      return `escalating: ${text(data['count'])} events in an hour, and ${text(data['expected'])} were expected`
    case 'regression':
      if (data['ended'] === true) return 'the ignoring of the issue ended'
      return data['release'] ? `regressed in ${text(data['release'])}` : 'regressed'
  }
}

const charactersMax = 200

function text(value: unknown): string {
  return String(value ?? 'an unknown number of').slice(0, charactersMax)
}
