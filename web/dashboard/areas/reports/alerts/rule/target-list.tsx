import { useState } from 'preact/hooks'
import { channelLabels } from '../../../../deliveries/channel-labels.ts'
import { Button, IconButton } from '../../../../design/button.tsx'
import { Badge } from '../../../../design/content/badge.tsx'
import { Time } from '../../../../design/content/time.tsx'
import { CheckField, SelectField } from '../../../../design/forms/field.tsx'
import { Notice } from '../../common/numbers.tsx'
import { type DraftTarget, newTarget, type TargetType } from './draft.ts'
import type { FieldErrors } from './field-errors.ts'
import { channelTypes } from './rule-words.ts'
import { TargetFields } from './target-fields.tsx'

const targetsMax = 10

/** Where notifications of a rule go. */
export function TargetList({
  targets,
  errors,
  disabled,
  onTargets,
  onRotate,
}: {
  readonly targets: readonly DraftTarget[]
  readonly errors: FieldErrors
  readonly disabled: boolean
  readonly onTargets: (targets: readonly DraftTarget[]) => void
  /** Of a stored webhook. */
  readonly onRotate: (targetId: string) => void
}) {
  const [type, setType] = useState<TargetType>('webhook')
  const replace = (key: string, changed: DraftTarget) =>
    onTargets(targets.map((one) => (one.key === key ? changed : one)))
  return (
    <div class="stack">
      {targets.map((target, index) => (
        <div key={target.key} class="alert-item">
          <div class="alert-item-head">
            <strong>{channelLabels[target.type]}</strong>
            <TargetState target={target} />
            <span class="alert-item-actions">
              {target.type === 'webhook' && target.stored !== undefined && !disabled && (
                <Button size="s" icon="key" onClick={() => onRotate(target.stored?.id ?? '')}>
                  Rotate the secret
                </Button>
              )}
              {!disabled && (
                <IconButton
                  label={`Remove ${channelLabels[target.type]}`}
                  icon="close"
                  onClick={() => onTargets(targets.filter(({ key }) => key !== target.key))}
                />
              )}
            </span>
          </div>
          <TargetFields
            target={target}
            path={`then.${index}`}
            errors={errors}
            disabled={disabled}
            onFields={(fields) =>
              replace(target.key, { ...target, fields: { ...target.fields, ...fields } })
            }
          />
          {target.stored !== undefined && (
            <CheckField
              label="Send there"
              checked={target.enabled}
              disabled={disabled}
              onChecked={(enabled) => replace(target.key, { ...target, enabled })}
            />
          )}
        </div>
      ))}
      {errors.of('then') !== undefined && targets.length === 0 && (
        <p class="field-error" role="alert">
          {errors.of('then')}
        </p>
      )}
      {!disabled && (
        <div class="row">
          <div class="reports-choice">
            <SelectField
              label="Channel"
              hideLabel
              value={type}
              choices={channelTypes.map((value) => ({ value, label: channelLabels[value] }))}
              onValue={(value) => setType(value as TargetType)}
            />
          </div>
          <Button
            size="s"
            icon="plus"
            disabled={targets.length >= targetsMax}
            onClick={() => onTargets([...targets, newTarget(type)])}
          >
            Add a channel
          </Button>
        </div>
      )}
    </div>
  )
}

/** Why nothing arrives there, if so. */
function TargetState({ target }: { readonly target: DraftTarget }) {
  const { stored } = target
  if (stored === undefined) return <Badge tone="accent">New</Badge>
  if (stored.disabled_at !== null) {
    return (
      <Notice tone="danger">
        Switched off <Time at={stored.disabled_at} />
        {stored.disabled_reason === null ? '.' : `: ${stored.disabled_reason}`} Select “Send there”
        and save to try again.
      </Notice>
    )
  }
  if (stored.paused_until !== null && Date.parse(stored.paused_until) > Date.now()) {
    return (
      <Notice>
        Attempts failed. The next one is <Time at={stored.paused_until} />.
      </Notice>
    )
  }
  return null
}
