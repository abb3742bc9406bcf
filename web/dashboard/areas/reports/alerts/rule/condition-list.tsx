import { Button, IconButton } from '../../../../design/button.tsx'
import { ConditionFields } from './condition-fields.tsx'
import { type ConditionType, type DraftCondition, newCondition } from './draft.ts'
import type { FieldErrors } from './field-errors.ts'
import { conditionGroups } from './rule-words.ts'

const conditionsMax = 10

/** The conditions of a rule, of which one must hold. */
export function ConditionList({
  conditions,
  errors,
  disabled,
  onConditions,
}: {
  readonly conditions: readonly DraftCondition[]
  readonly errors: FieldErrors
  readonly disabled: boolean
  readonly onConditions: (conditions: readonly DraftCondition[]) => void
}) {
  const replace = (key: string, changed: DraftCondition) =>
    onConditions(conditions.map((one) => (one.key === key ? changed : one)))
  return (
    <div class="stack">
      {conditions.map((condition, index) => (
        <div key={condition.key} class="alert-item">
          <div class="alert-item-head">
            {conditions.length > 1 && <span class="alert-or">{index > 0 ? 'or' : ''}</span>}
            <TypeSelect
              label={`Condition ${index + 1}`}
              type={condition.type}
              disabled={disabled}
              onType={(type) => replace(condition.key, newCondition(type))}
            />
            {conditions.length > 1 && !disabled && (
              <IconButton
                label={`Remove condition ${index + 1}`}
                icon="close"
                onClick={() => onConditions(conditions.filter(({ key }) => key !== condition.key))}
              />
            )}
          </div>
          <ConditionFields
            condition={condition}
            path={`when.${index}`}
            errors={errors}
            disabled={disabled}
            onFields={(fields) =>
              replace(condition.key, { ...condition, fields: { ...condition.fields, ...fields } })
            }
          />
        </div>
      ))}
      {!disabled && (
        <div>
          <Button
            size="s"
            icon="plus"
            disabled={conditions.length >= conditionsMax}
            onClick={() => onConditions([...conditions, newCondition('regression')])}
          >
            Add a condition
          </Button>
        </div>
      )}
    </div>
  )
}

function TypeSelect({
  label,
  type,
  disabled,
  onType,
}: {
  readonly label: string
  readonly type: ConditionType
  readonly disabled: boolean
  readonly onType: (type: ConditionType) => void
}) {
  return (
    <select
      class="input select"
      aria-label={label}
      value={type}
      disabled={disabled}
      onChange={(event) => onType(event.currentTarget.value as ConditionType)}
    >
      {conditionGroups.map((group) => (
        <optgroup key={group.label} label={group.label}>
          {group.types.map((one) => (
            <option key={one.type} value={one.type}>
              {one.label}
            </option>
          ))}
        </optgroup>
      ))}
    </select>
  )
}
