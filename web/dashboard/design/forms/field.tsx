import type {
  ComponentChildren,
  InputHTMLAttributes,
  SelectHTMLAttributes,
  TextareaHTMLAttributes,
} from 'preact'
import { useId } from 'preact/hooks'
import '../css/field.css'

export interface FieldText {
  readonly label: string
  /** Stays readable while the person types; units, bounds, what it is for. */
  readonly hint?: ComponentChildren
  /** The rule that the value breaks, as the API names it. */
  readonly error?: string | undefined
  /** The label is read by screen readers only. */
  readonly hideLabel?: boolean
}

type Without<T> = Omit<T, 'class' | 'id' | 'label'>

function Field({
  label,
  hint,
  error,
  hideLabel,
  id,
  children,
}: FieldText & { readonly id: string; readonly children: ComponentChildren }) {
  return (
    <div class="field" data-invalid={error !== undefined}>
      <label for={id} class={hideLabel === true ? 'screen-reader' : 'field-label'}>
        {label}
      </label>
      {children}
      {hint !== undefined && (
        <p class="field-hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {error !== undefined && (
        <p class="field-error" id={`${id}-error`} role="alert">
          {error}
        </p>
      )}
    </div>
  )
}

function described(id: string, { hint, error }: FieldText) {
  const ids = [
    ...(hint === undefined ? [] : [`${id}-hint`]),
    ...(error === undefined ? [] : [`${id}-error`]),
  ]
  return {
    id,
    'aria-invalid': error !== undefined,
    ...(ids.length === 0 ? {} : { 'aria-describedby': ids.join(' ') }),
  }
}

export function TextField({
  label,
  hint,
  error,
  hideLabel,
  onText,
  ...rest
}: FieldText & Without<InputHTMLAttributes> & { readonly onText?: (text: string) => void }) {
  const id = useId()
  const text = { label, hint, error, hideLabel: hideLabel ?? false }
  return (
    <Field {...text} id={id}>
      <input
        type="text"
        {...(rest as object)}
        {...described(id, text)}
        class="input"
        onInput={(event) => onText?.(event.currentTarget.value)}
      />
    </Field>
  )
}

export function TextAreaField({
  label,
  hint,
  error,
  hideLabel,
  onText,
  ...rest
}: FieldText & Without<TextareaHTMLAttributes> & { readonly onText?: (text: string) => void }) {
  const id = useId()
  const text = { label, hint, error, hideLabel: hideLabel ?? false }
  return (
    <Field {...text} id={id}>
      <textarea
        rows={4}
        {...(rest as object)}
        {...described(id, text)}
        class="input"
        onInput={(event) => onText?.(event.currentTarget.value)}
      />
    </Field>
  )
}

export interface Choice {
  readonly value: string
  readonly label: string
}

export function SelectField({
  label,
  hint,
  error,
  hideLabel,
  choices,
  onValue,
  ...rest
}: FieldText &
  Without<SelectHTMLAttributes> & {
    readonly choices: readonly Choice[]
    readonly onValue?: (value: string) => void
  }) {
  const id = useId()
  const text = { label, hint, error, hideLabel: hideLabel ?? false }
  return (
    <Field {...text} id={id}>
      <select
        {...(rest as object)}
        {...described(id, text)}
        class="input select"
        onChange={(event) => onValue?.(event.currentTarget.value)}
      >
        {choices.map((choice) => (
          <option key={choice.value} value={choice.value}>
            {choice.label}
          </option>
        ))}
      </select>
    </Field>
  )
}

export function CheckField({
  label,
  hint,
  error,
  onChecked,
  ...rest
}: Omit<FieldText, 'hideLabel'> &
  Without<InputHTMLAttributes> & { readonly onChecked?: (checked: boolean) => void }) {
  const id = useId()
  return (
    <div class="check-field">
      <input
        type="checkbox"
        {...(rest as object)}
        {...described(id, { label, hint, error })}
        class="check"
        onChange={(event) => onChecked?.(event.currentTarget.checked)}
      />
      <label for={id}>{label}</label>
      {hint !== undefined && (
        <p class="field-hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {error !== undefined && (
        <p class="field-error" id={`${id}-error`} role="alert">
          {error}
        </p>
      )}
    </div>
  )
}
