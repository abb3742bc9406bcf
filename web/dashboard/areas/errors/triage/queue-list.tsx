import { useEffect, useRef } from 'preact/hooks'
import { Button } from '../../../design/button.tsx'
import { Time } from '../../../design/content/time.tsx'
import { Icon } from '../../../design/icon.tsx'
import type { TriageEntry } from '../../../generated/api.d.ts'
import { LevelMark } from '../issue-marks.tsx'
import { reasonLabels } from './reason-text.ts'
import { keyOfEntry } from './use-queue.ts'

interface QueueListProps {
  readonly entries: readonly TriageEntry[]
  readonly currentKey: string
  readonly hasMore: boolean
  readonly onEnd: () => void
  readonly onCurrent: (key: string) => void
}

/** Rows around the present entry; a long queue is not drawn whole. */
const shownBefore = 20
const shownMax = 80

/** What waits, oldest first. */
export function QueueList({ entries, currentKey, hasMore, onEnd, onCurrent }: QueueListProps) {
  const list = useRef<HTMLOListElement>(null)
  const index = entries.findIndex((entry) => keyOfEntry(entry) === currentKey)
  const first = Math.max(0, index - shownBefore)
  const shown = entries.slice(first, first + shownMax)
  useEffect(() => {
    const box = list.current
    const row = box?.querySelector<HTMLElement>('[aria-current="true"]')
    if (box === null || row === null || row === undefined) return
    // Only the list scrolls, not the page.
    const top = row.offsetTop - box.offsetTop
    if (top < box.scrollTop) box.scrollTop = top
    const bottom = top + row.offsetHeight
    if (bottom > box.scrollTop + box.clientHeight) box.scrollTop = bottom - box.clientHeight
  }, [currentKey])
  return (
    <nav class="triage-queue" aria-label="Queue">
      <ol ref={list}>
        {shown.map((entry) => {
          const key = keyOfEntry(entry)
          return (
            <li key={key}>
              <button
                type="button"
                aria-current={key === currentKey ? 'true' : undefined}
                onClick={() => onCurrent(key)}
              >
                {entry.issue === null ? (
                  <Icon name="clock" size={12} />
                ) : (
                  <LevelMark level={entry.issue.level} />
                )}
                <span class="truncate triage-title">
                  {entry.issue?.title ?? entry.monitor?.slug}
                </span>
                <span class="triage-row-sub">
                  {reasonLabels[entry.reason]} · <Time at={entry.since} />
                </span>
              </button>
            </li>
          )
        })}
      </ol>
      {(hasMore || shown.length < entries.length) && (
        <Button size="s" kind="quiet" disabled={!hasMore} onClick={onEnd}>
          {hasMore ? 'Load more' : 'More below: j moves on'}
        </Button>
      )}
    </nav>
  )
}
