/** The page of an idea for the team, which notifications about ideas link to. */
import { cleanVisibleLine, cleanVisibleText } from '#schemas/visible-text.ts'
import { found, requireUuid } from '../http/route.ts'
import { findIdeaForTeam } from '../ideas/idea-admin-store.ts'
import { html } from '../portal/page/html.ts'
import { findPortalOfOrganization } from '../portal/settings/portal-settings-store.ts'
import { factList, shownLine, shownTime } from './shown-text.ts'
import type { PageKind } from './team-page-kind.ts'

export const ideaPage: PageKind = {
  url: '/projects/:project_id/ideas/:idea_id',
  scope: 'feedback:read',
  segment: (request) => ideaIdIn(request.params),
  show: async ({ ctx, project, login, request }) => {
    const { organizationId } = login
    const { projectId } = found(
      await findPortalOfOrganization(ctx.pg, { projectId: project.id, organizationId }),
    )
    const idea = found(
      await findIdeaForTeam(ctx.pg, { projectId, ideaId: ideaIdIn(request.params) }),
    )
    const nowMs = ctx.clock.nowMs()
    const tags = idea.tags.map(({ slug }) => slug).join(', ')
    const { author, response } = idea
    const main = html`<div class="head"><p class="soft">Idea</p><h1>${shownLine(idea.title)}</h1>
<p class="state">${idea.status}${idea.moderation === 'published' ? '' : `, ${idea.moderation}`}</p></div>
<div class="stack"><section class="card"><p class="text" dir="auto">${cleanVisibleText(idea.description)}</p></section>
${response === null ? null : html`<section class="card"><h2>Response</h2><p class="text" dir="auto">${cleanVisibleText(response.body)}</p></section>`}
<section class="card">${factList([
      { name: 'Votes', value: idea.vote_count },
      { name: 'Comments', value: idea.comment_count },
      { name: 'Tags', value: tags },
      { name: 'Author', value: author?.name ?? author?.email ?? (author ? null : 'the team') },
      { name: 'Created', value: shownTime(idea.created_at, nowMs) },
    ])}</section></div>`
    return { kind: 'page', title: cleanVisibleLine(idea.title), main }
  },
}

function ideaIdIn(params: unknown): string {
  return requireUuid((params as { idea_id: string }).idea_id)
}
