import { type Choice, SelectField } from '../../../design/forms/field.tsx'
import { useSearchParams } from '../../../url/use-search-params.ts'

/** A filter that lives in the address under its name; without a value it shows everything. */
export function FilterSelect({
  name,
  label,
  all,
  choices,
}: {
  readonly name: string
  readonly label: string
  /** The choice that shows everything: `All kinds`. */
  readonly all: string
  readonly choices: readonly Choice[]
}) {
  const params = useSearchParams()
  return (
    <div class="email-filter">
      <SelectField
        label={label}
        hideLabel
        value={params.get(name) ?? ''}
        choices={[{ value: '', label: all }, ...choices]}
        onValue={(value) => params.set({ [name]: value })}
      />
    </div>
  )
}

/** A value of the address that is one of the choices; anything else is no filter. */
export function oneOf<T extends string>(
  choices: Readonly<Record<T, string>>,
  value: string | undefined,
): T | undefined {
  return value !== undefined && Object.hasOwn(choices, value) ? (value as T) : undefined
}

export function choicesOf(labels: Readonly<Record<string, string>>): Choice[] {
  return Object.entries(labels).map(([value, label]) => ({ value, label }))
}
