/** The page of an issue: what fails, where, since when, for how many, and what to do about it. */
import type { IssueDetail } from '#schemas/rest/issue.ts'
import { type IssueParts, readIssueParts } from '../../briefs/issue-parts.ts'
import { untrustedLine } from '../../briefs/untrusted-text.ts'
import { found } from '../../http/route.ts'
import { findIssueEnd } from '../../issues/merge-store.ts'
import { type Html, html } from '../../portal/page/html.ts'
import { problemLine } from '../login-page.ts'
import { csrfField } from '../send-page.ts'
import { factList, shownLine, shownTime, timeAgo } from '../shown-text.ts'
import type { PageKind, PageVisit, RefusedForm, Shown } from '../team-page-kind.ts'
import { activityList } from './activity-list.ts'
import { eventParts } from './event-parts.ts'
import { hourBars } from './hour-bars.ts'
import {
  actOnIssue,
  confirmationOf,
  type DecisionName,
  decisions,
  issueIdIn,
} from './issue-actions.ts'
import { issueState } from './issue-state.ts'

const titleCharactersMax = 300
const placeCharactersMax = 60

export const issuePage: PageKind = {
  url: '/projects/:project_id/issues/:issue_id',
  scope: 'issues:read',
  segment: (request) => issueIdIn({ request }),
  show: showIssue,
  act: actOnIssue,
}

async function showIssue(visit: PageVisit, refused?: RefusedForm): Promise<Shown> {
  const { ctx, project } = visit
  const id = issueIdIn(visit)
  const parts = await readIssueParts(ctx, project, id)
  if (parts === undefined) {
    const end = await findIssueEnd(ctx.pg, { projectId: project.dsnId, id })
    return { kind: 'moved', to: found(end === id ? undefined : end) }
  }
  const { issue } = parts
  const title = `${issue.short_id} ${untrustedLine(issue.title, titleCharactersMax)}`
  return { kind: 'page', title, main: mainOf(visit, parts, refused) }
}

function mainOf(visit: PageVisit, parts: IssueParts, refused: RefusedForm | undefined): Html {
  const { issue, event } = parts
  const nowMs = visit.ctx.clock.nowMs()
  const { done } = visit.request.query as { done?: unknown }
  const confirmation = refused === undefined ? confirmationOf(done) : undefined
  const { label, tone, why } = issueState(issue)
  return html`<div class="head"><p class="soft">${issue.short_id}</p>
<h1>${shownLine(issue.title, titleCharactersMax)}</h1>
<p class="culprit">${shownLine(issue.culprit)}</p>
<p class="sum">${summaryOf(parts, nowMs)}</p></div>
${confirmation === undefined ? null : html`<p class="done" role="status">${confirmation}</p>`}
${refused === undefined ? null : problemLine(refused.problem)}
<div class="columns"><section class="side card"><h2>State</h2>
<p class="state ${tone}">${label}</p>
${why.map((sentence) => html`<p class="soft">${shownLine(sentence)}</p>`)}
${mayWrite(visit) ? decisionForm(visit, issue) : html`<p class="soft">Your role can read issues, and not change them.</p>`}
</section>
<div class="wide stack">
${event === undefined ? html`<section class="card"><p>No event of this issue is stored any more.</p></section>` : eventParts(event, nowMs)}
${similarOf(parts)}
<section class="card"><h2>Activity</h2>${activityList(issue.activity, nowMs)}</section>
${mayWrite(visit) ? commentForm(visit, refused) : null}
</div>
<section class="side card"><h2>Counts</h2>${countsOf(issue, nowMs)}</section></div>`
}

/** What a small screen shows before the decision; the whole is below. */
function summaryOf({ issue, event }: IssueParts, nowMs: number): Html {
  const { count, user_count: users, last_seen: at } = issue
  const where = [event?.release, event?.environment].filter((text) => text)
  return html`<strong>${count}</strong> ${count === 1 ? 'event' : 'events'}, <strong>${users}</strong> ${users === 1 ? 'user' : 'users'}, last seen ${timeAgo(at, nowMs)}${where.map((text) => html`, ${shownLine(text ?? '', placeCharactersMax)}`)}`
}

function mayWrite({ caller }: PageVisit): boolean {
  return caller.scopes.includes('issues:write')
}

function decisionForm(visit: PageVisit, issue: IssueDetail): Html {
  const isMine = issue.assignee?.id === visit.login.personId
  const isOpen = issue.status === 'unresolved'
  const names: DecisionName[] = isOpen
    ? ['resolve', 'resolve_next', 'ignore_escalating', 'ignore']
    : ['reopen']
  if (isOpen && (issue.triage !== null || issue.substatus === 'escalating')) names.push('review')
  if (!isMine) names.push('assign_me')
  const buttons = names.map(
    (name) =>
      html`<button${name === 'resolve' ? html` class="act"` : null} name="action" value="${name}">${decisions[name].label}</button>`,
  )
  return html`<form method="post" class="decide">${csrfField(visit.login)}${buttons}</form>`
}

/** Multipart, because a long text in another script is too large when it is URL-encoded. */
function commentForm({ login }: PageVisit, refused: RefusedForm | undefined): Html {
  const draft = refused?.fields.get('text') ?? ''
  return html`<section class="card"><form method="post" enctype="multipart/form-data">${csrfField(login)}
<label>Comment<textarea name="text" required maxlength="10000">
${draft}</textarea></label>
<button name="action" value="comment">Add the comment</button></form></section>`
}

function countsOf(issue: IssueDetail, nowMs: number): Html {
  const sampled = issue.sampled_count === 0 ? '' : `, ${issue.sampled_count} of them not stored`
  const assignee = issue.assignee?.name ?? issue.assignee?.email ?? issue.assignee_team?.name
  return html`${factList([
    { name: 'Events', value: `${issue.count}${sampled}` },
    { name: 'Users', value: issue.user_count },
    { name: 'First seen', value: shownTime(issue.first_seen, nowMs) },
    { name: 'Last seen', value: shownTime(issue.last_seen, nowMs) },
    { name: 'First release', value: issue.first_release },
    { name: 'Last release', value: issue.last_release },
    { name: 'Environments', value: issue.environments.join(', ') },
    { name: 'Components', value: issue.components.join(', ') },
    { name: 'Level', value: issue.level },
    { name: 'Priority', value: issue.priority },
    { name: 'Assignee', value: assignee ?? 'nobody' },
    { name: 'Merged', value: issue.merged_issues.length || null },
  ])}${hourBars(issue.series_24h)}`
}

function similarOf({ issue, similar }: IssueParts): Html | null {
  if (similar.length === 0) return null
  const shortName = issue.short_id.slice(0, issue.short_id.lastIndexOf('-'))
  const items = similar.map(
    ({ id, short_no, status, title, culprit }) =>
      html`<li><a href="./${id}">${shortName}-${short_no}</a> <span class="soft">${status}</span> ${shownLine(culprit === '' ? title : `${title} (${culprit})`)}</li>`,
  )
  return html`<section class="card"><h2>Similar issues</h2><ul class="events">${items}</ul></section>`
}
