/** The fields of a settings form, and its buttons. */
import type { ComponentChildren } from 'preact'
import { Button } from '../../../../design/button.tsx'
import { ProblemBox } from '../../../../design/content/states.tsx'
import { CheckField, TextAreaField } from '../../../../design/forms/field.tsx'
import { canWrite } from '../../../../session/session.ts'
import { type FlagField, hasLineBreak, type ListField, linesOf } from './settings-draft.ts'
import type { SettingsForm } from './use-settings-form.ts'
import './settings.css'

interface FieldProps<F> {
  readonly form: SettingsForm
  readonly field: F
  readonly label: string
  readonly hint: ComponentChildren
}

export function FlagSetting({ form, field, label, hint }: FieldProps<FlagField>) {
  return (
    <CheckField
      label={label}
      hint={hint}
      checked={form.flag(field)}
      disabled={!canWrite.value}
      error={form.ruleOf(field)}
      onChecked={(isChecked) => form.set(field, isChecked)}
    />
  )
}

const rowsMin = 3
const rowsMax = 12

/** A list, one entry a line. */
export function ListSetting({
  form,
  field,
  label,
  hint,
  max,
  placeholder,
}: FieldProps<ListField> & { readonly max: number; readonly placeholder: string }) {
  const text = form.text(field)
  const count = linesOf(text).length
  const isFixed = hasLineBreak(form.settings, field)
  return (
    <div class="settings-list">
      <TextAreaField
        label={label}
        hint={
          <>
            {hint} One a line, {count} of at most {max}.
            {isFixed && ' An entry contains a line break: change this list with the API.'}
          </>
        }
        rows={Math.min(Math.max(text.split('\n').length + 1, rowsMin), rowsMax)}
        spellcheck={false}
        autocapitalize="off"
        autocomplete="off"
        value={text}
        placeholder={placeholder}
        readOnly={!canWrite.value || isFixed}
        error={form.ruleOf(field)}
        onText={(typed) => form.set(field, typed)}
      />
    </div>
  )
}

/** The form around the fields: what failed above them, the buttons below. */
export function SettingsFormBox({
  form,
  children,
}: {
  readonly form: SettingsForm
  readonly children: ComponentChildren
}) {
  return (
    <form class="settings-form" onSubmit={form.onSubmit}>
      {children}
      {form.problem !== undefined && <ProblemBox problem={form.problem} />}
      {canWrite.value && (
        <div class={form.isChanged ? 'form-actions settings-save-changed' : 'form-actions'}>
          <Button kind="primary" type="submit" busy={form.isBusy} disabled={!form.isChanged}>
            Save
          </Button>
          {form.isChanged && (
            <Button disabled={form.isBusy} onClick={form.discard}>
              Discard changes
            </Button>
          )}
          <span class="soft small" role="status">
            {form.isChanged ? 'Not saved yet.' : ''}
          </span>
        </div>
      )}
    </form>
  )
}
