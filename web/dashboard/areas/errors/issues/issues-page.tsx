import { Button } from '../../../design/button.tsx'
import { countOf } from '../../../design/content/format.ts'
import { Page } from '../../../design/content/page.tsx'
import { ProblemBox, Skeleton } from '../../../design/content/states.tsx'
import { invalidateReads } from '../../../http/query-client.ts'
import { usePages } from '../../../http/use-pages.ts'
import { useProjectId } from '../../../url/use-project.ts'
import { changedHere, goneIssues, issueList } from '../changes/change-issues.ts'
import { stillMatches } from '../changes/issue-after.ts'
import { DisplayMenu } from './display-menu.tsx'
import { EmptyIssues } from './empty-issues.tsx'
import { QuickFilters } from './filters/quick-filters.tsx'
import { IssueList } from './issue-list.tsx'
import { useIssuesState } from './issues-state.ts'
import { useNews } from './list/use-news.ts'
import { useIssueFilter } from './period.ts'
import { searchErrorOf } from './query/search-error.ts'
import { SearchField } from './search/search-field.tsx'
import { ViewTabs } from './views/view-tabs.tsx'

export function IssuesPage() {
  const projectId = useProjectId()
  const [state, setState] = useIssuesState()
  const { query, period, sort } = state
  const filter = useIssueFilter(query, period)
  const pages = usePages(
    issueList,
    { params: { project_id: projectId }, query: { ...filter, sort } },
    { keepPrevious: true },
  )
  const items = pages.items.filter(
    (issue) =>
      !goneIssues.value.has(issue.id) &&
      (!changedHere.value.has(issue.id) || stillMatches(issue, query)),
  )
  const searchError = searchErrorOf(pages.problem, query)
  const isReady = !pages.isLoading && pages.problem === undefined
  const [news, clearNews] = useNews({ projectId, filter, sort, items: pages.items, isReady })
  const setQuery = (next: string) => {
    // The same search again reads the list again.
    if (next === query) pages.refetch()
    setState({ query: next })
  }
  const showNews = async () => {
    await invalidateReads(issueList)
    clearNews()
    window.scrollTo(0, 0)
  }
  return (
    <Page
      title="Issues"
      wide
      meta={<ViewTabs projectId={projectId} state={state} canSave={searchError === undefined} />}
      bar={
        <>
          <SearchField
            projectId={projectId}
            query={query}
            searchError={searchError}
            onQuery={setQuery}
          />
          <QuickFilters
            projectId={projectId}
            query={query}
            onQuery={setQuery}
            period={period}
            onPeriod={(next) => setState({ period: next })}
          />
          <div class="issue-tools">
            <DisplayMenu state={state} onState={setState} />
          </div>
        </>
      }
    >
      {news.count > 0 && (
        <div class="issue-news" role="status">
          <Button icon="arrowUp" onClick={() => void showNews()}>
            {news.areNew
              ? countOf(news.count, 'new issue')
              : `${countOf(news.count, 'issue')} with new events`}
          </Button>
        </div>
      )}
      {searchError !== undefined ? (
        <p class="issue-end">The search is invalid. Correct it above.</p>
      ) : pages.problem !== undefined && items.length === 0 ? (
        <ProblemBox problem={pages.problem} onRetry={pages.refetch} />
      ) : pages.isLoading ? (
        <Skeleton lines={12} height={38} />
      ) : items.length === 0 && !pages.hasMore ? (
        <EmptyIssues projectId={projectId} query={query} period={period} onState={setState} />
      ) : (
        <IssueList
          key={`${projectId} ${query} ${period} ${sort}`}
          projectId={projectId}
          state={state}
          onState={setState}
          filter={filter}
          pages={pages}
          items={items}
        />
      )}
    </Page>
  )
}
