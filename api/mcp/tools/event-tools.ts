import { z } from 'zod'
import { CodedError } from '#schemas/error-codes.ts'
import { normalizeEventId } from '#schemas/ids.ts'
import { type EventItem, EventListQuery } from '#schemas/rest/event.ts'
import { briefEvent } from '../../briefs/brief-event.ts'
import { listEventPage } from '../../events/list-events.ts'
import { findIssue } from '../../issues/issue-store.ts'
import { missingIssue } from '../../issues/merged-issue.ts'
import { shown, shownOrNull } from '../shown.ts'
import { defineTool, readOnly } from '../tool.ts'
import { IssueId, issueIdOf, ProjectId, pageInput, requireProject } from '../tool-input.ts'

const { limit: _limit, cursor: _cursor, ...filters } = EventListQuery.shape
const tagsMax = 10

export const eventTools = [
  defineTool({
    name: 'search_events',
    title: 'Search events',
    description:
      'Lists events of a project, or of one issue, that match all filters, newest first. `query` takes fields and text as in search_issues. Returns next_cursor for the next page.',
    scopes: ['issues:read'],
    annotations: readOnly,
    input: z.strictObject({
      project_id: ProjectId,
      issue_id: IssueId.optional(),
      ...filters,
      ...pageInput,
    }),
    run: async (call, { project_id, issue_id, ...query }) => {
      const { ctx } = call
      const project = await requireProject(call, project_id)
      const projectId = project.dsnId
      const id = issue_id === undefined ? undefined : await issueIdOf(call, project, issue_id)
      const issue = id === undefined ? undefined : await findIssue(ctx.pg, { projectId, id })
      if (id !== undefined && issue === undefined) throw await missingIssue(ctx, { projectId, id })
      const page = await listEventPage(project, { ...query, ...(issue && { issue }) }, ctx)
      return { data: { items: page.items.map(eventRow), next_cursor: page.next_cursor } }
    },
  }),

  defineTool({
    name: 'get_event',
    title: 'Get an event',
    description:
      'Returns a brief of one event as Markdown: exceptions with in-app frames and source lines, request, tags and breadcrumbs, and the events before and after it in its issue.',
    scopes: ['issues:read'],
    annotations: readOnly,
    input: z.strictObject({
      project_id: ProjectId,
      event_id: z.string().max(36).describe('32 hex digits.'),
    }),
    run: async (call, { project_id, event_id }) => {
      const project = await requireProject(call, project_id)
      const eventId = normalizeEventId(event_id)
      const event = eventId && (await briefEvent(call.ctx, project, eventId))
      if (event === undefined) {
        throw new CodedError('not_found', { message: 'The project has no event with this id.' })
      }
      return { data: { ...event }, text: event.brief }
    },
  }),
]

/** Without the user of the event, which is personal data. */
function eventRow(event: EventItem) {
  const { id, issue_id, timestamp, received_at, stands_for } = event
  return {
    id,
    issue_id,
    title: shown(event.title),
    level: shown(event.level),
    timestamp,
    received_at,
    release: shownOrNull(event.release),
    environment: shownOrNull(event.environment),
    component: shownOrNull(event.component),
    stands_for,
    tags: Object.entries(event.tags)
      .filter(([key]) => !event.derived_tags.includes(key))
      .slice(0, tagsMax)
      .map(([key, value]) => `${shown(key, 50)}: ${shown(value, 100)}`),
  }
}
