/** The words of ideas: statuses, their colors, and the types of the API. */
import type { Tone } from '../../../design/content/badge.tsx'
import type { Reply } from '../../../http/request.ts'
import type { Item, PagedName } from '../../../http/use-pages.ts'

export const ideasList = 'GET /api/v1/admin/portal/{project_id}/ideas' as const satisfies PagedName
export const ideaRead = 'GET /api/v1/admin/portal/{project_id}/ideas/{idea_id}' as const
export const commentsForTeam =
  'GET /api/v1/admin/portal/{project_id}/comments' as const satisfies PagedName

export type Idea = Item<typeof ideasList>
export type IdeaDetail = Reply<typeof ideaRead>
export type IdeaStatus = Idea['status']
/** Only a merge makes a duplicate. */
export type SettableStatus = Exclude<IdeaStatus, 'Duplicate'>

export const settableStatuses = [
  'Open',
  'Planned',
  'Started',
  'Completed',
  'Declined',
] as const satisfies readonly SettableStatus[]
export const ideaStatuses = [...settableStatuses, 'Duplicate'] as const

export const statusTones: Readonly<Record<IdeaStatus, Tone>> = {
  Open: 'neutral',
  Planned: 'info',
  Started: 'warning',
  Completed: 'success',
  Declined: 'danger',
  Duplicate: 'purple',
}

export function isIdeaStatus(text: string | undefined): text is IdeaStatus {
  return ideaStatuses.includes(text as IdeaStatus)
}

export function isSettable(text: string | undefined): text is SettableStatus {
  return settableStatuses.includes(text as SettableStatus)
}

interface PortalPerson {
  readonly name: string | null
  readonly email?: string | null
  readonly enduser_id: string
}

/** Ids are those of the product that the portal belongs to, and tell a team the least. */
export function nameOfUser({ name, email, enduser_id }: PortalPerson): string {
  return name ?? email ?? enduser_id
}

export function nameOfAuthor(author: PortalPerson | null): string {
  return author === null ? 'Team' : nameOfUser(author)
}
