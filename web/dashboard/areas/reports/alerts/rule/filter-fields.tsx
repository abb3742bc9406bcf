import { useState } from 'preact/hooks'
import { Button, IconButton } from '../../../../design/button.tsx'
import { CheckField, TextField } from '../../../../design/forms/field.tsx'
import { useTagValues } from '../../common/environment-choice.tsx'
import { ChipsField } from './chips-field.tsx'
import { ChoicesField } from './choices-field.tsx'
import type { Filter } from './draft.ts'
import type { FieldErrors } from './field-errors.ts'

const levels = ['fatal', 'error', 'warning', 'info', 'debug'] as const

/** What an event must be; all that is given must match. */
export function FilterFields({
  filter,
  use,
  errors,
  disabled,
  onFilter,
}: {
  readonly filter: Filter
  readonly use: 'all' | 'environment' | 'none'
  readonly errors: FieldErrors
  readonly disabled: boolean
  readonly onFilter: (filter: Filter) => void
}) {
  const environments = useTagValues('environment')
  const components = useTagValues('component')
  const releases = useTagValues('release')
  const set = (change: Partial<Filter>) => onFilter({ ...filter, ...change })
  const isFilled = Object.keys(filter).length > 0
  if (use === 'none' && !isFilled) {
    return <p class="small soft">Filters apply to conditions about issues only.</p>
  }
  const chips = (
    name: 'environment' | 'component' | 'release',
    label: string,
    suggestions: readonly string[],
    placeholder?: string,
  ) => (
    <ChipsField
      label={label}
      values={filter[name] ?? []}
      suggestions={suggestions}
      placeholder={placeholder ?? 'any'}
      disabled={disabled}
      error={errors.of(`if.${name}`)}
      onValues={(values) => set({ [name]: values })}
    />
  )
  return (
    <div class="stack">
      <div class="alert-fields">
        {chips('environment', 'Environment', environments)}
        {use !== 'environment' && chips('release', 'Release', releases, 'any, such as shop@2.*')}
        {use !== 'environment' && chips('component', 'Component', components)}
      </div>
      {use !== 'environment' && (
        <>
          <ChoicesField
            label="Level"
            choices={levels.map((value) => ({ value, label: value }))}
            values={filter.level ?? []}
            disabled={disabled}
            hint="None selected: every level."
            error={errors.of('if.level')}
            onValues={(values) => set({ level: values as NonNullable<Filter['level']> })}
          />
          <Tags filter={filter} errors={errors} disabled={disabled} onFilter={onFilter} />
          <TextField
            label="Search"
            spellcheck={false}
            autocomplete="off"
            placeholder='any, such as !release:*-rc* url:"https://shop.test/*"'
            hint="A search over events, as in the list of issues."
            value={filter.query ?? ''}
            disabled={disabled}
            error={errors.of('if.query')}
            onText={(query) => set({ query })}
          />
          <CheckField
            label="Only issues that are neither resolved nor ignored"
            checked={filter.unresolved === true}
            disabled={disabled}
            onChecked={(unresolved) => set({ unresolved })}
          />
        </>
      )}
    </div>
  )
}

function Tags({
  filter,
  errors,
  disabled,
  onFilter,
}: {
  readonly filter: Filter
  readonly errors: FieldErrors
  readonly disabled: boolean
  readonly onFilter: (filter: Filter) => void
}) {
  const [name, setName] = useState('')
  const tags = filter.tags ?? {}
  const setTags = (changed: Readonly<Record<string, readonly string[]>>) =>
    onFilter({ ...filter, tags: changed })
  const add = () => {
    if (name.trim() === '') return
    setTags({ ...tags, [name.trim()]: tags[name.trim()] ?? [] })
    setName('')
  }
  return (
    <>
      {Object.entries(tags).map(([key, values]) => (
        <div key={key} class="alert-tag">
          <ChipsField
            label={`Tag ${key}`}
            values={values}
            disabled={disabled}
            placeholder="a value; * is any text"
            error={errors.of(`if.tags.${key}`)}
            onValues={(changed) => setTags({ ...tags, [key]: changed })}
          />
          {!disabled && (
            <IconButton
              label={`Remove the tag ${key}`}
              icon="close"
              onClick={() => {
                const { [key]: _, ...others } = tags
                setTags(others)
              }}
            />
          )}
        </div>
      ))}
      {!disabled && (
        <div class="alert-add-tag">
          <TextField
            label="Tag"
            placeholder="such as customer_tier"
            value={name}
            onText={setName}
            error={errors.of('if.tags')}
            onKeyDown={(event: KeyboardEvent) => {
              if (event.key !== 'Enter') return
              event.preventDefault()
              add()
            }}
          />
          <Button size="s" icon="plus" disabled={name.trim() === ''} onClick={add}>
            Add the tag
          </Button>
        </div>
      )}
    </>
  )
}
