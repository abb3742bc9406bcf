import type { ButtonHTMLAttributes } from 'preact'
import { Icon, type IconName } from '../icon.tsx'

export interface MenuAction {
  readonly label: string
  readonly icon?: IconName
  readonly danger?: boolean
  readonly disabled?: boolean
  /** A key that does the same, shown at the right. */
  readonly keys?: string
  readonly run: () => void
}

export interface MenuProps {
  readonly label: string
  /** Without text the button is the icon alone. */
  readonly icon?: IconName
  readonly hideLabel?: boolean
  readonly kind?: 'plain' | 'quiet'
  readonly size?: 'm' | 's'
  readonly disabled?: boolean
  readonly actions: readonly MenuAction[]
}

type Trigger = ButtonHTMLAttributes<HTMLButtonElement>

export function MenuButton(props: MenuProps & { readonly trigger: Trigger }) {
  const { label, icon, hideLabel, kind = 'plain', size = 'm', disabled, trigger } = props
  const look = `button button-${kind} button-${size}${hideLabel === true ? ' button-icon' : ''}`
  return (
    <button
      {...trigger}
      type="button"
      class={look}
      disabled={disabled}
      aria-label={hideLabel === true ? label : undefined}
      title={hideLabel === true ? label : undefined}
    >
      {icon !== undefined && <Icon name={icon} />}
      {hideLabel !== true && <span>{label}</span>}
      {hideLabel !== true && <Icon name="chevronDown" size={12} />}
    </button>
  )
}
