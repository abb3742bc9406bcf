import { useEffect } from 'preact/hooks'
import { useLocation, useRoute } from 'preact-iso'
import { Page, Tabs } from '../../../design/content/page.tsx'
import { Skeleton } from '../../../design/content/states.tsx'
import { useProjectId } from '../../../url/use-project.ts'
import { useSearchParams } from '../../../url/use-search-params.ts'
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
import { shortText } from './payload/visible-text.ts'
import { ActivityTab } from './tabs/activity-tab.tsx'
import { EventsTab } from './tabs/events-tab.tsx'
import { FeedbackTab } from './tabs/feedback-tab.tsx'
import { GroupingTab } from './tabs/grouping-tab.tsx'
import { SimilarTab } from './tabs/similar-tab.tsx'
import { TagsTab } from './tabs/tags-tab.tsx'
import './css/issue.css'
import './css/crash.css'
import './css/details.css'
import './css/side.css'
import './css/tabs.css'

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
    <div class="issue-page">
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
        {tab === 'event' ? (
          <EventTab projectId={projectId} issue={issue} read={eventRead} />
        ) : issue === undefined ? (
          <Skeleton lines={12} />
        ) : (
          <TabView tab={tab} projectId={projectId} issue={issue} />
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
      <IssueState issue={issue} />
      {issue.culprit !== '' && (
        <code class="issue-culprit" title="Where it happened">
          {shortText(issue.culprit, 120)}
        </code>
      )}
    </>
  )
}

function TabView({
  tab,
  projectId,
  issue,
}: {
  readonly tab: Tab
  readonly projectId: string
  readonly issue: IssueDetail
}) {
  const given = { projectId, issue }
  switch (tab) {
    case 'events':
      return <EventsTab {...given} />
    case 'tags':
      return <TagsTab {...given} />
    case 'activity':
      return <ActivityTab {...given} />
    case 'similar':
      return <SimilarTab {...given} />
    case 'feedback':
      return <FeedbackTab {...given} />
    case 'grouping':
      return <GroupingTab {...given} />
    case 'event':
      return null
  }
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
