import { signal } from '@preact/signals'
import { formatExact, formatRelative } from './format.ts'

/** One clock for all times on the page. */
const nowMs = signal(Date.now())
setInterval(() => {
  if (document.visibilityState === 'visible') nowMs.value = Date.now()
}, 15_000)
document.addEventListener('visibilitychange', () => {
  nowMs.value = Date.now()
})

/** `3 h ago`, with the exact time on hover and for machines. */
export function Time({ at }: { readonly at: string | null | undefined }) {
  if (at === null || at === undefined) return <span class="soft">never</span>
  return (
    <time class="time" dateTime={at} title={formatExact(at)}>
      {formatRelative(at, Math.max(nowMs.value, Date.now()))}
    </time>
  )
}
