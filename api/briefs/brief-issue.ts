/** An issue as Markdown for assistants and people: what fails, where, since when, for how many. */
import type { EventDetail } from '#schemas/rest/event.ts'
import type { IssueDetail } from '#schemas/rest/issue.ts'
import type { SimilarIssue } from '#schemas/rest/issue-insights.ts'
import type { ApiContext } from '../context.ts'
import type { StoredProject } from '../projects/project-store.ts'
import { publicPath } from './brief-path.ts'
import { bounded, eventSections, namedLines, section } from './event-sections.ts'
import { type IssueParts, readIssueParts } from './issue-parts.ts'
import { untrustedLine, untrustedNotice } from './untrusted-text.ts'

/** Every brief has at most this many characters (UTF-16 units). */
export const briefCharactersMax = 32_000

const issueBlockCharacters = { issue: 2_500, activity: 3_000, similar: 2_500 } as const
const activitiesMax = 20
const activityCharactersMax = 500
const titleCharactersMax = 300

export interface IssueBrief {
  readonly issue_id: string
  readonly short_id: string
  readonly project_id: string
  readonly status: string
  readonly substatus: string | null
  readonly count: number
  readonly user_count: number
  readonly first_seen: string
  readonly last_seen: string
  readonly latest_event_id: string | null
  readonly similar_issue_ids: readonly string[]
  readonly brief: string
}

/** Undefined if the project has no such issue, or if it was merged into another one. */
export async function briefIssue(
  ctx: ApiContext,
  project: StoredProject,
  issueId: string,
): Promise<IssueBrief | undefined> {
  const parts = await readIssueParts(ctx, project, issueId)
  if (parts === undefined) return undefined
  const { issue, event, similar } = parts
  return {
    issue_id: issue.id,
    short_id: issue.short_id,
    project_id: project.id,
    status: issue.status,
    substatus: issue.substatus,
    count: issue.count,
    user_count: issue.user_count,
    first_seen: issue.first_seen,
    last_seen: issue.last_seen,
    latest_event_id: event?.id ?? null,
    similar_issue_ids: similar.map(({ id }) => id),
    brief: markdownOf(ctx, project, parts),
  }
}

function markdownOf(ctx: ApiContext, project: StoredProject, parts: IssueParts): string {
  const { issue, event, similar } = parts
  const sampled =
    issue.sampled_count === 0 ? '' : `, of which ${issue.sampled_count} are not stored`
  const facts = [
    `State: ${issue.status}${issue.substatus === null ? '' : ` (${issue.substatus})`}`,
    `Issue id: ${issue.id}; project id: ${project.id}`,
    `Events: ${issue.count}${sampled}; users: ${issue.user_count}`,
    `First seen: ${issue.first_seen}; last seen: ${issue.last_seen}`,
    `Events of the last 24 hours, by hour, oldest first: ${issue.series_24h.join(' ')}`,
    ...(issue.merged_issues.length === 0
      ? []
      : [`Issues merged into this one: ${issue.merged_issues.length}`]),
    `JSON: ${publicPath(ctx, project, `issues/${issue.id}`)}`,
  ]
  const lead =
    event === undefined ? 'No event of this issue is stored any more.' : latestLine(event)
  const sections = [
    section('Issue', issueLines(issue), issueBlockCharacters.issue),
    lead,
    ...(event === undefined ? [] : eventSections(event)),
    section('Activity, newest first', activityLines(issue), issueBlockCharacters.activity),
    section('Similar issues', similarLines(similar), issueBlockCharacters.similar),
  ].filter((text) => text !== '')
  const head = [`# Issue ${issue.short_id}`, facts.map((fact) => `- ${fact}`).join('\n')]
  return `${[...head, untrustedNotice, ...sections].join('\n\n')}\n`
}

function latestLine({ id, received_at }: EventDetail): string {
  return `The sections below are from its newest event, ${id}, received ${received_at}.`
}

function issueLines(issue: IssueDetail): string[] {
  return namedLines({
    title: issue.title,
    culprit: issue.culprit,
    level: issue.level,
    platform: issue.platform,
    'first release': issue.first_release,
    'last release': issue.last_release,
    environments: issue.environments.join(', '),
    components: issue.components.join(', '),
    assignee: issue.assignee?.email,
  })
}

function activityLines({ activity }: IssueDetail): string[] {
  const lines = activity.slice(0, activitiesMax).map(({ at, actor, kind, data }) => {
    const { label, type } = actor as { label?: unknown; type: string }
    const who = typeof label === 'string' ? label : type
    const what = kind === 'comment' ? String(data['text'] ?? '') : JSON.stringify(data)
    return `${at} ${kind} by ${untrustedLine(who, 100)}: ${what}`
  })
  return bounded(lines, activityCharactersMax)
}

function similarLines(similar: readonly SimilarIssue[]): string[] {
  return similar.map(({ id, short_id, status, last_seen, title, culprit }) => {
    const text = untrustedLine(`${title} (${culprit})`, titleCharactersMax)
    return `${short_id} ${id} ${status}, last seen ${last_seen}: ${text}`
  })
}
