import { useMemo } from 'preact/hooks'
import { EmptyState, ProblemBox, Skeleton } from '../../../../design/content/states.tsx'
import { useGradual } from '../../../../design/content/use-gradual.ts'
import { asProblem } from '../../../../http/problem.ts'
import type { Read } from '../../../../http/use-read.ts'
import { FilesPanel } from '../files/files-panel.tsx'
import type { EventDetail, IssueDetail } from '../issue-reads.ts'
import { readEvent } from '../payload/read-event.ts'
import { IssueSide } from '../side/issue-side.tsx'
import { ContextsPanel, MorePanels } from './context-panels.tsx'
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

/** In the order of a phone, where the side is below the event: nothing moves what is above it. */
const steps = { crash: 1, crumbs: 4, facts: 5, contexts: 6, more: 7, side: 8 }

/** The crash at the left, what is known about the issue at the right. */
export function EventTab({ projectId, issue, read }: EventTabProps) {
  const hasAnswer = read.data !== undefined || read.problem !== undefined
  const step = useGradual(hasAnswer ? steps.side : steps.crash)
  return (
    <div class="issue-columns">
      <div class="issue-main">
        <EventContentView projectId={projectId} issue={issue} read={read} step={step} />
      </div>
      <IssueSide
        projectId={projectId}
        issue={step < steps.side ? undefined : issue}
        isReady={hasAnswer}
      />
    </div>
  )
}

function EventContentView({
  projectId,
  issue,
  read,
  step,
}: EventTabProps & { readonly step: number }) {
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
        <CrashPanels event={event} content={content} step={step} />
        {step >= steps.crumbs && content.crumbs.length > 0 && (
          <CrumbsPanel crumbs={content.crumbs} crashAt={event.timestamp} />
        )}
        {step >= steps.facts && (
          <>
            {content.request !== undefined && <RequestPanel request={content.request} />}
            <FilesPanel projectId={projectId} eventId={event.id} />
            <EventTags projectId={projectId} issueId={issue?.id} event={event} />
          </>
        )}
        {step >= steps.contexts && <ContextsPanel content={content} />}
        {step >= steps.more && <MorePanels event={event} content={content} />}
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
