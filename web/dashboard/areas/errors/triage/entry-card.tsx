import { ButtonLink } from '../../../design/button.tsx'
import { Sparkline } from '../../../design/charts/sparkline.tsx'
import { Badge, type Tone } from '../../../design/content/badge.tsx'
import { Facts } from '../../../design/content/data-table.tsx'
import { countOf, formatNumber } from '../../../design/content/format.ts'
import { Skeleton } from '../../../design/content/states.tsx'
import { Time } from '../../../design/content/time.tsx'
import type { Issue, TriageEntry } from '../../../generated/api.d.ts'
import { projectPath } from '../../../url/use-project.ts'
import { AssigneeMark, LevelMark } from '../issue-marks.tsx'
import { crashExcerpt } from './crash-excerpt.ts'
import { reasonLabels, reasonText } from './reason-text.ts'
import type { EntryDetail } from './use-entry-detail.ts'

const tones: Readonly<Record<TriageEntry['reason'], Tone>> = {
  new: 'accent',
  regressed: 'danger',
  escalating: 'warning',
  returned: 'info',
  monitor_failed: 'danger',
}

interface EntryCardProps {
  readonly projectId: string
  readonly entry: TriageEntry
  readonly detail: EntryDetail
}

/** What somebody needs to decide: why it is here, what crashed, how many it affects. */
export function EntryCard({ projectId, entry, detail }: EntryCardProps) {
  const { issue, monitor, reason } = entry
  return (
    <article class="triage-card" aria-label="Present entry">
      <p class="triage-why">
        <Badge tone={tones[reason]}>{reasonLabels[reason]}</Badge>
        <span>{reasonText(entry, detail.issue?.activity)}</span>
        <span class="soft">
          Waiting since <Time at={entry.since} />
        </span>
      </p>
      {issue === null ? (
        <h2>Monitor {monitor?.slug}</h2>
      ) : (
        <>
          <h2>
            <LevelMark level={issue.level} />
            <a href={projectPath(projectId, `issues/${issue.id}`)}>{issue.title}</a>
          </h2>
          <p class="triage-sub">
            {issue.short_id} <span class="mono">{issue.culprit}</span>
          </p>
          <Numbers issue={issue} />
          <Crash detail={detail} />
          <IssueFacts issue={issue} />
        </>
      )}
      {monitor !== null && (
        <ButtonLink size="s" icon="clock" href={projectPath(projectId, `monitors/${monitor.slug}`)}>
          Runs of {monitor.slug}
        </ButtonLink>
      )}
    </article>
  )
}

function Numbers({ issue }: { readonly issue: Issue }) {
  return (
    <div class="triage-numbers">
      <Sparkline values={issue.series_24h} width={168} height={36} />
      <dl>
        <div>
          <dt>Events</dt>
          <dd>{formatNumber(issue.count)}</dd>
        </div>
        <div>
          <dt>Users</dt>
          <dd>{formatNumber(issue.user_count)}</dd>
        </div>
        <div>
          <dt>Last seen</dt>
          <dd>
            <Time at={issue.last_seen} />
          </dd>
        </div>
        <div>
          <dt>First seen</dt>
          <dd>
            <Time at={issue.first_seen} />
          </dd>
        </div>
      </dl>
    </div>
  )
}

function Crash({ detail }: { readonly detail: EntryDetail }) {
  if (detail.isLoading) return <Skeleton lines={5} height={24} />
  const excerpt = crashExcerpt(detail.payload)
  if (excerpt === undefined) return null
  return (
    <div class="triage-crash">
      <p class="triage-exception">
        <strong>{excerpt.type}</strong> {excerpt.value}
      </p>
      <ol>
        {excerpt.frames.map((frame, index) => (
          <li key={index} data-own={frame.isInApp}>
            <span class="triage-frame">
              <code>{frame.name}</code>
              <span class="soft truncate">{frame.place}</span>
            </span>
            {frame.line !== undefined && index < 2 && <code class="triage-line">{frame.line}</code>}
          </li>
        ))}
      </ol>
      {excerpt.hiddenCount > 0 && (
        <p class="small soft">{countOf(excerpt.hiddenCount, 'further frame')}</p>
      )}
    </div>
  )
}

function IssueFacts({ issue }: { readonly issue: Issue }) {
  const { first_release: first, last_release: last, environments, components } = issue
  const releases = first === last || last === null ? first : `${first ?? 'none'} to ${last}`
  return (
    <Facts
      facts={[
        { name: 'Releases', value: releases ?? 'none' },
        { name: 'Environments', value: environments.join(', ') || 'none' },
        ...(components.length === 0 ? [] : [{ name: 'Components', value: components.join(', ') }]),
        {
          name: 'Assignee',
          value: (
            <span class="triage-assignee">
              <AssigneeMark issue={issue} />
              {issue.assignee_team?.name ??
                issue.assignee?.name ??
                issue.assignee?.email ??
                'nobody'}
            </span>
          ),
        },
      ]}
    />
  )
}
