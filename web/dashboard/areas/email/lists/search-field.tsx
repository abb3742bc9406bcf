import { useEffect, useState } from 'preact/hooks'
import { TextField } from '../../../design/forms/field.tsx'
import { useShortcuts } from '../../../keyboard/shortcuts.ts'
import { useDelayed } from '../../../shell/use-delayed.ts'
import { useSearchParams } from '../../../url/use-search-params.ts'

const typingMs = 250
const charactersMax = 200

/** A search that lives in the address as `query`; the key `/` moves the focus to it. */
export function SearchField({
  label,
  placeholder,
}: {
  readonly label: string
  readonly placeholder: string
}) {
  const params = useSearchParams()
  const shown = params.get('query') ?? ''
  const [typed, setTyped] = useState(shown)
  const settled = useDelayed(typed.trim(), typingMs)
  useEffect(() => {
    if (settled !== shown) params.set({ query: settled }, 'replace')
  }, [settled])
  // Back, forward, or a link that resets the filters.
  useEffect(() => {
    if (typed.trim() !== shown) setTyped(shown)
  }, [shown])
  useShortcuts([
    {
      keys: '/',
      label: 'Search',
      group: 'Lists',
      run: (event) => {
        event.preventDefault()
        document.querySelector<HTMLElement>('.email-search input')?.focus()
      },
    },
  ])
  return (
    <div class="email-search">
      <TextField
        label={label}
        hideLabel
        type="search"
        value={typed}
        maxLength={charactersMax}
        placeholder={placeholder}
        onText={setTyped}
      />
    </div>
  )
}
