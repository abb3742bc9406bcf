/**
 * Typed text that is not saved yet, by person, project and form. It stays while the person opens
 * another page of the dashboard, and the browser asks before the tab is closed.
 */
import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { me } from '../../../../session/session.ts'

const unsaved = signal<ReadonlyMap<string, unknown>>(new Map())

export function useUnsaved<T>(
  form: string,
  projectId: string,
): readonly [T | undefined, (value: T | undefined) => void] {
  const key = `${me.value?.id} ${projectId} ${form}`
  const set = (value: T | undefined) => {
    const next = new Map(unsaved.value)
    if (value === undefined) next.delete(key)
    else next.set(key, value)
    unsaved.value = next
  }
  return [unsaved.value.get(key) as T | undefined, set]
}

/** The browser asks before it closes or reloads the tab. */
export function useLeaveWarning(isChanged: boolean): void {
  useEffect(() => {
    if (!isChanged) return
    const ask = (event: BeforeUnloadEvent) => event.preventDefault()
    addEventListener('beforeunload', ask)
    return () => removeEventListener('beforeunload', ask)
  }, [isChanged])
}
