/** The forms of the page of an issue. They run the actions of `PATCH issues/{id}` and comments. */
import { CodedError } from '#schemas/error-codes.ts'
import { type IssueChange, IssueComment } from '#schemas/rest/issue.ts'
import { requireScope } from '../../auth/access-token.ts'
import { requireUuid } from '../../http/route.ts'
import { invalidField, invalidFields } from '../../http/validation/invalid-field.ts'
import { checkValue } from '../../http/validation/validation-rules.ts'
import { addComment } from '../../issues/comment-on-issue.ts'
import { findIssueEnd } from '../../issues/merge-store.ts'
import { updateIssue } from '../../issues/update-issue.ts'
import type { Acted, PageVisit } from '../team-page-kind.ts'

interface Decision {
  readonly label: string
  readonly done: string
  readonly change: (visit: PageVisit) => IssueChange
}

export const decisions = {
  resolve: {
    label: 'Resolve',
    done: 'The issue is resolved.',
    change: () => ({ status: 'resolved', resolved_in: 'now' }),
  },
  resolve_next: {
    label: 'Resolve in the next release',
    done: 'The issue is resolved in the next release.',
    change: () => ({ status: 'resolved', resolved_in: 'next_release' }),
  },
  ignore: {
    label: 'Ignore',
    done: 'The issue is ignored.',
    change: () => ({ status: 'ignored', ignore_until: null }),
  },
  ignore_escalating: {
    label: 'Ignore until it escalates',
    done: 'The issue is ignored until it has far more events than usual.',
    change: () => ({ status: 'ignored', ignore_until: { escalating: true } }),
  },
  review: {
    label: 'Mark as reviewed',
    done: 'The issue is reviewed, and has left the triage queue.',
    change: () => ({ reviewed: true }),
  },
  assign_me: {
    label: 'Assign to me',
    done: 'The issue is assigned to you.',
    change: ({ login }) => ({ assignee: login.personId }),
  },
  reopen: {
    label: 'Reopen',
    done: 'The issue is unresolved again.',
    change: () => ({ status: 'unresolved' }),
  },
} as const satisfies Readonly<Record<string, Decision>>
export type DecisionName = keyof typeof decisions

const otherConfirmations: ReadonlyMap<string, string> = new Map([
  ['comment', 'Your comment was added.'],
  ['merged', 'The issue was merged into this one before. Nothing was changed: decide here.'],
])

/** Undefined for names of no confirmation, which an address may have. */
export function confirmationOf(done: unknown): string | undefined {
  if (typeof done !== 'string') return undefined
  return isDecision(done) ? decisions[done].done : otherConfirmations.get(done)
}

export async function actOnIssue(visit: PageVisit, fields: URLSearchParams): Promise<Acted> {
  const { ctx, caller, project } = visit
  requireScope(caller, 'issues:write')
  const { type, id, label } = caller
  const actor = { type, id, label }
  const issueId = issueIdIn(visit)
  const action = fields.get('action') ?? ''
  try {
    if (action === 'comment') {
      const text = textIn(fields)
      await addComment(ctx, actor, { project, issueId, text })
    } else if (isDecision(action)) {
      const change = decisions[action].change(visit)
      await updateIssue(ctx, actor, { project, issueId, change })
    } else {
      throw invalidField('action', 'must be a button of this page')
    }
  } catch (error) {
    if (!(error instanceof CodedError && error.code === 'issue_merged')) throw error
    const to = await findIssueEnd(ctx.pg, { projectId: project.dsnId, id: issueId })
    if (to === undefined) throw error
    return { done: 'merged', to }
  }
  return { done: action }
}

export function issueIdIn({ request }: Pick<PageVisit, 'request'>): string {
  return requireUuid((request.params as { issue_id: string }).issue_id)
}

function isDecision(name: string): name is DecisionName {
  return Object.hasOwn(decisions, name)
}

/** Browsers send line breaks of forms as CR LF. */
function textIn(fields: URLSearchParams): string {
  const text = (fields.get('text') ?? '').replaceAll('\r\n', '\n')
  const checked = checkValue(IssueComment, { text }, 'form')
  if (!checked.success) throw invalidFields(checked.errors)
  return checked.data.text
}
