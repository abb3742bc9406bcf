/** Short messages about what has just happened, at the lower edge of the page. */
import { signal } from '@preact/signals'

export interface Toast {
  readonly kind: 'done' | 'error'
  readonly text: string
  readonly requestId?: string
  readonly action?: { readonly label: string; readonly run: () => void }
}

export interface ShownToast extends Toast {
  readonly id: number
}

export const toasts = signal<readonly ShownToast[]>([])

const toastsMax = 3
export const doneMs = 8_000
const errorMs = 20_000
let nextId = 1

/** Returns the id, for `hideToast`. */
export function showToast(toast: Toast): number {
  const id = nextId++
  toasts.value = [...toasts.value, { ...toast, id }].slice(-toastsMax)
  setTimeout(() => hideToast(id), toast.kind === 'error' ? errorMs : doneMs)
  return id
}

export function hideToast(id: number): void {
  toasts.value = toasts.value.filter((toast) => toast.id !== id)
}

/** The undo of the latest toast, for the key `z`. */
export function runLatestAction(): void {
  const latest = toasts.value.findLast(({ action }) => action !== undefined)
  if (latest === undefined) return
  hideToast(latest.id)
  latest.action?.run()
}
