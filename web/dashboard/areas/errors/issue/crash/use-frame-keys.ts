/** `j` and `k` move the focus through the frames; Enter opens one, because they are buttons. */
import { useShortcuts } from '../../../../keyboard/shortcuts.ts'

export function useFrameKeys(): void {
  useShortcuts([
    { keys: 'j', label: 'Next frame', group: 'Event', run: () => moveFrame(1) },
    { keys: 'k', label: 'Previous frame', group: 'Event', run: () => moveFrame(-1) },
  ])
}

function moveFrame(step: number): void {
  const frames = [...document.querySelectorAll<HTMLElement>('.issue-main [data-frame]')]
  const index = frames.indexOf(document.activeElement as HTMLElement)
  const next = index === -1 ? frames[step > 0 ? 0 : -1] : frames[index + step]
  next?.focus({ preventScroll: true })
  next?.scrollIntoView({ block: 'center' })
}
