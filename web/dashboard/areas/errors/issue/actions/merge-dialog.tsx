import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { ProblemBox, Skeleton } from '../../../../design/content/states.tsx'
import { TextField } from '../../../../design/forms/field.tsx'
import { Dialog } from '../../../../design/overlays/dialog.tsx'
import { shortText } from '../../../../design/text/visible-text.ts'
import { asProblem } from '../../../../http/problem.ts'
import { useRead } from '../../../../http/use-read.ts'
import { useDelayed } from '../../../../shell/use-delayed.ts'
import { type IssueDetail, issuesRead, similarRead } from '../issue-reads.ts'
import { mergeInto } from './change-issue.ts'

interface MergeProps {
  readonly projectId: string
  readonly issue: IssueDetail
  readonly onClose: () => void
}

const delayMs = 250

/** Finds the issue that gets the events of this one: similar ones first, others by search. */
export function MergeDialog({ projectId, issue, onClose }: MergeProps) {
  const { route } = useLocation()
  const [text, setText] = useState('')
  const [isBusy, setBusy] = useState(false)
  const query = useDelayed(text.trim(), delayMs)
  const found = useRead(
    issuesRead,
    { params: { project_id: projectId }, query: { query, limit: 20 } },
    { enabled: query !== '', keepPrevious: true },
  )
  const similar = useRead(
    similarRead,
    { params: { project_id: projectId, issue_id: issue.id } },
    { enabled: query === '' },
  )
  const read = query === '' ? similar : found
  const items = (read.data?.items ?? []).filter(({ id }) => id !== issue.id)
  const rule = asProblem(found.problem)?.ruleOf('query')
  const merge = async (target: { readonly id: string; readonly short_id: string }) => {
    setBusy(true)
    const isMerged = await mergeInto({ projectId, issue }, target, (id) =>
      route(`/projects/${projectId}/issues/${id}?tab=grouping`),
    )
    setBusy(false)
    if (isMerged) onClose()
  }
  return (
    <Dialog title={`Merge ${issue.short_id} into another issue`} onClose={onClose}>
      <div class="stack">
        <p class="soft small">
          The other issue gets the {issue.count.toLocaleString('en')} events of this one, and its
          address leads there. You can undo it.
        </p>
        <TextField
          label="Find an issue"
          hint="The search of the issue list: words, level:error, release:…"
          error={query === '' ? undefined : rule}
          value={text}
          onText={setText}
          autoFocus
          autocomplete="off"
        />
        <h3>{query === '' ? 'Similar issues' : 'Found'}</h3>
        {read.isLoading && <Skeleton lines={3} />}
        {read.problem !== undefined && rule === undefined && <ProblemBox problem={read.problem} />}
        {read.data !== undefined && items.length === 0 && (
          <p class="soft small">
            {query === '' ? 'No issue is similar. Search for one.' : 'No issue fits.'}
          </p>
        )}
        <ul class="issue-owners" aria-label="Issues to merge into">
          {items.map((item) => (
            <li key={item.id}>
              <button type="button" disabled={isBusy} onClick={() => void merge(item)}>
                <span class="soft">{item.short_id}</span>
                <span class="truncate">{shortText(item.title, 200)}</span>
                <span class="soft number">{item.count.toLocaleString('en')}</span>
              </button>
            </li>
          ))}
        </ul>
      </div>
    </Dialog>
  )
}
