/** Check boxes of a few fixed values in one row. */
export function ChoicesField({
  label,
  choices,
  values,
  onValues,
  error,
  hint,
  disabled,
}: {
  readonly label: string
  readonly choices: readonly { readonly value: string | number; readonly label: string }[]
  readonly values: readonly (string | number)[]
  readonly onValues: (values: readonly (string | number)[]) => void
  readonly error?: string | undefined
  readonly hint?: string
  readonly disabled?: boolean
}) {
  return (
    <fieldset class="alert-choices" disabled={disabled}>
      <legend class="field-label">{label}</legend>
      <div class="row">
        {choices.map((choice) => (
          <label key={choice.value} class="alert-choice">
            <input
              type="checkbox"
              class="check"
              checked={values.includes(choice.value)}
              onChange={(event) => {
                const { checked } = event.currentTarget
                const all = choices.map(({ value }) => value)
                onValues(
                  all.filter((value) =>
                    value === choice.value ? checked : values.includes(value),
                  ),
                )
              }}
            />
            {choice.label}
          </label>
        ))}
      </div>
      {hint !== undefined && <p class="field-hint">{hint}</p>}
      {error !== undefined && (
        <p class="field-error" role="alert">
          {error}
        </p>
      )}
    </fieldset>
  )
}
