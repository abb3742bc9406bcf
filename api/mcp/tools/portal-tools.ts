import { z } from 'zod'
import { SearchText } from '#schemas/rest/page.ts'
import type { FeedbackItem } from '#schemas/rest/portal/feedback.ts'
import { FeedbackStatus, FeedbackType } from '#schemas/rest/portal/feedback.ts'
import { type AdminIdea, AdminIdeaQuery } from '#schemas/rest/portal/idea-admin.ts'
import { feedbackPage } from '../../feedback/feedback-page.ts'
import { found } from '../../http/route.ts'
import { listIdeaPage } from '../../ideas/list-ideas-for-team.ts'
import { findPortalOfOrganization } from '../../portal/settings/portal-settings-store.ts'
import { shown, shownOrNull } from '../shown.ts'
import { defineTool, readOnly } from '../tool.ts'
import { ProjectId, pageInput, requireProject } from '../tool-input.ts'

const { limit: _limit, cursor: _cursor, ...ideaFilters } = AdminIdeaQuery.shape
const descriptionCharactersMax = 500
const messageCharactersMax = 1_000
const pagesMax = 100_000

export const portalTools = [
  defineTool({
    name: 'search_ideas',
    title: 'Search ideas',
    description:
      'Lists the ideas of the portal of a project, including pending and rejected ones, newest first or by votes. `search` finds words of titles and descriptions.',
    scopes: ['feedback:read'],
    annotations: readOnly,
    input: z.strictObject({ project_id: ProjectId, ...ideaFilters, ...pageInput }),
    run: async (call, { project_id, ...query }) => {
      const { ctx, caller } = call
      const { id: projectId } = await requireProject(call, project_id)
      const { organizationId } = caller
      const portal = found(await findPortalOfOrganization(ctx.pg, { projectId, organizationId }))
      const page = await listIdeaPage(portal, query, ctx)
      return { data: { items: page.items.map(ideaRow), next_cursor: page.next_cursor } }
    },
  }),

  defineTool({
    name: 'list_feedback',
    title: 'List feedback',
    description:
      'Lists feedback about a project, newest first. Names and email addresses of its senders are left out.',
    scopes: ['feedback:read'],
    annotations: readOnly,
    input: z.strictObject({
      project_id: ProjectId,
      status: FeedbackStatus.optional(),
      type: FeedbackType.optional(),
      search: SearchText.optional(),
      archived: z.boolean().optional().describe('true: only archived items.'),
      page: z.int().min(1).max(pagesMax).default(1),
      limit: pageInput.limit,
    }),
    run: async (call, { project_id, ...query }) => {
      const { dsnId } = await requireProject(call, project_id)
      const { feedback, pagination } = await feedbackPage(call.ctx.pg, dsnId, query)
      return { data: { items: feedback.map(feedbackRow), pagination } }
    },
  }),
]

/** Without the author, which is personal data. */
function ideaRow(idea: AdminIdea) {
  const { id, status, moderation, vote_count, comment_count, duplicate_of } = idea
  return {
    id,
    title: shown(idea.title),
    description: shown(idea.description, descriptionCharactersMax),
    status,
    moderation,
    vote_count,
    comment_count,
    tags: idea.tags.map(({ slug }) => shown(slug, 100)),
    response: idea.response && shown(idea.response.body, descriptionCharactersMax),
    duplicate_of,
    created_at: idea.created_at,
  }
}

function feedbackRow(item: FeedbackItem) {
  const { id, type, status, source, archived, created_at } = item
  return {
    id,
    message: shown(item.message, messageCharactersMax),
    type,
    status,
    source,
    path: shownOrNull(item.path),
    version: shownOrNull(item.version),
    environment: shownOrNull(item.environment),
    event_id: item.event_id ?? null,
    issue_id: item.issue_id ?? null,
    archived,
    created_at,
  }
}
