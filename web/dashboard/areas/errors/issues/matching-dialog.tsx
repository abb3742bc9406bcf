/** The question before a change of all issues that match, with their number. */
import { countOf } from '../../../design/content/format.ts'
import { ConfirmDialog } from '../../../design/overlays/dialog.tsx'
import type { Read } from '../../../http/use-read.ts'
import type { IssueCount } from '../changes/change-issues.ts'
import { nameChange } from '../changes/describe-change.ts'
import type { Assignee, IssueChange } from '../changes/issue-after.ts'
import { type Period, wordsOf } from './period.ts'

interface MatchingProps {
  readonly query: string
  readonly period: Period
  readonly counted: Read<IssueCount>
  readonly change: IssueChange
  readonly assignee: Assignee | undefined
  readonly onConfirm: () => void
  readonly onClose: () => void
}

export function MatchingDialog(props: MatchingProps) {
  const { query, period, counted, change, assignee, onConfirm, onClose } = props
  const { data: count, problem } = counted
  const action = nameChange(change, whatMatches(count), assignee)
  return (
    <ConfirmDialog
      title={`${action}?`}
      confirm={action}
      disabled={count === undefined ? problem === undefined : count.count === 0}
      onConfirm={onConfirm}
      onClose={onClose}
    >
      <p role="status">{matchText(count, problem !== undefined)}</p>
      {period !== 'all' && <p class="small">Only issues seen {wordsOf(period)}.</p>}
      {query !== '' && (
        <p class="small">
          Search: <code>{query}</code>
        </p>
      )}
      <p class="small soft">This cannot be undone in one step.</p>
    </ConfirmDialog>
  )
}

export function whatMatches(count: IssueCount | undefined): string {
  if (count === undefined) return 'all issues that match'
  return count.is_exact
    ? countOf(count.count, 'issue')
    : `the first ${countOf(count.count, 'issue')}`
}

function matchText(count: IssueCount | undefined, hasFailed: boolean): string {
  if (count === undefined) {
    return hasFailed
      ? 'The issues that match could not be counted. At most 10,000 change at once.'
      : 'Counting the issues that match…'
  }
  if (!count.is_exact) {
    return `More than ${countOf(count.count, 'issue')} match. The most recently seen change; repeat the change for the others.`
  }
  if (count.count === 0) return 'No issues match.'
  return count.count === 1 ? '1 issue matches.' : `${countOf(count.count, 'issue')} match.`
}
