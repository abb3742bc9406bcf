import type { ComponentChildren } from 'preact'
import { useLocation } from 'preact-iso'
import { Button } from '../../../design/button.tsx'
import type { ListHeadProps } from '../../../design/content/list-head.tsx'
import { EmptyState, ProblemBox, Skeleton } from '../../../design/content/states.tsx'
import { type RowState, WindowedList } from '../../../design/content/windowed-list.tsx'
import type { Pages } from '../../../http/use-pages.ts'
import { useSearchParams } from '../../../url/use-search-params.ts'
import './email-list.css'

interface PagedListProps<T> {
  readonly label: string
  readonly pages: Pages<T>
  readonly keyOf: (item: T) => string
  readonly head?: ListHeadProps
  readonly rowHeight: number
  readonly renderRow: (item: T, state: RowState) => ComponentChildren
  /** A filter or search is set: an empty list then offers to reset it. */
  readonly isFiltered: boolean
  /** What is shown while there is nothing at all. */
  readonly empty: ComponentChildren
  readonly onOpen?: (item: T) => void
}

/** A list in pages with its states: loading, failed, nothing yet, nothing that matches. */
export function PagedList<T>(props: PagedListProps<T>) {
  const { label, pages, keyOf, head, rowHeight, renderRow, isFiltered, empty, onOpen } = props
  const params = useSearchParams()
  const { path, route } = useLocation()
  if (pages.problem !== undefined && pages.items.length === 0) {
    return <ProblemBox problem={pages.problem} onRetry={pages.refetch} />
  }
  if (pages.isLoading) return <Skeleton lines={8} height={28} />
  if (pages.items.length === 0 && isFiltered) {
    return (
      <EmptyState icon="search" title="Nothing matches">
        <Button onClick={() => route(path)}>Reset the filters</Button>
      </EmptyState>
    )
  }
  if (pages.items.length === 0) return <>{empty}</>
  return (
    <>
      {pages.problem !== undefined && (
        <ProblemBox problem={pages.problem} onRetry={pages.refetch} />
      )}
      <WindowedList
        label={label}
        items={pages.items}
        keyOf={keyOf}
        head={head}
        rowHeight={rowHeight}
        renderRow={renderRow}
        current={params.get('row')}
        onCurrent={(row) => params.set({ row }, 'replace')}
        {...(onOpen === undefined ? {} : { onOpen })}
        onEnd={pages.loadMore}
      />
    </>
  )
}
