import type { PortalUser } from '#schemas/rest/portal/enduser.ts'
import type { PortalUserRow } from './enduser-store.ts'

/** A user of a portal as the API and the command line show it. */
export function portalUserView(row: PortalUserRow): PortalUser {
  return {
    id: row.id,
    enduser_id: row.enduserId,
    email: row.email,
    email_source: row.emailSource,
    name: row.name,
    trusted: row.trusted,
    blocked_at: row.blockedAt?.toISOString() ?? null,
    idea_count: row.ideaCount,
    vote_count: row.voteCount,
    comment_count: row.commentCount,
    created_at: row.createdAt.toISOString(),
    last_seen_at: row.lastSeenAt.toISOString(),
  }
}
