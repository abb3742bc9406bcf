import { useState } from 'preact/hooks'
import { Button } from '../../../design/button.tsx'
import { CheckField, SelectField } from '../../../design/forms/field.tsx'
import { Dialog } from '../../../design/overlays/dialog.tsx'
import { type Grouping, groupings, type IssuesState } from './issues-state.ts'
import {
  columnLooks,
  columnNames,
  defaultColumns,
  type Sort,
  sortLabels,
  sorts,
} from './list/columns.ts'
import { defaultPeriod, labelOf, type Period, periods } from './period.ts'

const groupLabels: Readonly<Record<Grouping, string>> = {
  none: 'No groups',
  level: 'Level',
  release: 'Last release',
}

interface DisplayMenuProps {
  readonly state: IssuesState
  readonly onState: (change: Partial<IssuesState>) => void
}

/** Period, sort, groups and columns of the list. */
export function DisplayMenu({ state, onState }: DisplayMenuProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button size="s" kind="quiet" icon="list" onClick={() => setOpen(true)}>
        Display
      </Button>
      {isOpen && (
        <Dialog
          title="Display"
          size="s"
          onClose={() => setOpen(false)}
          footer={
            <>
              <Button
                onClick={() =>
                  onState({
                    ...{ period: defaultPeriod, sort: 'last_seen', group: 'none' },
                    columns: defaultColumns,
                  })
                }
              >
                Reset
              </Button>
              <Button kind="primary" onClick={() => setOpen(false)}>
                Done
              </Button>
            </>
          }
        >
          <div class="stack">
            <SelectField
              label="Period"
              value={state.period}
              choices={periods.map((value) => ({ value, label: labelOf(value) }))}
              onValue={(period) => onState({ period: period as Period })}
            />
            <SelectField
              label="Sort by"
              value={state.sort}
              choices={sorts.map((value) => ({ value, label: sortLabels[value] }))}
              onValue={(sort) => onState({ sort: sort as Sort })}
            />
            <SelectField
              label="Group by"
              value={state.group}
              choices={groupings.map((value) => ({ value, label: groupLabels[value] }))}
              onValue={(group) => onState({ group: group as Grouping })}
            />
            <fieldset class="issue-columns">
              <legend class="field-label">Columns</legend>
              {columnNames.map((name) => (
                <CheckField
                  key={name}
                  label={columnLooks[name].label}
                  checked={state.columns.includes(name)}
                  onChecked={(checked) =>
                    onState({
                      columns: columnNames.filter((one) =>
                        one === name ? checked : state.columns.includes(one),
                      ),
                    })
                  }
                />
              ))}
            </fieldset>
          </div>
        </Dialog>
      )}
    </>
  )
}
