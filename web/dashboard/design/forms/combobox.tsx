/** A text field with suggestions, on the state machine of Zag. */
import * as zagCombobox from '@zag-js/combobox'
import { normalizeProps, useMachine } from '@zag-js/preact'
import { useId } from 'preact/hooks'
import type { Choice, FieldText } from './field.tsx'
import '../css/menu.css'

interface ComboboxProps extends FieldText {
  /** Those that fit the typed text; the caller filters or asks the server. */
  readonly choices: readonly Choice[]
  readonly value: string | undefined
  /** The text of the field, on every key. */
  readonly onText: (text: string) => void
  readonly onValue: (value: string | undefined) => void
  readonly placeholder?: string
  readonly disabled?: boolean
}

const choicesMax = 50

export function Combobox(props: ComboboxProps) {
  const { label, hint, error, hideLabel, value, onText, onValue, placeholder, disabled } = props
  const choices = props.choices.slice(0, choicesMax)
  const collection = zagCombobox.collection({
    items: choices,
    itemToValue: (item) => item.value,
    itemToString: (item) => item.label,
  })
  const id = useId()
  const service = useMachine(zagCombobox.machine, {
    id,
    collection,
    value: value === undefined ? [] : [value],
    disabled: disabled ?? false,
    placeholder: placeholder ?? '',
    openOnClick: true,
    // Without a choice the field is a search, whose text stays when the focus goes elsewhere.
    allowCustomValue: value === undefined,
    positioning: { strategy: 'fixed', sameWidth: true },
    inputBehavior: 'autohighlight',
    onInputValueChange: ({ inputValue }: { inputValue: string }) => onText(inputValue),
    onValueChange: ({ value: chosen }: { value: readonly string[] }) => onValue(chosen[0]),
  })
  const api = zagCombobox.connect(service, normalizeProps)
  return (
    <div class="field" {...api.getRootProps()}>
      {/* biome-ignore lint/a11y/noLabelWithoutControl: Zag sets the id of the field. */}
      <label {...api.getLabelProps()} class={hideLabel === true ? 'screen-reader' : 'field-label'}>
        {label}
      </label>
      <div {...api.getControlProps()}>
        <input
          {...(api.getInputProps() as object)}
          class="input"
          aria-invalid={error !== undefined}
        />
      </div>
      {hint !== undefined && <p class="field-hint">{hint}</p>}
      {error !== undefined && (
        <p class="field-error" role="alert">
          {error}
        </p>
      )}
      <div {...api.getPositionerProps()}>
        {choices.length > 0 && (
          <ul {...api.getContentProps()} class="menu">
            {choices.map((item) => (
              <li key={item.value} {...api.getItemProps({ item })} class="menu-item">
                {item.label}
              </li>
            ))}
          </ul>
        )}
      </div>
    </div>
  )
}
