import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { Button, ButtonLink } from '../../../design/button.tsx'
import { Kbd } from '../../../design/content/badge.tsx'
import { countOf, formatDuration } from '../../../design/content/format.ts'
import { Page, Tabs } from '../../../design/content/page.tsx'
import { EmptyState, ProblemBox, Skeleton } from '../../../design/content/states.tsx'
import { Time } from '../../../design/content/time.tsx'
import type { IconName } from '../../../design/icon.tsx'
import type { TriageEntry, TriageStats } from '../../../generated/api.d.ts'
import { useRead } from '../../../http/use-read.ts'
import { useShortcuts } from '../../../keyboard/shortcuts.ts'
import { canWrite, me } from '../../../session/session.ts'
import { projectPath, useProjectId } from '../../../url/use-project.ts'
import { useSearchParams } from '../../../url/use-search-params.ts'
import { ChangeDialog, type ChangeKind } from '../changes/change-dialog.tsx'
import { describeChange } from '../changes/describe-change.ts'
import type { Assignee, IssueChange } from '../changes/issue-after.ts'
import { EntryCard } from './entry-card.tsx'
import { QueueList } from './queue-list.tsx'
import { reasonLabels } from './reason-text.ts'
import { useEntryDetail } from './use-entry-detail.ts'
import { keyOfEntry, type Queue, type Reason, useQueue } from './use-queue.ts'
import './triage.css'

const reasons = Object.keys(reasonLabels) as readonly Reason[]
const aheadCount = 2

/** One decision after another, by keys of one hand or by thumb. */
export function TriagePage() {
  const projectId = useProjectId()
  const params = useSearchParams()
  const reason = reasons.find((one) => one === params.get('reason'))
  const stats = useRead('GET /api/v1/projects/{project_id}/triage/stats', {
    params: { project_id: projectId },
  }).data
  const queue = useQueue(projectId, reason)
  const { entries, pages } = queue
  return (
    <Page
      title="Triage"
      wide
      meta={stats !== undefined && <StatsText stats={stats} />}
      bar={
        <Tabs
          label="Reasons"
          tabs={[undefined, ...reasons].map((one) => ({
            label: one === undefined ? 'All' : reasonLabels[one],
            href: `${projectPath(projectId, 'triage')}${one === undefined ? '' : `?reason=${one}`}`,
            current: one === reason,
            count: one === undefined ? stats?.count : stats?.by_reason[one],
          }))}
        />
      }
    >
      {pages.problem !== undefined && entries.length === 0 ? (
        <ProblemBox problem={pages.problem} onRetry={pages.refetch} />
      ) : pages.isLoading ? (
        <Skeleton lines={8} height={36} />
      ) : (
        <Desk key={reason} projectId={projectId} queue={queue} reason={reason} />
      )}
    </Page>
  )
}

function StatsText({ stats }: { readonly stats: TriageStats }) {
  const { count, oldest_at: oldest, median_age_seconds: median, last_7_days: week } = stats
  return (
    <>
      {count > 0 && (
        <span>
          Oldest <Time at={oldest} />
          {median !== null && `, median age ${ageText(median)}`}
        </span>
      )}
      <span class="triage-flow">
        {countOf(week.entered, 'entry', 'entries')} and {countOf(week.left, 'decision')} in 7 days
      </span>
    </>
  )
}

/** Seconds do not matter in a queue that is older. */
function ageText(seconds: number): string {
  return formatDuration((seconds < 120 ? seconds : Math.floor(seconds / 60) * 60) * 1_000)
}

interface DeskProps {
  readonly projectId: string
  readonly queue: Queue
  readonly reason: Reason | undefined
}

function Desk({ projectId, queue, reason }: DeskProps) {
  const { route } = useLocation()
  const { entries, pages, latest } = queue
  const params = useSearchParams()
  const currentKey = params.get('entry')
  const setCurrentKey = (key: string | undefined) => params.set({ entry: key }, 'replace')
  const [dialog, setDialog] = useState<ChangeKind>()
  const found = entries.findIndex((entry) => keyOfEntry(entry) === currentKey)
  const index = Math.max(found, 0)
  const entry = entries[index]
  const ahead = entries.slice(index + 1, index + 1 + aheadCount)
  const detail = useEntryDetail(projectId, entry, ahead)

  const goTo = (next: number) => {
    const target = entries[Math.min(Math.max(next, 0), entries.length - 1)]
    if (target !== undefined) setCurrentKey(keyOfEntry(target))
    if (next > entries.length - 10) pages.loadMore()
  }
  const decide = (change: IssueChange, assignee?: Assignee) => {
    if (entry === undefined || entry.issue === null) return
    const text = describeChange(change, entry.issue.short_id, assignee)
    leave({ entry, change, text })
  }
  const leave = (decision: Parameters<Queue['decide']>[0]) => {
    const neighbour = entries[index + 1] ?? entries[index - 1]
    queue.decide(decision)
    setCurrentKey(neighbour === undefined ? undefined : keyOfEntry(neighbour))
    if (entries.length < 20) pages.loadMore()
    window.scrollTo(0, 0)
  }
  const snoozeMonitor = (change: IssueChange) => {
    if (entry?.monitor == null) return
    const until = { snooze_until: change.snooze_until ?? '' }
    leave({ entry, change: until, text: `Snoozed the monitor ${entry.monitor.slug}.` })
  }
  const muteMonitor = () => {
    if (entry?.monitor == null) return
    leave({ entry, change: { muted: true }, text: `Muted the monitor ${entry.monitor.slug}.` })
  }
  const undo = () => {
    const back = queue.undo()
    if (back !== undefined) setCurrentKey(keyOfEntry(back))
  }
  const mine = me.value
  const hasIssue = entry !== undefined && entry.issue !== null
  const actions =
    entry === undefined || !canWrite.value ? [] : hasIssue ? issueActions() : monitorActions()
  function issueActions(): readonly Action[] {
    return [
      { keys: 'e', label: 'Resolve', icon: 'check', run: () => decide({ status: 'resolved' }) },
      { keys: 'i', label: 'Ignore…', icon: 'archive', run: () => setDialog('ignore') },
      {
        keys: 'a',
        label: 'Assign to me',
        icon: 'people',
        run: () => {
          if (mine != null) decide({ assignee: mine.id }, { ...mine, kind: 'person' })
        },
      },
      { keys: 'r', label: 'Reviewed', icon: 'eye', run: () => decide({ reviewed: true }) },
      { keys: 's', label: 'Snooze…', icon: 'clock', run: () => setDialog('snooze') },
    ]
  }
  function monitorActions(): readonly Action[] {
    return [
      { keys: 's', label: 'Snooze…', icon: 'clock', run: () => setDialog('snooze') },
      { keys: 'i', label: 'Mute', icon: 'bell', run: muteMonitor },
    ]
  }
  const openEntry = () => {
    if (entry === undefined) return
    const { issue, monitor } = entry
    const page = issue === null ? `monitors/${monitor?.slug}` : `issues/${issue.id}`
    route(projectPath(projectId, page))
  }
  useShortcuts([
    { keys: 'j', label: 'Next entry', group: 'Triage', run: () => goTo(index + 1) },
    { keys: 'k', label: 'Previous entry', group: 'Triage', run: () => goTo(index - 1) },
    { keys: 'o', label: 'Open the issue', group: 'Triage', run: openEntry },
    ...actions.map((action) => ({ ...action, group: 'Triage' })),
    ...(hasIssue && canWrite.value
      ? [
          {
            keys: 'E',
            label: 'Resolve in a release',
            group: 'Triage',
            run: () => setDialog('resolve'),
          },
          { keys: 'A', label: 'Assign', group: 'Triage', run: () => setDialog('assign') },
        ]
      : []),
    ...(latest === undefined
      ? []
      : [{ keys: 'z', label: 'Undo the decision', group: 'Triage', run: undo }]),
  ])
  return (
    <>
      {entry === undefined ? (
        <Done projectId={projectId} count={queue.decidedCount} reason={reason} />
      ) : (
        <div class="triage-desk">
          <QueueList
            entries={entries}
            currentKey={keyOfEntry(entry)}
            hasMore={pages.hasMore}
            onEnd={pages.loadMore}
            onCurrent={setCurrentKey}
          />
          <div class="triage-present">
            <EntryCard projectId={projectId} entry={entry} detail={detail} />
            {actions.length > 0 && (
              <div class="triage-actions" role="toolbar" aria-label="Decide">
                {actions.map(({ keys, label, icon, run }, at) => (
                  <Button
                    key={label}
                    kind={at === 0 && hasIssue ? 'primary' : 'plain'}
                    icon={icon}
                    aria-keyshortcuts={keys}
                    onClick={run}
                  >
                    {label}
                    <kbd class="kbd triage-key">{keys}</kbd>
                  </Button>
                ))}
              </div>
            )}
            {!canWrite.value && (
              <p class="small soft">Viewers see the queue. Members and owners decide.</p>
            )}
            <p class="triage-hint">
              <span class="triage-place" role="status">
                {index + 1} of {entries.length}
                {pages.hasMore && '+'}
              </span>
              <span class="triage-keys">
                <Kbd keys="j" /> <Kbd keys="k" /> move, <Kbd keys="o" /> open, <Kbd keys="?" /> all
                keys
              </span>
            </p>
          </div>
        </div>
      )}
      {latest !== undefined && (
        <div class="triage-latest" role="status">
          <span>{latest.text}</span>
          <Button size="s" icon="undo" aria-keyshortcuts="z" onClick={undo}>
            Undo <kbd class="kbd triage-key">z</kbd>
          </Button>
        </div>
      )}
      {dialog !== undefined && entry !== undefined && (
        <ChangeDialog
          kind={dialog}
          projectId={projectId}
          what={entry.issue?.short_id ?? `the monitor ${entry.monitor?.slug}`}
          onChange={entry.issue === null ? snoozeMonitor : decide}
          onClose={() => setDialog(undefined)}
        />
      )}
    </>
  )
}

interface Action {
  readonly keys: string
  readonly label: string
  readonly icon: IconName
  readonly run: () => void
}

interface DoneProps {
  readonly projectId: string
  readonly count: number
  readonly reason: TriageEntry['reason'] | undefined
}

function Done({ projectId, count, reason }: DoneProps) {
  return (
    <EmptyState
      icon="check"
      title={
        reason === undefined
          ? 'Nothing waits for a decision'
          : `Nothing is ${reasonLabels[reason].toLowerCase()}`
      }
    >
      <p>
        {count > 0 && `You made ${countOf(count, 'decision')}. `}
        New, regressed and escalating issues and failed monitors appear here automatically.
      </p>
      <ButtonLink href={projectPath(projectId, 'issues')}>Open the issues</ButtonLink>
    </EmptyState>
  )
}
