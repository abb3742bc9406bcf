import { Button } from '../../../design/button.tsx'
import { countOf } from '../../../design/content/format.ts'
import { Menu } from '../../../design/overlays/menu.tsx'
import { type Feedback, feedbackStatuses, feedbackTypes } from './feedback-view.ts'

interface BulkBarProps {
  readonly count: number
  readonly isArchive: boolean
  readonly onChange: (how: Pick<Partial<Feedback>, 'status' | 'type' | 'archived'>) => void
  readonly onDelete: () => void
  readonly onClear: () => void
}

export function BulkBar({ count, isArchive, onChange, onDelete, onClear }: BulkBarProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms.
    <div class="feedback-bulk" role="group" aria-label="Selected feedback">
      <b class="small">{countOf(count, 'item')} selected</b>
      <Menu
        label="Status"
        size="s"
        actions={feedbackStatuses.map((status) => ({
          label: status,
          run: () => onChange({ status }),
        }))}
      />
      <Menu
        label="Type"
        size="s"
        actions={feedbackTypes.map((type) => ({ label: type, run: () => onChange({ type }) }))}
      />
      <Button size="s" icon="archive" onClick={() => onChange({ archived: !isArchive })}>
        {isArchive ? 'Back to the inbox' : 'Archive'}
      </Button>
      <Button size="s" kind="quiet" icon="trash" onClick={onDelete}>
        Delete
      </Button>
      <Button size="s" kind="quiet" onClick={onClear}>
        Clear
      </Button>
    </div>
  )
}
