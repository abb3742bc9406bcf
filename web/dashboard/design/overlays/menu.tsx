/** A button that opens a list of actions, on the state machine of Zag: arrows, typing, Escape. */
import * as zagMenu from '@zag-js/menu'
import { normalizeProps, useMachine } from '@zag-js/preact'
import { useId } from 'preact/hooks'
import { Icon, type IconName } from '../icon.tsx'
import '../css/menu.css'

export interface MenuAction {
  readonly label: string
  readonly icon?: IconName
  readonly danger?: boolean
  readonly disabled?: boolean
  /** A key that does the same, shown at the right. */
  readonly keys?: string
  readonly run: () => void
}

interface MenuProps {
  readonly label: string
  /** Without text the button is the icon alone. */
  readonly icon?: IconName
  readonly hideLabel?: boolean
  readonly kind?: 'plain' | 'quiet'
  readonly size?: 'm' | 's'
  readonly disabled?: boolean
  readonly actions: readonly MenuAction[]
}

export function Menu(props: MenuProps) {
  const { label, icon, hideLabel, kind = 'plain', size = 'm', disabled, actions } = props
  const service = useMachine(zagMenu.machine, {
    id: useId(),
    // Fixed, so that a scrolling panel does not cut it off.
    positioning: { strategy: 'fixed' },
    onSelect: ({ value }: { value: string }) => actions[Number(value)]?.run(),
  })
  const api = zagMenu.connect(service, normalizeProps)
  const look = `button button-${kind} button-${size}${hideLabel === true ? ' button-icon' : ''}`
  return (
    <>
      <button
        {...api.getTriggerProps()}
        class={look}
        disabled={disabled}
        aria-label={hideLabel === true ? label : undefined}
        title={hideLabel === true ? label : undefined}
      >
        {icon !== undefined && <Icon name={icon} />}
        {hideLabel !== true && <span>{label}</span>}
        {hideLabel !== true && <Icon name="chevronDown" size={12} />}
      </button>
      {api.open && (
        <div {...api.getPositionerProps()}>
          <ul {...api.getContentProps()} class="menu">
            {actions.map((action, index) => (
              <li
                key={action.label}
                {...api.getItemProps({
                  value: String(index),
                  disabled: action.disabled ?? false,
                })}
                class={action.danger === true ? 'menu-item menu-danger' : 'menu-item'}
              >
                {action.icon !== undefined && <Icon name={action.icon} />}
                <span>{action.label}</span>
                {action.keys !== undefined && <kbd class="kbd">{action.keys}</kbd>}
              </li>
            ))}
          </ul>
        </div>
      )}
    </>
  )
}
