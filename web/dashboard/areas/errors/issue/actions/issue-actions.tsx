import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { Button } from '../../../../design/button.tsx'
import { ConfirmDialog } from '../../../../design/overlays/dialog.tsx'
import { Menu } from '../../../../design/overlays/menu.tsx'
import { useShortcuts } from '../../../../keyboard/shortcuts.ts'
import { canWrite } from '../../../../session/session.ts'
import type { IssueDetail } from '../issue-reads.ts'
import { AssignDialog } from './assign-dialog.tsx'
import { changeIssue, deleteIssue } from './change-issue.ts'
import { IgnoreDialog } from './ignore-dialog.tsx'
import { MergeDialog } from './merge-dialog.tsx'
import { ResolveDialog } from './resolve-dialog.tsx'
import type { IssueChange } from './undo-of.ts'

interface ActionsProps {
  readonly projectId: string
  readonly issue: IssueDetail
}

type OpenDialog = 'assign' | 'release' | 'commit' | 'ignore' | 'merge' | 'delete'

/** What people decide about an issue. Viewers see who has it, and nothing else. */
export function IssueActions({ projectId, issue }: ActionsProps) {
  const [dialog, setDialog] = useState<OpenDialog>()
  const { route } = useLocation()
  const change = (body: IssueChange, done: string) =>
    void changeIssue({ projectId, issue }, body, `${done} ${issue.short_id}.`)
  const isOpen = issue.status === 'unresolved'
  const isWriter = canWrite.value
  const toggle = () =>
    isOpen
      ? change({ status: 'resolved' }, 'Resolved')
      : change({ status: 'unresolved' }, 'Reopened')
  const ignore = () =>
    issue.status === 'ignored'
      ? change({ status: 'unresolved' }, 'Reopened')
      : change({ status: 'ignored' }, 'Ignored')
  const review = () => {
    if (issue.triage !== null) change({ reviewed: true }, 'Reviewed')
  }
  useShortcuts(
    isWriter
      ? [
          { keys: 'e', label: isOpen ? 'Resolve' : 'Reopen', group: 'Issue', run: toggle },
          { keys: 'i', label: 'Ignore', group: 'Issue', run: ignore },
          { keys: 'a', label: 'Assign', group: 'Issue', run: () => setDialog('assign') },
          { keys: 'r', label: 'Mark as reviewed', group: 'Issue', run: review },
        ]
      : [],
  )
  if (!isWriter) return <span class="soft small">You may read, and not change issues.</span>
  const close = () => setDialog(undefined)
  const days = (count: number) => new Date(Date.now() + count * 86_400_000).toISOString()
  return (
    <>
      <Button size="s" icon="people" onClick={() => setDialog('assign')} title="Assign (a)">
        {assigneeName(issue) ?? 'Assign'}
      </Button>
      <Menu
        label={`Priority: ${issue.priority}`}
        size="s"
        actions={(['high', 'medium', 'low'] as const).map((priority) => ({
          label: `${priority.charAt(0).toUpperCase()}${priority.slice(1)}`,
          disabled: issue.priority === priority,
          run: () => change({ priority }, `Set the priority to ${priority}:`),
        }))}
      />
      <Menu
        label="More actions"
        hideLabel
        icon="more"
        size="s"
        actions={[
          {
            label: 'Mark as reviewed',
            icon: 'check',
            keys: 'r',
            disabled: issue.triage === null,
            run: review,
          },
          { label: 'Merge into another issue…', icon: 'merge', run: () => setDialog('merge') },
          { label: 'Delete…', icon: 'trash', danger: true, run: () => setDialog('delete') },
        ]}
      />
      {issue.status !== 'ignored' && (
        <Menu
          label="Ignore"
          size="s"
          actions={[
            {
              label: 'Until it escalates',
              run: () => change({ ignore_until: { escalating: true } }, 'Ignored'),
            },
            { label: 'For a day', run: () => change({ ignore_until: { at: days(1) } }, 'Ignored') },
            {
              label: 'For a week',
              run: () => change({ ignore_until: { at: days(7) } }, 'Ignored'),
            },
            { label: 'Until more events, users or a time…', run: () => setDialog('ignore') },
            { label: 'Forever', keys: 'i', run: ignore },
          ]}
        />
      )}
      <span class="issue-split">
        <Button
          size="s"
          kind={isOpen ? 'primary' : 'plain'}
          icon={isOpen ? 'check' : 'undo'}
          onClick={toggle}
        >
          {isOpen ? 'Resolve' : 'Reopen'}
        </Button>
        {isOpen && (
          <Menu
            label="Resolve in a release or by a commit"
            hideLabel
            icon="chevronDown"
            size="s"
            actions={[
              { label: 'Now', keys: 'e', run: toggle },
              {
                label: 'In the next release',
                run: () => change({ resolved_in: 'next_release' }, 'Resolved in the next release:'),
              },
              { label: 'In a release…', run: () => setDialog('release') },
              { label: 'By a commit…', run: () => setDialog('commit') },
            ]}
          />
        )}
      </span>
      {dialog === 'assign' && <AssignDialog projectId={projectId} issue={issue} onClose={close} />}
      {(dialog === 'release' || dialog === 'commit') && (
        <ResolveDialog projectId={projectId} issue={issue} by={dialog} onClose={close} />
      )}
      {dialog === 'ignore' && <IgnoreDialog projectId={projectId} issue={issue} onClose={close} />}
      {dialog === 'merge' && <MergeDialog projectId={projectId} issue={issue} onClose={close} />}
      {dialog === 'delete' && (
        <ConfirmDialog
          title={`Delete ${issue.short_id}`}
          confirm="Delete the issue"
          danger
          onConfirm={async () => {
            const isDeleted = await deleteIssue({ projectId, issue })
            if (isDeleted) route(`/projects/${projectId}/issues`)
          }}
          onClose={close}
        >
          <p>
            The issue and its {issue.count.toLocaleString('en')} events are deleted. This cannot be
            undone. Events that arrive later begin a new issue.
          </p>
        </ConfirmDialog>
      )}
    </>
  )
}

export function assigneeName({ assignee, assignee_team: team }: IssueDetail): string | undefined {
  return assignee?.name ?? assignee?.email ?? (team === null ? undefined : `#${team.slug}`)
}
