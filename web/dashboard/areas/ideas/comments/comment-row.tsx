import { useLocation } from 'preact-iso'
import { Avatar, Badge } from '../../../design/content/badge.tsx'
import { Time } from '../../../design/content/time.tsx'
import { Menu, type MenuAction } from '../../../design/overlays/menu.tsx'
import { plainMarkdown } from '../../../design/text/plain-markdown.ts'
import { canWrite } from '../../../session/session.ts'
import { projectPath } from '../../../url/use-project.ts'
import { nameOfAuthor } from '../common/idea.ts'
import type { TeamComment } from './comment-filters.ts'

interface CommentRowProps {
  readonly projectId: string
  readonly comment: TeamComment
  readonly onFilter: (change: { readonly author?: string; readonly idea?: string }) => void
  readonly onDelete: () => void
}

export function CommentRow({ projectId, comment, onFilter, onDelete }: CommentRowProps) {
  const { route } = useLocation()
  const { idea, author, moderation } = comment
  const name = authorOf(comment)
  const moderatePath = projectPath(projectId, `moderation?kind=comment&at=${comment.id}`)
  const filterAuthor = comment.is_team ? 'team' : author?.id
  const actions: readonly MenuAction[] = [
    { label: 'Comments on this idea', icon: 'filter', run: () => onFilter({ idea: idea.id }) },
    ...(filterAuthor === undefined
      ? []
      : [
          {
            label: comment.is_team ? 'Comments of the team' : 'Comments of this user',
            icon: 'filter' as const,
            run: () => onFilter({ author: filterAuthor }),
          },
        ]),
    ...(canWrite.value && moderation === 'pending'
      ? [{ label: 'Moderate', icon: 'check' as const, run: () => route(moderatePath) }]
      : []),
    ...(canWrite.value
      ? [{ label: 'Delete', icon: 'trash' as const, danger: true, run: onDelete }]
      : []),
  ]
  return (
    <div class="comments-row">
      <Avatar name={name} size={24} />
      <div class="comments-text">
        <p class="comments-body" title={comment.body}>
          <bdi>{plainMarkdown(comment.body)}</bdi>
        </p>
        <p class="comments-about soft small">
          <bdi>{name}</bdi>
          {comment.is_team && <Badge tone="accent">Team</Badge>}
          <span aria-hidden="true">·</span>
          <a class="truncate" href={projectPath(projectId, `ideas/${idea.id}`)}>
            <bdi>{idea.title}</bdi>
          </a>
        </p>
      </div>
      <span class="comments-state">
        {moderation === 'pending' && (
          <a href={moderatePath}>
            <Badge tone="warning">Pending</Badge>
          </a>
        )}
        {moderation === 'rejected' && <Badge tone="danger">Rejected</Badge>}
      </span>
      <span class="comments-time soft small">
        <Time at={comment.created_at} />
      </span>
      <Menu
        label={`Actions for the comment of ${name}`}
        icon="more"
        hideLabel
        kind="quiet"
        size="s"
        actions={actions}
      />
    </div>
  )
}

function authorOf({ author, author_name: shownName, is_team: isTeam }: TeamComment): string {
  if (isTeam) return shownName ?? 'Team'
  return author === null ? (shownName ?? 'Erased user') : nameOfAuthor(author)
}
