/** Questions before changes of the selected issues that cannot be undone in one step. */
import { useState } from 'preact/hooks'
import { countOf } from '../../../design/content/format.ts'
import { ConfirmDialog } from '../../../design/overlays/dialog.tsx'
import type { Issue } from '../../../generated/api.d.ts'
import { deleteIssues, mergeIssues } from '../changes/change-issues.ts'

interface SelectedProps {
  readonly projectId: string
  readonly issues: readonly Issue[]
  readonly onDone: () => void
  readonly onClose: () => void
}

export function MergeDialog({ projectId, issues, onDone, onClose }: SelectedProps) {
  const sorted = [...issues].sort((a, b) => b.count - a.count)
  const [intoId, setIntoId] = useState(sorted[0]?.id)
  const into = sorted.find(({ id }) => id === intoId)
  return (
    <ConfirmDialog
      title={`Merge ${countOf(issues.length, 'issue')}`}
      confirm="Merge"
      onConfirm={() => {
        if (into === undefined) return
        void mergeIssues(
          projectId,
          into,
          sorted.filter(({ id }) => id !== into.id),
        )
        onDone()
      }}
      onClose={onClose}
    >
      <p class="small soft">The events of all go to the one that you choose. It can be undone.</p>
      <fieldset class="issue-merge">
        <legend class="screen-reader">The issue that remains</legend>
        {sorted.map((issue) => (
          <label key={issue.id} class="issue-merge-item">
            <input
              type="radio"
              name="into"
              checked={issue.id === intoId}
              onChange={() => setIntoId(issue.id)}
            />
            <span class="truncate">{issue.title}</span>
            <span class="soft number">{countOf(issue.count, 'event')}</span>
          </label>
        ))}
      </fieldset>
    </ConfirmDialog>
  )
}

export function DeleteDialog({ projectId, issues, onDone, onClose }: SelectedProps) {
  const what = issues.length === 1 ? issues[0]?.short_id : countOf(issues.length, 'issue')
  const events = issues.reduce((sum, { count }) => sum + count, 0)
  return (
    <ConfirmDialog
      title={`Delete ${what}`}
      confirm={`Delete ${what}`}
      danger
      {...(issues.length > 1 ? { typed: 'delete' } : {})}
      onConfirm={() => {
        void deleteIssues(projectId, issues)
        onDone()
      }}
      onClose={onClose}
    >
      <p>
        {countOf(events, 'event')} will be deleted, too. This cannot be undone. If the same error
        happens again, it is a new issue.
      </p>
    </ConfirmDialog>
  )
}
