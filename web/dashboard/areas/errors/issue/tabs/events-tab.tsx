import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { formatExact } from '../../../../design/content/format.ts'
import { EmptyState, ProblemBox, Skeleton } from '../../../../design/content/states.tsx'
import { Time } from '../../../../design/content/time.tsx'
import { WindowedList } from '../../../../design/content/windowed-list.tsx'
import { SearchField } from '../../../../design/forms/search-field.tsx'
import { shortText } from '../../../../design/text/visible-text.ts'
import { asProblem } from '../../../../http/problem.ts'
import { usePages } from '../../../../http/use-pages.ts'
import { useSearchParams } from '../../../../url/use-search-params.ts'
import { eventsRead, type IssueDetail } from '../issue-reads.ts'
import { ColumnChoice } from './column-choice.tsx'
import { columnText, columnTitle, type EventItem, readColumns } from './event-columns.ts'

const pageSize = 50
const rowHeight = 38

interface EventsTabProps {
  readonly projectId: string
  readonly issue: IssueDetail
}

/** All stored events of the issue, the newest first, with a search of their fields and tags. */
export function EventsTab({ projectId, issue }: EventsTabProps) {
  const { get, set } = useSearchParams()
  const { route } = useLocation()
  const query = get('query') ?? ''
  const [current, setCurrent] = useState<string>()
  const pages = usePages(
    eventsRead,
    {
      params: { project_id: projectId, issue_id: issue.id },
      query: { query: query === '' ? undefined : query, limit: pageSize } as never,
    },
    { topics: ['events'], keepPrevious: true },
  )
  const columns = readColumns(get('columns'))
  const hrefOf = (event: EventItem) => `/projects/${projectId}/issues/${issue.id}?event=${event.id}`
  const rule = ruleOf(pages.problem, query)
  return (
    <div class="issue-events">
      <div class="issue-events-bar">
        <SearchField
          label="Search the events"
          placeholder="Search: release:, user.id:, tags[queue]:, words"
          value={query}
          maxLength={4_000}
          error={rule}
          onText={(typed) => set({ query: typed }, 'replace')}
        />
        <ColumnChoice
          columns={columns}
          tags={Object.keys(issue.tags)}
          onColumns={(next) => set({ columns: next }, 'replace')}
        />
      </div>
      {pages.problem !== undefined && rule === undefined && (
        <ProblemBox problem={pages.problem} onRetry={pages.refetch} />
      )}
      {pages.isLoading && <Skeleton lines={10} />}
      {!pages.isLoading && pages.items.length === 0 && pages.problem === undefined && (
        <NoEvents issue={issue} query={query} />
      )}
      {pages.items.length > 0 && (
        <>
          <div class="issue-event-row issue-event-heads" data-columns={columns.length}>
            <span>Time</span>
            <span>Event</span>
            {columns.map((column) => (
              <span key={column} class="issue-event-cell">
                {shortText(columnTitle(column), 40)}
              </span>
            ))}
          </div>
          <WindowedList
            label="Events"
            items={pages.items}
            keyOf={({ id }) => id}
            rowHeight={rowHeight}
            current={current}
            onCurrent={setCurrent}
            onOpen={(event) => route(hrefOf(event))}
            onEnd={pages.loadMore}
            renderRow={(event) => (
              <div class="issue-event-row" data-columns={columns.length}>
                <span title={formatExact(event.timestamp)}>
                  <Time at={event.timestamp} />
                </span>
                <a href={hrefOf(event)} class="truncate">
                  {shortText(event.title, 200)}
                </a>
                {columns.map((column) => (
                  <span key={column} class="issue-event-cell truncate">
                    {shortText(columnText(column, event), 120)}
                  </span>
                ))}
              </div>
            )}
          />
          {pages.isLoadingMore && <Skeleton lines={2} />}
        </>
      )}
    </div>
  )
}

function NoEvents({ issue, query }: { readonly issue: IssueDetail; readonly query: string }) {
  if (query !== '') {
    return (
      <EmptyState icon="search" title="No event of this issue fits">
        <p>
          <a href="?tab=events">Show all events</a>
        </p>
      </EmptyState>
    )
  }
  return (
    <EmptyState icon="clock" title="No stored events">
      <p>{issue.count.toLocaleString('en')} were counted; the retention of all of them is over.</p>
    </EmptyState>
  )
}

/** The rule that the search breaks, with the text from which on it does. */
function ruleOf(problem: Error | undefined, query: string): string | undefined {
  const detail = asProblem(problem)?.details.find(({ field }) => field === 'query')
  if (detail === undefined) return undefined
  const rest = detail.position === undefined ? '' : query.slice(detail.position)
  const place = rest === '' ? '' : `At “${shortText(rest, 30)}”: `
  return `${place}${detail.rule}`
}
