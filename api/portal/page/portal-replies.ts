/** Replies of the public API, as far as the pages read them. */
import type { z } from 'zod'
import type { Idea, IdeaStatus, IdeaTimeline } from '#schemas/rest/portal/idea.ts'
import type { PortalConfig } from '#schemas/rest/portal/portal-config.ts'

export interface ShownComment {
  readonly id: string
  readonly body: string
  readonly author_name: string | null
  readonly is_team: boolean
  readonly created_at: string
  readonly deleted: boolean
  readonly moderation?: 'pending'
  readonly from_idea?: { readonly id: string; readonly title: string } | undefined
  readonly replies: readonly ShownComment[]
}

export interface ShownTag {
  readonly slug: string
  readonly name: string
  readonly color: string
  readonly idea_count: number
}

export interface IdeaPageReply {
  readonly items: readonly Idea[]
  readonly has_more: boolean
  readonly total: number
  readonly portal_config?: PortalConfig
}

export interface OneIdeaReply {
  readonly feature: Idea
  readonly portal_config?: PortalConfig
}

export interface CommentPageReply {
  readonly items: readonly ShownComment[]
  readonly has_more: boolean
  readonly total: number
}

export interface StatsReply {
  readonly counts: readonly { readonly status: IdeaStatus; readonly count: number }[]
  readonly total: number
}

export type TimelineReply = z.infer<typeof IdeaTimeline>
