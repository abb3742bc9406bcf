import type { Issue } from '../../../../generated/api.d.ts'
import type { IssuesState } from '../issues-state.ts'
import { columnLooks } from './columns.ts'
import type { Selection } from './use-selection.ts'

interface ListHeadProps {
  readonly state: IssuesState
  readonly onState: (change: Partial<IssuesState>) => void
  readonly selection: Selection
  readonly items: readonly Issue[]
  readonly canSelect: boolean
}

/** Names of the columns; those that the API sorts by are buttons. */
export function ListHead({ state, onState, selection, items, canSelect }: ListHeadProps) {
  const isFull = items.length > 0 && items.every(({ id }) => selection.ids.has(id))
  return (
    <div class="issue-head">
      {canSelect && (
        <label class="issue-check">
          <input
            type="checkbox"
            class="check"
            aria-label="Select all loaded issues"
            checked={isFull}
            onClick={(event) => {
              event.preventDefault()
              selection.set(isFull ? [] : items.map(({ id }) => id))
            }}
          />
        </label>
      )}
      <span class="issue-main">Issue</span>
      {state.columns.map((name) => {
        const { label, sort } = columnLooks[name]
        return (
          <div key={name} class={`issue-cell issue-cell-${name}`}>
            {sort === undefined ? (
              label
            ) : (
              <button
                type="button"
                aria-pressed={state.sort === sort}
                title={`Sort by ${label.toLowerCase()}, largest or newest first`}
                onClick={() => onState({ sort })}
              >
                {label}
                {state.sort === sort && ' ↓'}
              </button>
            )}
          </div>
        )
      })}
    </div>
  )
}
