/**
 * A button that opens a list of actions. Pages have many of them and people open few: until then a
 * menu is a button alone, and its code is loaded when somebody comes near one.
 */
import { useState } from 'preact/hooks'
import { messageOf } from '../../http/problem.ts'
import { showToast } from '../../shell/toast-list.ts'
import { MenuButton, type MenuProps } from './menu-button.tsx'
import '../css/menu.css'

export type { MenuAction } from './menu-button.tsx'

type OpenMenu = typeof import('./zag-menu.tsx').ZagMenu

const loadMenu = () => import('./zag-menu.tsx')

export function Menu(props: MenuProps) {
  const [opened, setOpened] = useState<{ readonly Menu: OpenMenu }>()
  if (opened !== undefined) return <opened.Menu {...props} />
  const open = () =>
    void loadMenu().then(
      ({ ZagMenu }) => setOpened({ Menu: ZagMenu }),
      (error: unknown) => showToast({ kind: 'error', text: messageOf(error) }),
    )
  const prepare = () => void loadMenu().catch(() => undefined)
  return (
    <MenuButton
      {...props}
      trigger={{
        'aria-haspopup': 'menu',
        'aria-expanded': false,
        onPointerEnter: prepare,
        onFocus: prepare,
        onClick: open,
        onKeyDown: (event) => {
          if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
          event.preventDefault()
          open()
        },
      }}
    />
  )
}
