import { useEffect, useState } from 'preact/hooks'
import { useLocation, useRoute } from 'preact-iso'
import { Page, Tabs } from '../../../design/content/page.tsx'
import { ProblemBox, Skeleton } from '../../../design/content/states.tsx'
import { shortText } from '../../../design/text/visible-text.ts'
import { useProjectId } from '../../../url/use-project.ts'
import { useSearchParams } from '../../../url/use-search-params.ts'
import { BookmarkStar } from '../marks/bookmark-star.tsx'
import { IssueActions } from './actions/issue-actions.tsx'
import { EventTab } from './crash/event-tab.tsx'
import { useFrameKeys } from './crash/use-frame-keys.ts'
import { IssueProblem } from './issue-problem.tsx'
import {
  type IssueDetail,
  useIssue,
  useIssueEvent,
  usePrefetchedNeighbours,
} from './issue-reads.ts'
import { IssueState } from './issue-state.tsx'
import type { TabView } from './tabs/tab-view.tsx'
import './css/issue.css'
import './css/crash.css'
import './css/details.css'
import './css/side.css'

const tabNames = [
  ['event', 'Event'],
  ['events', 'Events'],
  ['tags', 'Tags'],
  ['activity', 'Activity'],
  ['similar', 'Similar'],
  ['feedback', 'Feedback'],
  ['grouping', 'Grouping'],
] as const
type Tab = (typeof tabNames)[number][0]

const titleCharactersMax = 300

/** One issue, with the crash of one of its events first. */
export function IssuePage() {
  const projectId = useProjectId()
  const issueId = useRoute().params['issue_id'] ?? ''
  const { get } = useSearchParams()
  const { path, route } = useLocation()
  const tab = tabNames.find(([name]) => name === get('tab'))?.[0] ?? 'event'
  const event = get('event')
  const issueRead = useIssue({ projectId, issueId })
  const eventRead = useIssueEvent({ projectId, issueId }, event, tab === 'event')
  const issue = issueRead.data
  usePrefetchedNeighbours(projectId, eventRead.data)
  useFrameKeys()

  // An issue that was merged answers as the one that has its events now.
  const id = issue?.id
  useEffect(() => {
    if (id === undefined || id === issueId.toLowerCase() || issueRead.isFetching) return
    route(`/projects/${projectId}/issues/${id}${location.search}`, true)
  }, [id, issueId, issueRead.isFetching])

  if (issueRead.problem !== undefined && issue === undefined) {
    const { problem, refetch } = issueRead
    return <IssueProblem projectId={projectId} problem={problem} onRetry={refetch} />
  }
  const title = issue?.title ?? eventRead.data?.title ?? 'Issue'
  return (
    // Another element once the head is complete: nothing that was on the screen moves.
    <div class="issue-page" key={issue === undefined ? 'loading' : 'loaded'}>
      <Page
        title={shortText(title, titleCharactersMax)}
        wide
        meta={issue === undefined ? undefined : <IssueMeta projectId={projectId} issue={issue} />}
        actions={
          issue === undefined ? undefined : <IssueActions projectId={projectId} issue={issue} />
        }
        bar={
          <Tabs
            label="Views of this issue"
            tabs={tabNames.map(([name, label]) => ({
              label,
              href: hrefOf(path, name, event),
              current: tab === name,
              count: issue === undefined ? undefined : countOf(name, issue),
            }))}
          />
        }
      >
        {issue === undefined ? (
          <Skeleton lines={12} />
        ) : tab === 'event' ? (
          <EventTab projectId={projectId} issue={issue} read={eventRead} />
        ) : (
          <LaterTab tab={tab} projectId={projectId} issue={issue} />
        )}
      </Page>
    </div>
  )
}

function IssueMeta({
  projectId,
  issue,
}: {
  readonly projectId: string
  readonly issue: IssueDetail
}) {
  return (
    <>
      <a href={`/projects/${projectId}/issues`}>Issues</a>
      <span aria-hidden="true">/</span>
      <span class="issue-short-id">{issue.short_id}</span>
      <BookmarkStar projectId={projectId} issue={issue} />
      <IssueState issue={issue} />
      {issue.culprit !== '' && (
        <code class="issue-culprit" title="Where it happened">
          {shortText(issue.culprit, 120)}
        </code>
      )}
    </>
  )
}

type TabViewProps = Parameters<typeof TabView>[0]

/** The other views are loaded when one of them is opened; the crash does not wait for them. */
function LaterTab(props: TabViewProps) {
  const [view, setView] = useState<{ readonly Tab: typeof TabView }>()
  const [problem, setProblem] = useState<Error>()
  useEffect(() => {
    import('./tabs/tab-view.tsx').then((module) => setView({ Tab: module.TabView }), setProblem)
  }, [])
  if (problem !== undefined) {
    return <ProblemBox problem={problem} onRetry={() => location.reload()} />
  }
  return view === undefined ? <Skeleton lines={12} /> : <view.Tab {...props} />
}

function hrefOf(path: string, tab: Tab, event: string | undefined): string {
  const search = new URLSearchParams({
    ...(event === undefined ? {} : { event }),
    ...(tab === 'event' ? {} : { tab }),
  }).toString()
  return search === '' ? path : `${path}?${search}`
}

function countOf(tab: Tab, issue: IssueDetail): number | undefined {
  if (tab === 'events') return issue.count
  if (tab === 'tags') return Object.keys(issue.tags).length
  if (tab === 'activity') return issue.activity.length
  return tab === 'grouping'
    ? issue.grouping.hashes.filter(({ count }) => count > 0).length
    : undefined
}
