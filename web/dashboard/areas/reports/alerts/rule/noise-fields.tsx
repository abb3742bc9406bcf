import { Button } from '../../../../design/button.tsx'
import { formatExact } from '../../../../design/content/format.ts'
import { CheckField, TextField } from '../../../../design/forms/field.tsx'
import { TimeZoneField } from '../../common/time-zone-field.tsx'
import { ChoicesField } from './choices-field.tsx'
import type { QuietHours, RuleDraft } from './draft.ts'
import type { FieldErrors } from './field-errors.ts'
import { DurationField } from './number-field.tsx'

const days = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']
const hourMs = 3_600_000

/** How often a rule may tell something, and when it is quiet. */
export function NoiseFields({
  draft,
  errors,
  disabled,
  onDraft,
}: {
  readonly draft: RuleDraft
  readonly errors: FieldErrors
  readonly disabled: boolean
  readonly onDraft: (change: Partial<RuleDraft>) => void
}) {
  const { quiet_hours: quiet, muted_until: mutedUntil } = draft
  const setQuiet = (change: Partial<QuietHours>) =>
    onDraft({ quiet_hours: { ...quietDefault(), ...quiet, ...change } })
  const isMuted = mutedUntil !== null && Date.parse(mutedUntil) > Date.now()
  const mute = (untilMs: number) => onDraft({ muted_until: new Date(untilMs).toISOString() })
  return (
    <div class="stack">
      <div class="alert-fields">
        <DurationField
          label="Silence per issue"
          value={draft.cooldown_seconds}
          hint="After it fired about an issue. 0: none."
          disabled={disabled}
          error={errors.of('cooldown_seconds')}
          onNumber={(value) => onDraft({ cooldown_seconds: value })}
        />
        <DurationField
          label="Digest"
          value={draft.digest_seconds}
          hint="What follows a notification is collected for so long."
          disabled={disabled}
          error={errors.of('digest_seconds')}
          onNumber={(value) => onDraft({ digest_seconds: value })}
        />
      </div>
      <CheckField
        label="Quiet hours"
        hint="What fires in them is sent afterwards, in one digest."
        checked={quiet !== null}
        disabled={disabled}
        onChecked={(checked) => onDraft({ quiet_hours: checked ? quietDefault() : null })}
      />
      {quiet !== null && (
        <div class="stack alert-inner">
          <div class="alert-fields">
            <TextField
              label="From"
              type="time"
              value={quiet.from}
              disabled={disabled}
              error={errors.of('quiet_hours.from')}
              onText={(from) => setQuiet({ from })}
            />
            <TextField
              label="To"
              type="time"
              value={quiet.to}
              disabled={disabled}
              error={errors.of('quiet_hours.to')}
              onText={(to) => setQuiet({ to })}
            />
            <TimeZoneField
              value={quiet.timezone}
              disabled={disabled}
              error={errors.of('quiet_hours.timezone')}
              onText={(timezone) => setQuiet({ timezone })}
            />
          </div>
          <ChoicesField
            label="On"
            choices={days.map((label, index) => ({ value: index + 1, label }))}
            values={quiet.days ?? [1, 2, 3, 4, 5, 6, 7]}
            disabled={disabled}
            error={errors.of('quiet_hours.days')}
            onValues={(values) => setQuiet({ days: values as number[] })}
          />
        </div>
      )}
      <div class="row">
        {isMuted ? (
          <>
            <span class="small">Muted until {formatExact(mutedUntil)}</span>
            <Button size="s" disabled={disabled} onClick={() => onDraft({ muted_until: null })}>
              Unmute
            </Button>
          </>
        ) : (
          <>
            <span class="small soft">Mute for</span>
            <Button size="s" disabled={disabled} onClick={() => mute(Date.now() + hourMs)}>
              1 hour
            </Button>
            <Button size="s" disabled={disabled} onClick={() => mute(Date.now() + 24 * hourMs)}>
              1 day
            </Button>
            <Button size="s" disabled={disabled} onClick={() => mute(Date.now() + 168 * hourMs)}>
              1 week
            </Button>
          </>
        )}
        {errors.of('muted_until') !== undefined && (
          <p class="field-error">{errors.of('muted_until')}</p>
        )}
      </div>
    </div>
  )
}

function quietDefault(): QuietHours {
  const timezone = Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC'
  return { from: '22:00', to: '06:00', timezone }
}
