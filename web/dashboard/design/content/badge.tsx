import type { ComponentChildren } from 'preact'
import '../css/badge.css'

export type Tone = 'neutral' | 'accent' | 'danger' | 'warning' | 'success' | 'info' | 'purple'

/** A state in one or two words. The word carries the meaning, the color repeats it. */
export function Badge({
  tone = 'neutral',
  title,
  children,
}: {
  readonly tone?: Tone
  readonly title?: string
  readonly children: ComponentChildren
}) {
  return (
    <span class={`badge badge-${tone}`} title={title}>
      {children}
    </span>
  )
}

/** A filter that something else on the page has set; a click removes it. */
export function FilterChip({
  onRemove,
  children,
}: {
  readonly onRemove: () => void
  readonly children: ComponentChildren
}) {
  return (
    <button type="button" class="filter-chip truncate" title="Remove the filter" onClick={onRemove}>
      {children} ✕
    </button>
  )
}

export function Kbd({ keys }: { readonly keys: string }) {
  return (
    <span class="keys">
      {keys.split(' ').map((key) => (
        <kbd key={key} class="kbd">
          {key.replace('Mod+', isMac ? '⌘ ' : 'Ctrl ').replace('Escape', 'Esc')}
        </kbd>
      ))}
    </span>
  )
}

const isMac = /mac/i.test(navigator.platform)

/** The initials of a person, in a color that depends on the name. */
export function Avatar({ name, size = 20 }: { readonly name: string; readonly size?: number }) {
  const initials = name
    .split(/[\s.@_-]+/)
    .slice(0, 2)
    .map((word) => [...word][0] ?? '')
    .join('')
    .toUpperCase()
  let hue = 0
  for (const character of name) hue = (hue * 31 + (character.codePointAt(0) ?? 0)) % 6
  return (
    <span
      class={`avatar avatar-${hue}`}
      style={{ width: `${size}px`, height: `${size}px`, fontSize: `${size * 0.42}px` }}
      aria-hidden="true"
    >
      {initials}
    </span>
  )
}

/** How much of a limit is used; above 80 percent it warns. */
export function Meter({
  label,
  value,
  max,
}: {
  readonly label: string
  readonly value: number
  readonly max: number
}) {
  const share = max > 0 ? Math.min(value / max, 1) : 0
  const tone = share >= 1 ? 'danger' : share >= 0.8 ? 'warning' : 'accent'
  return (
    // biome-ignore lint/a11y/useSemanticElements: browsers style <meter> differently.
    <div
      class="meter"
      role="meter"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={max}
      aria-valuenow={Math.min(value, max)}
    >
      <div class={`meter-bar meter-${tone}`} style={{ width: `${share * 100}%` }} />
    </div>
  )
}
