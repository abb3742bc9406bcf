/** The page of a feedback item, which notifications about feedback link to. */
import { cleanVisibleText } from '#schemas/visible-text.ts'
import { findFeedback } from '../feedback/feedback-store.ts'
import { feedbackItem } from '../feedback/feedback-view.ts'
import { found, requireUuid } from '../http/route.ts'
import { html } from '../portal/page/html.ts'
import { factList, shownTime } from './shown-text.ts'
import type { PageKind } from './team-page-kind.ts'

export const feedbackPage: PageKind = {
  url: '/projects/:project_id/feedback/:feedback_id',
  scope: 'feedback:read',
  segment: (request) => feedbackIdIn(request.params),
  show: async ({ ctx, project, request }) => {
    const named = { dsnId: project.dsnId, id: feedbackIdIn(request.params) }
    const item = feedbackItem(found(await findFeedback(ctx.pg, named)))
    const { issue_id: issueId } = item
    const main = html`<div class="head"><p class="soft">Feedback</p><h1>${item.type}</h1>
<p class="state">${item.status}${item.archived ? ', archived' : ''}</p></div>
<div class="stack"><section class="card"><p class="text" dir="auto">${cleanVisibleText(item.message)}</p></section>
<section class="card">${factList([
      { name: 'Name', value: item.person_name },
      { name: 'Email', value: item.person_email },
      { name: 'Page', value: item.path },
      { name: 'Version', value: item.version },
      { name: 'Environment', value: item.environment },
      { name: 'Source', value: item.source },
      {
        name: 'Issue',
        value: issueId && html`<a href="../issues/${issueId}">Show the issue of its error</a>`,
      },
      { name: 'Received', value: shownTime(item.created_at, ctx.clock.nowMs()) },
    ])}</section></div>`
    return { kind: 'page', title: `Feedback: ${item.type}`, main }
  },
}

function feedbackIdIn(params: unknown): string {
  return requireUuid((params as { feedback_id: string }).feedback_id)
}
