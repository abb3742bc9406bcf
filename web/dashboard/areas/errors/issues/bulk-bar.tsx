import { Button, IconButton } from '../../../design/button.tsx'
import { countOf } from '../../../design/content/format.ts'
import { Menu } from '../../../design/overlays/menu.tsx'
import type { ChangeKind } from '../changes/change-dialog.tsx'
import type { IssueCount } from '../changes/change-issues.ts'
import type { IssueChange } from '../changes/issue-after.ts'
import './bulk-bar.css'

interface BulkBarProps {
  readonly count: number
  /** Everything that the search finds is selected, also what is not loaded. */
  readonly isAll: boolean
  /** Their number, once it is known. */
  readonly matching: IssueCount | undefined
  /** Undefined while all that match are loaded. */
  readonly onSelectAll: (() => void) | undefined
  readonly onChange: (change: IssueChange) => void
  readonly onDialog: (kind: ChangeKind | 'merge' | 'delete') => void
  readonly onClear: () => void
}

/** What can be done with the selected issues, above the lower edge of the screen. */
export function BulkBar(props: BulkBarProps) {
  const { count, isAll, matching, onSelectAll, onChange, onDialog, onClear } = props
  return (
    <div class="issue-bulk" role="toolbar" aria-label="Selected issues">
      <span class="issue-bulk-count" role="status">
        {isAll ? allText(matching) : `${countOf(count, 'issue')} selected`}
      </span>
      {!isAll && onSelectAll !== undefined && (
        <Button size="s" kind="quiet" onClick={onSelectAll}>
          Select all that match
        </Button>
      )}
      <Button size="s" icon="check" onClick={() => onChange({ status: 'resolved' })}>
        Resolve
      </Button>
      <Button size="s" onClick={() => onDialog('resolve')}>
        Resolve in…
      </Button>
      <Button size="s" icon="archive" onClick={() => onDialog('ignore')}>
        Ignore…
      </Button>
      <Button size="s" icon="people" onClick={() => onDialog('assign')}>
        Assign…
      </Button>
      <Menu
        label="More"
        size="s"
        actions={[
          { label: 'Set the priority…', icon: 'flag', run: () => onDialog('priority') },
          { label: 'Mark as reviewed', icon: 'eye', run: () => onChange({ reviewed: true }) },
          { label: 'Reopen', icon: 'undo', run: () => onChange({ status: 'unresolved' }) },
          {
            label: 'Merge…',
            icon: 'merge',
            keys: 'm',
            disabled: isAll || count < 2,
            run: () => onDialog('merge'),
          },
          {
            label: 'Delete…',
            icon: 'trash',
            danger: true,
            disabled: isAll,
            run: () => onDialog('delete'),
          },
        ]}
      />
      <IconButton size="s" label="Clear the selection" icon="close" onClick={onClear} />
    </div>
  )
}

function allText(matching: IssueCount | undefined): string {
  if (matching === undefined) return 'All that match'
  const count = countOf(matching.count, 'issue')
  return matching.is_exact ? `${count} selected` : `More than ${count} match`
}
