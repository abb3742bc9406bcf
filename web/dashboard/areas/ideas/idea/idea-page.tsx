import { useState } from 'preact/hooks'
import { useLocation, useRoute } from 'preact-iso'
import { Button, ButtonLink } from '../../../design/button.tsx'
import { Badge } from '../../../design/content/badge.tsx'
import { countOf } from '../../../design/content/format.ts'
import { Page, Tabs } from '../../../design/content/page.tsx'
import { Loaded } from '../../../design/content/states.tsx'
import { ConfirmDialog } from '../../../design/overlays/dialog.tsx'
import { Menu, type MenuAction } from '../../../design/overlays/menu.tsx'
import { MarkdownView } from '../../../design/text/markdown-view.tsx'
import { request } from '../../../http/request.ts'
import { runChange } from '../../../http/run-change.ts'
import { useRead } from '../../../http/use-read.ts'
import { useShortcuts } from '../../../keyboard/shortcuts.ts'
import { canWrite } from '../../../session/session.ts'
import { projectPath, useProjectId } from '../../../url/use-project.ts'
import { useSearchParams } from '../../../url/use-search-params.ts'
import { type IdeaDetail, ideaRead, ideasList, statusTones } from '../common/idea.ts'
import { usePortalKey } from '../common/portal-key.ts'
import { Comments } from './comments.tsx'
import { EditIdeaDialog } from './edit-idea-dialog.tsx'
import { IdeaHistory } from './idea-history.tsx'
import { IdeaSide } from './idea-side.tsx'
import { MergeDialog } from './merge-dialog.tsx'
import { StatusDialog } from './status-dialog.tsx'
import { Voters } from './voters.tsx'
import './idea.css'
import '../common/shared.css'

export function IdeaPage() {
  const projectId = useProjectId()
  const { params } = useRoute()
  const ideaId = params['idea_id'] ?? ''
  const read = useRead(
    ideaRead,
    { params: { project_id: projectId, idea_id: ideaId } },
    { topics: ['ideas', 'moderation'] },
  )
  if (read.data === undefined) {
    return (
      <Page title="Idea" parent={ideasParent(projectId)}>
        <Loaded read={read}>{() => null}</Loaded>
      </Page>
    )
  }
  return <IdeaView key={ideaId} projectId={projectId} idea={read.data} />
}

function ideasParent(projectId: string) {
  return { label: 'Ideas', href: projectPath(projectId, 'ideas') }
}

const dialogs = ['status', 'merge', 'edit', 'delete'] as const
type DialogName = (typeof dialogs)[number]

interface ViewProps {
  readonly projectId: string
  readonly idea: IdeaDetail
}

function IdeaView({ projectId, idea }: ViewProps) {
  const { get, set } = useSearchParams()
  const dialog = dialogs.find((name) => name === get('do'))
  const open = (name: DialogName | undefined) => set({ do: name }, 'replace')
  const tab = get('tab')
  const mayWrite = canWrite.value
  useShortcuts([
    ...(mayWrite
      ? [
          { keys: 's', label: 'Change the status', group: 'Idea', run: () => open('status') },
          { keys: 'm', label: 'Merge into another idea', group: 'Idea', run: () => open('merge') },
          { keys: 'e', label: 'Edit', group: 'Idea', run: () => open('edit') },
        ]
      : []),
  ])
  return (
    <Page
      title={idea.title}
      parent={ideasParent(projectId)}
      meta={<StateBadge idea={idea} />}
      actions={<Actions projectId={projectId} idea={idea} onOpen={open} />}
      bar={<ViewTabs idea={idea} tab={tab} />}
    >
      {idea.duplicate_of !== null && <DuplicateNote projectId={projectId} idea={idea} />}
      <div class="columns">
        <div class="stack idea-main">
          {tab === 'voters' ? (
            <Voters projectId={projectId} idea={idea} />
          ) : tab === 'history' ? (
            <IdeaHistory projectId={projectId} idea={idea} />
          ) : (
            <Discussion projectId={projectId} idea={idea} onAnswer={() => open('status')} />
          )}
        </div>
        <IdeaSide projectId={projectId} idea={idea} onStatus={() => open('status')} />
      </div>
      {mayWrite && dialog === 'status' && (
        <StatusDialog projectId={projectId} idea={idea} onClose={() => open(undefined)} />
      )}
      {mayWrite && dialog === 'merge' && (
        <MergeDialog projectId={projectId} idea={idea} onClose={() => open(undefined)} />
      )}
      {mayWrite && dialog === 'edit' && (
        <EditIdeaDialog projectId={projectId} idea={idea} onClose={() => open(undefined)} />
      )}
      {mayWrite && dialog === 'delete' && (
        <DeleteDialog projectId={projectId} idea={idea} onClose={() => open(undefined)} />
      )}
    </Page>
  )
}

function StateBadge({ idea }: Pick<ViewProps, 'idea'>) {
  return (
    <>
      <Badge tone={statusTones[idea.status]}>{idea.status}</Badge>
      {idea.moderation === 'pending' && <Badge tone="warning">Pending</Badge>}
      {idea.moderation === 'rejected' && <Badge tone="danger">Rejected</Badge>}
    </>
  )
}

function Actions({
  projectId,
  idea,
  onOpen,
}: ViewProps & { readonly onOpen: (name: DialogName) => void }) {
  const key = usePortalKey(projectId)
  const isPublished = idea.moderation === 'published'
  const actions: readonly MenuAction[] = [
    ...(isPublished && key !== undefined
      ? [
          {
            label: 'Open on the portal',
            icon: 'external' as const,
            run: () => void window.open(`/portal/${key}/ideas/${idea.id}`, '_blank', 'noopener'),
          },
        ]
      : []),
    ...(canWrite.value
      ? [
          { label: 'Edit', icon: 'edit' as const, keys: 'e', run: () => onOpen('edit') },
          {
            label: 'Merge into another idea',
            icon: 'merge' as const,
            keys: 'm',
            disabled: idea.moderation === 'rejected',
            run: () => onOpen('merge'),
          },
          {
            label: 'Delete',
            icon: 'trash' as const,
            danger: true,
            run: () => onOpen('delete'),
          },
        ]
      : []),
  ]
  return (
    <>
      {idea.moderation === 'pending' && (
        <ButtonLink href={projectPath(projectId, `moderation?at=${idea.id}`)} icon="shield">
          Moderate
        </ButtonLink>
      )}
      <Menu label="More actions" icon="more" hideLabel kind="quiet" actions={actions} />
      {canWrite.value && (
        <Button kind="primary" onClick={() => onOpen('status')}>
          Change the status
        </Button>
      )}
    </>
  )
}

function ViewTabs({ idea, tab }: Pick<ViewProps, 'idea'> & { readonly tab: string | undefined }) {
  const at = (name: string) => `${location.pathname}?tab=${name}`
  const isKnown = tab === 'voters' || tab === 'history'
  return (
    <Tabs
      label="Parts of the idea"
      tabs={[
        {
          label: 'Discussion',
          href: location.pathname,
          current: !isKnown,
          count: idea.comment_count,
        },
        { label: 'Voters', href: at('voters'), current: tab === 'voters', count: idea.vote_count },
        { label: 'History', href: at('history'), current: tab === 'history' },
      ]}
    />
  )
}

function Discussion(props: ViewProps & { readonly onAnswer: () => void }) {
  const { idea, onAnswer } = props
  return (
    <>
      <div class="idea-text">
        <MarkdownView text={idea.description} dialect="portal" />
      </div>
      {idea.response !== null && (
        <section class="idea-answer" aria-label="Official answer">
          <header>
            <h2>Official answer</h2>
            <span class="soft small">{idea.response.author_name ?? 'Team'}</span>
            {canWrite.value && (
              <Button size="s" kind="quiet" onClick={onAnswer}>
                Edit
              </Button>
            )}
          </header>
          <MarkdownView text={idea.response.body} dialect="portal" />
        </section>
      )}
      <Comments {...props} />
    </>
  )
}

function DuplicateNote({ projectId, idea }: ViewProps) {
  const [busy, setBusy] = useState(false)
  const undo = async () => {
    setBusy(true)
    await runChange({
      send: () =>
        request('POST /api/v1/admin/portal/{project_id}/ideas/{idea_id}/unmerge', {
          params: { project_id: projectId, idea_id: idea.id },
        }),
      done: 'The merge is undone: votes and duplicates are back.',
      refetch: [ideaRead, ideasList],
    })
    setBusy(false)
  }
  return (
    <div class="idea-note">
      <p>
        This idea is merged into{' '}
        <a href={projectPath(projectId, `ideas/${idea.duplicate_of}`)}>another idea</a>, which has
        its {countOf(idea.vote_count, 'vote')}.
      </p>
      {canWrite.value && (
        <Button size="s" icon="undo" busy={busy} onClick={() => void undo()}>
          Undo the merge
        </Button>
      )}
    </div>
  )
}

function DeleteDialog({ projectId, idea, onClose }: ViewProps & { readonly onClose: () => void }) {
  const { route } = useLocation()
  const params = { project_id: projectId, idea_id: idea.id }
  return (
    <ConfirmDialog
      title="Delete the idea"
      confirm="Delete the idea"
      danger
      onClose={onClose}
      onConfirm={async () => {
        const done = await runChange({
          send: async () => {
            await request('DELETE /api/v1/admin/portal/{project_id}/ideas/{idea_id}', { params })
            return true
          },
          done: 'Deleted the idea.',
          refetch: [ideasList],
        })
        if (done === true) route(projectPath(projectId, 'ideas'))
      }}
    >
      <p>
        Its {countOf(idea.vote_count, 'vote')} and {countOf(idea.comment_count, 'comment')} are
        deleted, too. This cannot be undone. To keep them, decline the idea or merge it.
      </p>
    </ConfirmDialog>
  )
}
