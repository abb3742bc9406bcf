/**
 * A list of any length: only the rows near the screen exist. The page scrolls, not the list. Keys:
 * `j` and `k` move, Enter opens, `x` selects.
 */
import {
  observeWindowOffset,
  observeWindowRect,
  Virtualizer,
  type VirtualizerOptions,
  windowScroll,
} from '@tanstack/virtual-core'
import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { useShortcuts } from '../../keyboard/shortcuts.ts'
import { ListHead, type ListHeadProps } from './list-head.tsx'
import '../css/windowed-list.css'

interface WindowedListProps<T> {
  /** The name of the list for screen readers. */
  readonly label: string
  readonly items: readonly T[]
  readonly keyOf: (item: T) => string
  /** Names of the columns. */
  readonly head?: ListHeadProps | undefined
  /** The height that rows have before they are measured, in pixels. */
  readonly rowHeight: number
  readonly renderRow: (item: T, state: RowState) => ComponentChildren
  /** The row that `j` and `k` move, by key. Keep it in the address when it opens a panel. */
  readonly current?: string | undefined
  readonly onCurrent?: (key: string) => void
  readonly onOpen?: (item: T) => void
  readonly onSelect?: (item: T) => void
  /** Called when the last rows come near the screen. */
  readonly onEnd?: () => void
}

export interface RowState {
  readonly isCurrent: boolean
  readonly index: number
}

export function WindowedList<T>(props: WindowedListProps<T>) {
  const { label, items, keyOf, head, rowHeight, renderRow } = props
  const { current, onCurrent, onOpen, onSelect } = props
  const ref = useRef<HTMLDivElement>(null)
  const virtualizer = useWindow(ref, { count: items.length, rowHeight, keyOf, items })
  const rows = virtualizer.getVirtualItems()
  const last = rows.at(-1)?.index ?? 0
  useEffect(() => {
    if (items.length > 0 && last >= items.length - 10) props.onEnd?.()
  }, [last, items.length, props.onEnd])

  const index = items.findIndex((item) => keyOf(item) === current)
  const move = (step: number) => {
    const next = items[Math.min(Math.max(index + step, 0), items.length - 1)]
    if (next === undefined) return
    onCurrent?.(keyOf(next))
    virtualizer.scrollToIndex(items.indexOf(next), { align: 'auto' })
  }
  const atCurrent = (run: ((item: T) => void) | undefined) => () => {
    const item = items[index]
    if (item !== undefined) run?.(item)
  }
  useShortcuts([
    ...(onCurrent === undefined
      ? []
      : [
          { keys: 'j', label: 'Next row', group: 'Lists', run: () => move(1) },
          { keys: 'k', label: 'Previous row', group: 'Lists', run: () => move(-1) },
        ]),
    ...(onOpen === undefined
      ? []
      : [{ keys: 'o', label: 'Open the row', group: 'Lists', run: atCurrent(onOpen) }]),
    ...(onSelect === undefined
      ? []
      : [{ keys: 'x', label: 'Select the row', group: 'Lists', run: atCurrent(onSelect) }]),
  ])

  return (
    <>
      {head !== undefined && items.length > 0 && <ListHead {...head} />}
      {/* biome-ignore lint/a11y/useSemanticElements: a <ul> does not allow positioned rows. */}
      <div class="windowed" role="list" aria-label={label} ref={ref}>
        <div class="windowed-space" style={{ height: `${virtualizer.getTotalSize()}px` }}>
          {rows.map((row) => {
            const item = items[row.index]
            if (item === undefined) return null
            const isCurrent = row.index === index
            const top = row.start - virtualizer.options.scrollMargin
            return (
              // biome-ignore lint/a11y/useSemanticElements: see above.
              <div
                key={keyOf(item)}
                role="listitem"
                class="windowed-row"
                data-index={row.index}
                data-current={isCurrent}
                aria-current={isCurrent ? 'true' : undefined}
                aria-setsize={items.length}
                aria-posinset={row.index + 1}
                ref={(node) => virtualizer.measureElement(node)}
                style={{ transform: `translateY(${top}px)` }}
              >
                {renderRow(item, { isCurrent, index: row.index })}
              </div>
            )
          })}
        </div>
      </div>
    </>
  )
}

function useWindow<T>(
  ref: { readonly current: HTMLDivElement | null },
  given: {
    readonly count: number
    readonly rowHeight: number
    readonly items: readonly T[]
    readonly keyOf: (item: T) => string
  },
): Virtualizer<Window, HTMLDivElement> {
  const [, redraw] = useState(0)
  const [margin, setMargin] = useState(0)
  const options: VirtualizerOptions<Window, HTMLDivElement> = {
    count: given.count,
    estimateSize: () => given.rowHeight,
    getItemKey: (index) => {
      const item = given.items[index]
      return item === undefined ? index : given.keyOf(item)
    },
    overscan: 8,
    scrollMargin: margin,
    getScrollElement: () => window,
    observeElementRect: observeWindowRect,
    observeElementOffset: observeWindowOffset,
    scrollToFn: windowScroll,
    initialOffset: () => window.scrollY,
    onChange: () => redraw((count) => count + 1),
  }
  const [virtualizer] = useState(() => new Virtualizer(options))
  virtualizer.setOptions(options)
  useEffect(() => virtualizer._didMount(), [virtualizer])
  useLayoutEffect(() => virtualizer._willUpdate())
  // The list starts below the head of the page, whose height changes with its content.
  useLayoutEffect(() => {
    const top = (ref.current?.getBoundingClientRect().top ?? 0) + window.scrollY
    if (Math.abs(top - margin) > 1) setMargin(top)
  })
  return virtualizer
}
