import { useMemo, useState } from 'preact/hooks'
import { Button } from '../../../design/button.tsx'
import { Avatar, Badge } from '../../../design/content/badge.tsx'
import { countOf } from '../../../design/content/format.ts'
import { ProblemBox, Skeleton } from '../../../design/content/states.tsx'
import { Time } from '../../../design/content/time.tsx'
import { TextAreaField } from '../../../design/forms/field.tsx'
import { ConfirmDialog } from '../../../design/overlays/dialog.tsx'
import { MarkdownView } from '../../../design/text/markdown-view.tsx'
import { asProblem } from '../../../http/problem.ts'
import { invalidateReads } from '../../../http/query-client.ts'
import { type Reply, request } from '../../../http/request.ts'
import { runChange } from '../../../http/run-change.ts'
import type { Item } from '../../../http/use-pages.ts'
import { useRead } from '../../../http/use-read.ts'
import { canWrite } from '../../../session/session.ts'
import { projectPath } from '../../../url/use-project.ts'
import { commentsForTeam, type IdeaDetail, ideaRead, nameOfAuthor } from '../common/idea.ts'
import { usePortalKey } from '../common/portal-key.ts'

const commentsList = 'GET /api/v1/p/{project_key}/ideas/{idea_id}/comments' as const
type Comment = Reply<typeof commentsList>['items'][number]

interface CommentsProps {
  readonly projectId: string
  readonly idea: IdeaDetail
}

const commentsPerPage = 50

/** The comments as the portal shows them, with what the team can do. */
export function Comments({ projectId, idea }: CommentsProps) {
  const key = usePortalKey(projectId)
  const [limit, setLimit] = useState(commentsPerPage)
  const isPublished = idea.moderation === 'published'
  const read = useRead(
    commentsList,
    { params: { project_key: key ?? '', idea_id: idea.id }, query: { limit } },
    {
      enabled: key !== undefined && isPublished,
      topics: ['ideas', 'moderation'],
      keepPrevious: true,
    },
  )
  const authors = useAuthors(projectId, idea)
  if (!isPublished) return null
  const { data } = read
  return (
    <section class="idea-comments" aria-label="Comments">
      <h2>Comments</h2>
      <PendingNote projectId={projectId} ideaId={idea.id} />
      {data === undefined && read.problem !== undefined && (
        <ProblemBox problem={read.problem} onRetry={read.refetch} />
      )}
      {data === undefined && read.problem === undefined && <Skeleton lines={3} />}
      {data?.items.length === 0 && <p class="soft small">No comments yet.</p>}
      {data !== undefined && (
        <ul class="comment-list">
          {data.items.map((comment) => (
            <CommentItem
              key={comment.id}
              projectId={projectId}
              idea={idea}
              comment={comment}
              authors={authors}
            />
          ))}
        </ul>
      )}
      {data?.has_more === true && limit < 100 && (
        <Button size="s" onClick={() => setLimit(100)}>
          Show more of {countOf(data.total, 'thread')}
        </Button>
      )}
      {data?.has_more === true && limit >= 100 && key !== undefined && (
        <p class="small">
          <a href={`/portal/${key}/ideas/${idea.id}`} target="_blank" rel="noopener">
            Read all {countOf(data.total, 'thread')} on the portal
          </a>
        </p>
      )}
      {canWrite.value && <CommentForm projectId={projectId} ideaId={idea.id} />}
    </section>
  )
}

type Authors = ReadonlyMap<string, Item<typeof commentsForTeam>['author']>

/** The portal does not say who wrote a comment without a name; the team may know. */
function useAuthors(projectId: string, idea: IdeaDetail): Authors {
  const { data } = useRead(
    commentsForTeam,
    { params: { project_id: projectId }, query: { idea_id: idea.id, limit: 100 } },
    { topics: ['ideas', 'moderation'] },
  )
  return useMemo(() => new Map((data?.items ?? []).map(({ id, author }) => [id, author])), [data])
}

function PendingNote({ projectId, ideaId }: { projectId: string; ideaId: string }) {
  const queue = useRead(
    'GET /api/v1/admin/portal/{project_id}/moderation',
    { params: { project_id: projectId }, query: { kind: 'comment', limit: 100 } },
    { topics: ['moderation'] },
  ).data
  const first = queue?.items.find(({ idea_id }) => idea_id === ideaId)
  if (queue === undefined || first === undefined) return null
  const count = queue.items.filter(({ idea_id }) => idea_id === ideaId).length
  return (
    <p class="idea-note">
      <span>
        {countOf(count, 'comment')} {count === 1 ? 'waits' : 'wait'} for moderation.
      </span>
      <a href={projectPath(projectId, `moderation?at=${first.id}`)}>Moderate</a>
    </p>
  )
}

interface CommentItemProps extends CommentsProps {
  readonly comment: Comment
  readonly authors: Authors
}

function CommentItem({ projectId, idea, comment, authors }: CommentItemProps) {
  const [mode, setMode] = useState<'reply' | 'edit' | 'delete'>()
  const author = comment.is_team ? undefined : (authors.get(comment.id) ?? undefined)
  const shown = comment.author_name ?? (comment.is_team ? 'Team' : 'A user')
  const name = author === undefined ? shown : nameOfAuthor(author)
  const close = () => setMode(undefined)
  return (
    <li class="comment">
      <div class="comment-head">
        <Avatar name={name} />
        <b>
          {author === undefined ? (
            <bdi>{name}</bdi>
          ) : (
            <a
              title={author.email ?? ''}
              href={projectPath(
                projectId,
                `portal?tab=users&search=${encodeURIComponent(author.enduser_id)}`,
              )}
            >
              <bdi>{name}</bdi>
            </a>
          )}
        </b>
        {comment.is_team && <Badge tone="accent">Team</Badge>}
        {comment.from_idea !== undefined && (
          <span class="soft small truncate">
            on{' '}
            <a href={projectPath(projectId, `ideas/${comment.from_idea.id}`)}>
              {comment.from_idea.title}
            </a>
          </span>
        )}
        <span class="soft small">
          <Time at={comment.created_at} />
        </span>
      </div>
      {mode === 'edit' ? (
        <CommentForm projectId={projectId} ideaId={idea.id} edits={comment} onClose={close} />
      ) : comment.deleted ? (
        <p class="soft">Deleted</p>
      ) : (
        <MarkdownView text={comment.body} dialect="portal" />
      )}
      {canWrite.value && !comment.deleted && mode !== 'edit' && (
        <div class="comment-actions">
          <Button size="s" kind="quiet" onClick={() => setMode('reply')}>
            Reply
          </Button>
          <Button size="s" kind="quiet" onClick={() => setMode('edit')}>
            Edit
          </Button>
          <Button size="s" kind="quiet" onClick={() => setMode('delete')}>
            Delete
          </Button>
        </div>
      )}
      {mode === 'reply' && (
        <CommentForm projectId={projectId} ideaId={idea.id} answers={comment} onClose={close} />
      )}
      {mode === 'delete' && (
        <ConfirmDialog
          title="Delete the comment"
          confirm="Delete the comment"
          danger
          onClose={close}
          onConfirm={() =>
            runChange({
              send: () =>
                request('DELETE /api/v1/admin/portal/{project_id}/comments/{comment_id}', {
                  params: { project_id: projectId, comment_id: comment.id },
                }),
              done: 'Deleted the comment.',
              refetch: [commentsList, ideaRead],
            })
          }
        >
          <p>Replies to it stay. This cannot be undone.</p>
        </ConfirmDialog>
      )}
      {comment.replies.length > 0 && (
        <ul class="comment-list">
          {comment.replies.map((reply) => (
            <CommentItem
              key={reply.id}
              projectId={projectId}
              idea={idea}
              comment={reply}
              authors={authors}
            />
          ))}
        </ul>
      )}
    </li>
  )
}

interface FormProps {
  readonly projectId: string
  readonly ideaId: string
  readonly answers?: Comment
  readonly edits?: Comment
  readonly onClose?: () => void
}

function CommentForm({ projectId, ideaId, answers, edits, onClose }: FormProps) {
  const [text, setText] = useState(edits?.body ?? '')
  const [problem, setProblem] = useState<Error>()
  const [busy, setBusy] = useState(false)
  const send = async () => {
    setBusy(true)
    setProblem(undefined)
    try {
      if (edits !== undefined) {
        await request('PATCH /api/v1/admin/portal/{project_id}/comments/{comment_id}', {
          params: { project_id: projectId, comment_id: edits.id },
          body: { body: text },
        })
      } else {
        await request('POST /api/v1/admin/portal/{project_id}/ideas/{idea_id}/comments', {
          params: { project_id: projectId, idea_id: ideaId },
          body: { body: text, ...(answers === undefined ? {} : { parent_id: answers.id }) },
        })
      }
      setText('')
      await invalidateReads(commentsList, ideaRead)
      onClose?.()
    } catch (error) {
      setProblem(error as Error)
    }
    setBusy(false)
  }
  const rule = asProblem(problem)?.ruleOf('body')
  const label =
    edits !== undefined
      ? 'Edit the comment'
      : answers !== undefined
        ? 'Reply'
        : 'Comment as the team'
  return (
    <form
      class="comment-form"
      onSubmit={(event) => {
        event.preventDefault()
        void send()
      }}
    >
      {problem !== undefined && rule === undefined && <ProblemBox problem={problem} />}
      <TextAreaField
        label={label}
        hideLabel
        placeholder={label}
        rows={2}
        maxLength={5_000}
        value={text}
        onText={setText}
        error={rule}
        autofocus={onClose !== undefined}
      />
      <div class="row">
        <Button size="s" type="submit" busy={busy} disabled={text.trim() === ''}>
          {edits === undefined ? 'Send' : 'Save'}
        </Button>
        {onClose !== undefined && (
          <Button size="s" kind="quiet" onClick={onClose}>
            Cancel
          </Button>
        )}
        {edits === undefined && <span class="soft small">Everybody reads it on the portal.</span>}
      </div>
    </form>
  )
}
