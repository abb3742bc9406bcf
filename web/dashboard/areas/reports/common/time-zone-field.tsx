import { useId } from 'preact/hooks'
import { TextField } from '../../../design/forms/field.tsx'

const zones: readonly string[] = ['UTC', ...Intl.supportedValuesOf('timeZone')]

/** A name of the tz database, with those that the browser knows as suggestions. */
export function TimeZoneField({
  value,
  error,
  disabled,
  onText,
}: {
  readonly value: string
  readonly error?: string | undefined
  readonly disabled?: boolean
  readonly onText: (text: string) => void
}) {
  const list = useId()
  return (
    <>
      <TextField
        label="Time zone"
        value={value}
        onText={onText}
        error={error}
        {...({ list } as object)}
        disabled={disabled ?? false}
        autocomplete="off"
        spellcheck={false}
      />
      <datalist id={list}>
        {zones.map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
    </>
  )
}
