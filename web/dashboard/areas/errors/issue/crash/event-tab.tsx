import { useMemo } from 'preact/hooks'
import { EmptyState, ProblemBox, Skeleton } from '../../../../design/content/states.tsx'
import { asProblem } from '../../../../http/problem.ts'
import type { Read } from '../../../../http/use-read.ts'
import { FilesPanel } from '../files/files-panel.tsx'
import type { EventDetail, IssueDetail } from '../issue-reads.ts'
import { readEvent } from '../payload/read-event.ts'
import { IssueSide } from '../side/issue-side.tsx'
import { ContextPanels } from './context-panels.tsx'
import { CrashPanels } from './crash-panel.tsx'
import { CrumbsPanel } from './crumbs-panel.tsx'
import { EventBar } from './event-bar.tsx'
import { EventTags } from './event-tags.tsx'
import { Highlights } from './highlights.tsx'
import { RequestPanel } from './request-panel.tsx'

interface EventTabProps {
  readonly projectId: string
  readonly issue: IssueDetail | undefined
  readonly read: Read<EventDetail>
}

/** The crash at the left, what is known about the issue at the right. */
export function EventTab({ projectId, issue, read }: EventTabProps) {
  return (
    <div class="issue-columns">
      <div class="issue-main">
        <EventContentView projectId={projectId} issue={issue} read={read} />
      </div>
      <IssueSide projectId={projectId} issue={issue} isReady={read.data !== undefined} />
    </div>
  )
}

function EventContentView({ projectId, issue, read }: EventTabProps) {
  const { data: event, problem } = read
  const content = useMemo(() => readEvent(event?.payload), [event])
  if (problem !== undefined && asProblem(problem)?.status === 404) return <NoEvent issue={issue} />
  if (event === undefined) {
    if (problem !== undefined) return <ProblemBox problem={problem} onRetry={read.refetch} />
    return <Skeleton lines={14} />
  }
  return (
    <>
      <EventBar projectId={projectId} issue={issue} event={event} isChanging={read.isFetching} />
      {issue !== undefined && event.issue_id !== null && event.issue_id !== issue.id && (
        <p class="issue-note" role="note">
          This event is in{' '}
          <a href={`/projects/${projectId}/issues/${event.issue_id}?event=${event.id}`}>
            another issue
          </a>
          .
        </p>
      )}
      <Highlights event={event} content={content} />
      <div class="issue-parts" key={event.id}>
        <CrashPanels event={event} content={content} />
        {content.crumbs.length > 0 && (
          <CrumbsPanel crumbs={content.crumbs} crashAt={event.timestamp} />
        )}
        {content.request !== undefined && <RequestPanel request={content.request} />}
        <FilesPanel projectId={projectId} eventId={event.id} />
        <EventTags projectId={projectId} issueId={issue?.id} event={event} />
        <ContextPanels event={event} content={content} />
      </div>
    </>
  )
}

function NoEvent({ issue }: { readonly issue: IssueDetail | undefined }) {
  const isExpired = issue?.events_expired === true
  return (
    <EmptyState
      icon="clock"
      title={isExpired ? 'The events of this issue have expired' : 'This event is not stored'}
    >
      <p>
        {isExpired
          ? 'They were counted, and deleted when their retention was over. The tags, the activity and the grouping are still here.'
          : 'Its retention is over, it was deleted, or the address is wrong.'}
      </p>
      {!isExpired && issue !== undefined && (
        <p>
          <a href={`${location.pathname}?event=latest`}>Show the newest event of the issue</a>
        </p>
      )}
    </EmptyState>
  )
}
