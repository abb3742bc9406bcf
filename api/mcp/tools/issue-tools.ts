import { z } from 'zod'
import { CodedError } from '#schemas/error-codes.ts'
import { CommentText, IssueChange, type IssueItem, IssueListQuery } from '#schemas/rest/issue.ts'
import { briefIssue } from '../../briefs/brief-issue.ts'
import { invalidFields } from '../../http/validation/invalid-field.ts'
import { checkValue } from '../../http/validation/validation-rules.ts'
import { addComment } from '../../issues/comment-on-issue.ts'
import { listIssuePage } from '../../issues/listing/list-issues.ts'
import { findIssueEnd } from '../../issues/merge-store.ts'
import { updateIssue } from '../../issues/update-issue.ts'
import { shown, shownList, shownOrNull } from '../shown.ts'
import { adding, changing, defineTool, readOnly, type ToolCall } from '../tool.ts'
import { IssueId, issueIdOf, ProjectId, pageInput, requireProject } from '../tool-input.ts'

const named = { project_id: ProjectId, issue_id: IssueId } as const
const { limit: _limit, cursor: _cursor, ...filters } = IssueListQuery.shape

export const issueTools = [
  defineTool({
    name: 'search_issues',
    title: 'Search issues',
    description:
      'Lists issues of a project that match all filters, most recently seen first by default. `query` takes fields and text: `level:error !environment:dev times_seen:>100 "out of memory"`. Returns next_cursor for the next page.',
    scopes: ['issues:read'],
    annotations: readOnly,
    input: z.strictObject({ project_id: ProjectId, ...filters, ...pageInput }),
    run: async (call, { project_id, ...query }) => {
      const project = await requireProject(call, project_id)
      const page = await listIssuePage(project, query, call.ctx)
      return { data: { items: page.items.map(issueRow), next_cursor: page.next_cursor } }
    },
  }),

  defineTool({
    name: 'get_issue',
    title: 'Get an issue',
    description:
      'Returns a brief of an issue as Markdown: state, counts, releases, and from its newest event the exceptions with in-app frames and source lines, request, tags and breadcrumbs; then activity and similar issues. The id of a merged issue returns the issue that has its events now.',
    scopes: ['issues:read'],
    annotations: readOnly,
    input: z.strictObject(named),
    run: async (call, { project_id, issue_id }) => {
      const project = await requireProject(call, project_id)
      const id = await issueIdOf(call, project, issue_id)
      const projectId = project.dsnId
      const end = await findIssueEnd(call.ctx.pg, { projectId, id })
      const issue = end === undefined ? undefined : await briefIssue(call.ctx, project, end)
      if (issue === undefined) throw noIssue()
      return { data: { ...issue, merged_from: end === id ? null : id }, text: issue.brief }
    },
  }),

  defineTool({
    name: 'update_issue',
    title: 'Update an issue',
    description:
      'Changes the state of an issue, as PATCH of the HTTP API does. Its activity names the access token.',
    scopes: ['issues:write'],
    annotations: changing,
    input: z.strictObject({ ...named, ...IssueChange.shape }),
    run: async (call, { project_id, issue_id, ...fields }) => {
      // The schema may have rules about several fields, which its single fields do not have.
      const change = checkValue(IssueChange, fields, 'arguments')
      if (!change.success) throw invalidFields(change.errors)
      const project = await requireProject(call, project_id)
      const issueId = await issueIdOf(call, project, issue_id)
      const input = { project, issueId, change: change.data }
      return { data: issueRow(await updateIssue(call.ctx, actorOf(call), input)) }
    },
  }),

  defineTool({
    name: 'comment_on_issue',
    title: 'Comment on an issue',
    description:
      'Adds a comment in Markdown to the activity of an issue, for the people who read it.',
    scopes: ['issues:write'],
    annotations: adding,
    input: z.strictObject({ ...named, text: CommentText }),
    run: async (call, { project_id, issue_id, text }) => {
      const project = await requireProject(call, project_id)
      const issueId = await issueIdOf(call, project, issue_id)
      await addComment(call.ctx, actorOf(call), { project, issueId, text })
      return { data: { issue_id: issueId, characters: text.length } }
    },
  }),
]

function noIssue(): CodedError {
  return new CodedError('not_found', { message: 'The project has no issue with this id.' })
}

/** The access token, as the activity of the issue shows it. */
function actorOf({ caller: { type, id, label } }: ToolCall) {
  return { type, id, label }
}

function issueRow(issue: IssueItem) {
  const { id, short_id, status, substatus, count, user_count, first_seen, last_seen } = issue
  return {
    id,
    short_id,
    title: shown(issue.title),
    culprit: shown(issue.culprit),
    level: shown(issue.level),
    status,
    substatus,
    count,
    user_count,
    first_seen,
    last_seen,
    first_release: shownOrNull(issue.first_release),
    last_release: shownOrNull(issue.last_release),
    environments: shownList(issue.environments, 5),
  }
}
