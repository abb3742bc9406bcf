/**
 * Keyboard shortcuts. A component registers its keys while it is on the screen; `?` lists those
 * that work now. The component that was mounted last wins a key. Keys without Ctrl or Cmd do
 * nothing while the person types, and none works behind a dialog.
 */
import { signal } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'

export interface Shortcut {
  /** `j`, `Enter`, `Escape`, `Mod+k`, or two keys in a row: `g i`. */
  readonly keys: string
  readonly label: string
  readonly run: (event: KeyboardEvent) => void
  /** The heading in the list of shortcuts. */
  readonly group?: string
}

export const shortcuts = signal<readonly Shortcut[]>([])
const sequenceMs = 1_000
let firstKey: { readonly key: string; readonly atMs: number } | undefined

export function useShortcuts(given: readonly Shortcut[]): void {
  const current = useRef(given)
  current.current = given
  const names = given.map(({ keys, label }) => `${keys} ${label}`).join('\n')
  // Before the next paint: keys that are pressed as soon as the row is seen must work.
  useLayoutEffect(() => {
    const stable = current.current.map((shortcut, index) => ({
      ...shortcut,
      run: (event: KeyboardEvent) => current.current[index]?.run(event),
    }))
    shortcuts.value = [...shortcuts.value, ...stable]
    return () => {
      shortcuts.value = shortcuts.value.filter((shortcut) => !stable.includes(shortcut as never))
    }
  }, [names])
}

export function listenForShortcuts(): void {
  document.addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.isComposing) return
    const mod = event.ctrlKey || event.metaKey
    if (!mod && (isTyping(event.target) || document.querySelector('dialog[open]') !== null)) return
    if (event.altKey) return
    const name = mod ? `Mod+${event.key.toLowerCase()}` : event.key
    const isSecond = firstKey !== undefined && event.timeStamp - firstKey.atMs < sequenceMs
    const sequence = isSecond ? `${firstKey?.key} ${name}` : undefined
    firstKey = undefined
    const found = findShortcut(sequence) ?? findShortcut(name)
    if (found !== undefined) {
      event.preventDefault()
      found.run(event)
      return
    }
    const starts = shortcuts.value.some(({ keys }) => keys.startsWith(`${name} `))
    if (starts) firstKey = { key: name, atMs: event.timeStamp }
  })
}

function findShortcut(keys: string | undefined): Shortcut | undefined {
  return keys === undefined ? undefined : shortcuts.value.findLast((one) => one.keys === keys)
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  if (target.isContentEditable || target.tagName === 'TEXTAREA') return true
  if (target.tagName === 'SELECT') return true
  const { type = '' } = target as HTMLInputElement
  return target.tagName === 'INPUT' && !['checkbox', 'radio', 'button', 'range'].includes(type)
}
