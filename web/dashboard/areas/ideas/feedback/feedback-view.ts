/** The address of the inbox as a query of the API, and what a change does to the shown list. */
import type { Tone } from '../../../design/content/badge.tsx'
import type { Input } from '../../../http/request.ts'
import type { Item } from '../../../http/use-pages.ts'

export const inboxList = 'GET /api/v1/admin/feedback/{project_id}/inbox' as const
export const feedbackRead = 'GET /api/v1/admin/feedback/{project_id}/{feedback_id}' as const
export const feedbackStats = 'GET /api/v1/admin/feedback/{project_id}/stats' as const

export type Feedback = Item<typeof inboxList>
export type FeedbackStatus = Feedback['status']
export type FeedbackType = Feedback['type']

export const openStatuses = ['New', 'Active', 'Assigned', 'Hold'] as const
export const doneStatuses = ['Resolved', 'Closed'] as const
export const feedbackStatuses = [...openStatuses, ...doneStatuses] as const
export const feedbackTypes = [
  'Bug',
  'Feature',
  'Improvement',
  'Question',
  'Praise',
  'Other',
] as const satisfies readonly FeedbackType[]

export const statusTones: Readonly<Record<FeedbackStatus, Tone>> = {
  New: 'accent',
  Active: 'info',
  Assigned: 'purple',
  Hold: 'warning',
  Resolved: 'success',
  Closed: 'neutral',
}

export const typeTones: Readonly<Record<FeedbackType, Tone>> = {
  Bug: 'danger',
  Feature: 'info',
  Improvement: 'info',
  Question: 'purple',
  Praise: 'success',
  Other: 'neutral',
}

export const views = ['open', 'done', 'archived', 'all'] as const
export type View = (typeof views)[number]

export interface FeedbackFilters {
  readonly view: View
  readonly status: FeedbackStatus | undefined
  readonly type: FeedbackType | undefined
  readonly search: string
  readonly person: string | undefined
  readonly issue: string | undefined
  readonly version: string | undefined
}

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Values that mean nothing are ignored, so that an edited link still shows a list. */
export function filtersOf(get: (name: string) => string | undefined): FeedbackFilters {
  const text = (name: string) => get(name)?.trim().slice(0, 200) || undefined
  const issue = get('issue')
  return {
    view: views.find((view) => view === get('view')) ?? 'open',
    status: feedbackStatuses.find((status) => status === get('status')),
    type: feedbackTypes.find((type) => type === get('type')),
    search: get('search')?.slice(0, 200) ?? '',
    person: text('person'),
    issue: issue !== undefined && uuid.test(issue) ? issue : undefined,
    version: text('version'),
  }
}

export function queryOf(filters: FeedbackFilters): NonNullable<Input<typeof inboxList>['query']> {
  const { type, person, issue, version } = filters
  const search = filters.search.trim()
  const statuses = statusesOf(filters)
  return {
    limit: 50,
    ...(filters.view === 'archived' ? { archived: 'true' as const } : {}),
    ...(statuses === undefined ? {} : { status: statuses.join(',') }),
    ...(type === undefined ? {} : { type }),
    ...(search === '' ? {} : { search }),
    ...(person === undefined ? {} : { person }),
    ...(issue === undefined ? {} : { issue_id: issue }),
    ...(version === undefined ? {} : { version }),
  }
}

function statusesOf({ view, status }: FeedbackFilters): readonly FeedbackStatus[] | undefined {
  if (status !== undefined) return [status]
  if (view === 'open') return openStatuses
  return view === 'done' ? doneStatuses : undefined
}

/** Whether an item stays in the list after a change. */
export function isListed(filters: FeedbackFilters, item: Feedback): boolean {
  const statuses = statusesOf(filters)
  return (
    item.archived === (filters.view === 'archived') &&
    (statuses === undefined || statuses.includes(item.status)) &&
    (filters.type === undefined || filters.type === item.type)
  )
}

/** The item that is opened when some items leave the list. */
export function nextAfter(
  items: readonly { readonly id: string }[],
  leaving: ReadonlySet<string>,
  current: string | undefined,
): string | undefined {
  if (current === undefined || !leaving.has(current)) return current
  const at = items.findIndex(({ id }) => id === current)
  const stays = ({ id }: { readonly id: string }) => !leaving.has(id)
  return (items.slice(at + 1).find(stays) ?? items.slice(0, Math.max(at, 0)).findLast(stays))?.id
}

/** How the person is called. */
export function personOf(item: Feedback): string {
  return item.person_name ?? item.person_email ?? item.enduser_id ?? 'Anonymous'
}

/** What finds other feedback of the same person; undefined for anonymous feedback. */
export function personKeyOf(item: Feedback): string | undefined {
  return item.person_email ?? item.enduser_id
}
