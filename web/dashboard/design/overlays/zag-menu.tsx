/** A menu on the state machine of Zag: arrows, typing, Escape. */
import * as zagMenu from '@zag-js/menu'
import { normalizeProps, useMachine } from '@zag-js/preact'
import { useId } from 'preact/hooks'
import { Icon } from '../icon.tsx'
import { MenuButton, type MenuProps } from './menu-button.tsx'

/** It is open at first: a click asked for it. */
export function ZagMenu(props: MenuProps) {
  const { actions } = props
  const service = useMachine(zagMenu.machine, {
    id: useId(),
    defaultOpen: true,
    // Fixed, so that a scrolling panel does not cut it off.
    positioning: { strategy: 'fixed' },
    onSelect: ({ value }: { value: string }) => actions[Number(value)]?.run(),
  })
  const api = zagMenu.connect(service, normalizeProps)
  return (
    <>
      <MenuButton {...props} trigger={api.getTriggerProps()} />
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
