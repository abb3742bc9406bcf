import { useState } from 'preact/hooks'
import { Button } from '../../../design/button.tsx'
import { Avatar, Badge, Kbd } from '../../../design/content/badge.tsx'
import { countOf } from '../../../design/content/format.ts'
import { Time } from '../../../design/content/time.tsx'
import { ConfirmDialog, Dialog } from '../../../design/overlays/dialog.tsx'
import { MarkdownView } from '../../../design/text/markdown-view.tsx'
import { useShortcuts } from '../../../keyboard/shortcuts.ts'
import { canWrite } from '../../../session/session.ts'
import { projectPath } from '../../../url/use-project.ts'
import { nameOfAuthor } from '../common/idea.ts'
import { mergeIdea } from '../common/merge-idea.ts'
import { MergePreview } from '../common/merge-preview.tsx'
import { type SimilarIdea, SimilarIdeas } from '../common/similar-ideas.tsx'
import { decide, type QueueItem, sendDecision } from './decide.ts'
import { DeclineDialog } from './decline-dialog.tsx'
import '../common/shared.css'

interface ItemProps {
  readonly projectId: string
  readonly item: QueueItem
}

type Open =
  | { readonly kind: 'decline' | 'block' }
  | { readonly kind: 'merge'; readonly into: SimilarIdea }

/** One pending text with everything a moderator needs to decide, and the keys to do it. */
export function ModerationItem({ projectId, item }: ItemProps) {
  const [open, setOpen] = useState<Open>()
  const [busy, setBusy] = useState(false)
  const mayDecide = canWrite.value
  const approve = () => decide(projectId, item, { decision: 'approve' })
  const trust = () => decide(projectId, item, { decision: 'approve_and_trust' })
  const close = () => setOpen(undefined)
  useShortcuts(
    mayDecide
      ? [
          { keys: 'a', label: 'Approve', group: 'Moderation', run: approve },
          { keys: 't', label: 'Approve and trust', group: 'Moderation', run: trust },
          {
            keys: 'd',
            label: 'Decline',
            group: 'Moderation',
            run: () => setOpen({ kind: 'decline' }),
          },
          {
            keys: 's',
            label: 'Spam: block the user',
            group: 'Moderation',
            run: () => item.author !== null && setOpen({ kind: 'block' }),
          },
        ]
      : [],
  )
  const merge = async (into: SimilarIdea) => {
    setBusy(true)
    const before = () => sendDecision(projectId, item, { decision: 'approve' })
    const done = await mergeIdea({ projectId, ideaId: item.idea_id, into, before })
    setBusy(false)
    if (done !== undefined) close()
  }
  return (
    <article class="moderation-item" aria-label={item.title}>
      <header class="moderation-head">
        <h2>
          <bdi>{item.kind === 'idea' ? item.title : `Comment on ${item.title}`}</bdi>
        </h2>
        <p class="moderation-author">
          <Avatar name={nameOfAuthor(item.author)} />
          <bdi>{nameOfAuthor(item.author)}</bdi>
          {item.author !== null &&
            (item.author.published_count === 0 ? (
              <Badge tone="warning">First text</Badge>
            ) : (
              <span class="soft">{countOf(item.author.published_count, 'published text')}</span>
            ))}
          <span class="soft">
            <Time at={item.created_at} />
          </span>
          {item.kind === 'comment' && (
            <a href={projectPath(projectId, `ideas/${item.idea_id}`)}>Open the idea</a>
          )}
        </p>
      </header>
      <MarkdownView text={item.text} dialect="portal" />
      {mayDecide ? (
        <div class="moderation-actions">
          <Button kind="primary" icon="check" onClick={approve}>
            Approve
          </Button>
          <Button onClick={trust}>Approve and trust</Button>
          <Button onClick={() => setOpen({ kind: 'decline' })}>Decline</Button>
          {item.author !== null && (
            <Button kind="quiet" onClick={() => setOpen({ kind: 'block' })}>
              Spam
            </Button>
          )}
          <span class="moderation-keys">
            <Kbd keys="a" /> approve <Kbd keys="t" /> trust <Kbd keys="d" /> decline{' '}
            <Kbd keys="s" /> spam <Kbd keys="j" /> <Kbd keys="k" /> move
          </span>
        </div>
      ) : (
        <p class="soft small">Members of the organization can decide; you can read only.</p>
      )}
      {item.kind === 'idea' && (
        <SimilarIdeas
          projectId={projectId}
          title={item.title}
          label="Similar ideas"
          exceptId={item.id}
          none="No published idea is similar."
          {...(mayDecide
            ? {
                action: (into: SimilarIdea) => (
                  <Button
                    size="s"
                    icon="merge"
                    onClick={() => setOpen({ kind: 'merge', into })}
                    aria-label={`Merge into ${into.title}`}
                  >
                    Merge
                  </Button>
                ),
              }
            : {})}
        />
      )}
      {open?.kind === 'decline' && (
        <DeclineDialog projectId={projectId} item={item} onClose={close} />
      )}
      {open?.kind === 'block' && (
        <ConfirmDialog
          title={`Block ${nameOfAuthor(item.author)}`}
          confirm="Block the user"
          danger
          onClose={close}
          onConfirm={() => decide(projectId, item, { decision: 'block' })}
        >
          <p>
            Everything of this user that is pending is declined, and the user can no longer write.
            You can unblock the user under Portal, Users.
          </p>
        </ConfirmDialog>
      )}
      {open?.kind === 'merge' && (
        <Dialog
          title={`Merge into “${open.into.title}”`}
          onClose={close}
          footer={
            <>
              <Button onClick={close}>Cancel</Button>
              <Button kind="primary" busy={busy} onClick={() => void merge(open.into)}>
                Approve and merge
              </Button>
            </>
          }
        >
          <MergePreview
            projectId={projectId}
            idea={{ id: item.idea_id, vote_count: 0, comment_count: 0 }}
            into={open.into}
          />
        </Dialog>
      )}
    </article>
  )
}
