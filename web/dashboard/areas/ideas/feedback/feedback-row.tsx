import { Badge } from '../../../design/content/badge.tsx'
import { Time } from '../../../design/content/time.tsx'
import { Icon } from '../../../design/icon.tsx'
import { type Feedback, personOf, statusTones, typeTones } from './feedback-view.ts'

interface RowProps {
  readonly item: Feedback
  readonly isOpen: boolean
  readonly isSelected: boolean
  readonly onOpen: () => void
  readonly onSelect?: () => void
}

const shownCharacters = 300

export function FeedbackRow({ item, isOpen, isSelected, onOpen, onSelect }: RowProps) {
  const person = personOf(item)
  return (
    <div class="feedback-row" data-open={isOpen} data-new={item.status === 'New'}>
      {onSelect !== undefined && (
        <input
          type="checkbox"
          class="check"
          aria-label={`Select the feedback of ${person}`}
          checked={isSelected}
          onChange={onSelect}
        />
      )}
      <button type="button" onClick={onOpen}>
        <span class="feedback-row-head">
          <b class="truncate">
            <bdi>{person}</bdi>
          </b>
          <span class="soft small">
            <Time at={item.created_at} />
          </span>
        </span>
        <span class="feedback-row-text">
          <bdi>{item.message.slice(0, shownCharacters)}</bdi>
        </span>
        <span class="feedback-row-foot">
          <Badge tone={typeTones[item.type]}>{item.type}</Badge>
          {item.status !== 'New' && <Badge tone={statusTones[item.status]}>{item.status}</Badge>}
          {(item.issue_id !== undefined || item.event_id !== undefined) && (
            <span class="feedback-row-error">
              <Icon name="bug" size={13} /> With an error
            </span>
          )}
        </span>
      </button>
    </div>
  )
}
