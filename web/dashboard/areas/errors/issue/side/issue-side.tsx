import { Avatar } from '../../../../design/content/badge.tsx'
import { formatClock, formatDay, formatNumber } from '../../../../design/content/format.ts'
import { Time } from '../../../../design/content/time.tsx'
import { shortText } from '../../../../design/text/visible-text.ts'
import { useRead } from '../../../../http/use-read.ts'
import { type IssueDetail, usersRead } from '../issue-reads.ts'
import { type BarMark, EventBars } from './event-bars.tsx'
import { IssueLinks } from './issue-links.tsx'
import { ReleaseFacts } from './release-facts.tsx'
import { TagShares } from './tag-shares.tsx'

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const tagsShown = 6
const usersShown = 5
const releasesRead = 'GET /api/v1/projects/{project_id}/releases'

interface SideProps {
  readonly projectId: string
  readonly issue: IssueDetail | undefined
  /** The crash can be read, or there is none: then there is time for the rest. */
  readonly isReady: boolean
}

/** How often, since when, for whom, and in which circumstances. */
export function IssueSide({ projectId, issue, isReady }: SideProps) {
  const releases = useRead(
    releasesRead,
    { params: { project_id: projectId }, query: { limit: 25 } },
    { enabled: isReady, topics: ['releases'] },
  )
  if (issue === undefined) return <aside class="issue-side" aria-label="About the issue" />
  const marks: readonly BarMark[] = (releases.data?.items ?? []).flatMap((release) => {
    const at = release.first_event ?? release.first_session
    return at === null ? [] : [{ atMs: Date.parse(at), label: `Release ${release.version}` }]
  })
  const nowMs = Date.now()
  return (
    <aside class="issue-side" aria-label="About the issue">
      <section>
        <dl class="issue-numbers">
          <div>
            <dt>Events</dt>
            <dd class="number">{formatNumber(issue.count)}</dd>
          </div>
          <div>
            <dt>Users</dt>
            <dd class="number">{formatNumber(issue.user_count)}</dd>
          </div>
        </dl>
        {issue.sampled_count > 0 && (
          <p class="soft small">
            {formatNumber(issue.sampled_count)} were counted and not stored (sampling).
          </p>
        )}
        <EventBars
          label="Last 24 hours"
          values={issue.series_24h}
          stepMs={hourMs}
          endMs={Math.ceil(nowMs / hourMs) * hourMs}
          marks={marks}
          nameOf={hourName}
        />
        <EventBars
          label="Last 30 days"
          values={issue.series_30d}
          stepMs={dayMs}
          endMs={Math.ceil(nowMs / dayMs) * dayMs}
          marks={marks}
          nameOf={formatDay}
        />
      </section>
      <section aria-labelledby="issue-changed">
        <h2 id="issue-changed">What changed</h2>
        <ReleaseFacts projectId={projectId} issue={issue} isReady={isReady} />
      </section>
      <IssueLinks projectId={projectId} issue={issue} />
      <TopUsers projectId={projectId} issue={issue} isReady={isReady} />
      {Object.keys(issue.tags).length > 0 && (
        <section aria-labelledby="issue-tags">
          <h2 id="issue-tags">Tags</h2>
          <TagShares projectId={projectId} issue={issue} max={tagsShown} valuesMax={3} />
          {Object.keys(issue.tags).length > tagsShown && (
            <a class="small" href="?tab=tags">
              All {Object.keys(issue.tags).length} tags
            </a>
          )}
        </section>
      )}
    </aside>
  )
}

function hourName(atMs: number): string {
  return `${formatDay(atMs)} ${formatClock(atMs)}`
}

function TopUsers({ projectId, issue, isReady }: SideProps & { readonly issue: IssueDetail }) {
  const read = useRead(
    usersRead,
    {
      params: { project_id: projectId, issue_id: issue.id },
      query: { limit: usersShown },
    },
    { enabled: isReady && issue.user_count > 0 },
  )
  const users = read.data?.items ?? []
  const isExpected = read.data === undefined && read.problem === undefined && issue.user_count > 0
  if (users.length === 0 && !isExpected) return null
  return (
    <section aria-labelledby="issue-users">
      <h2 id="issue-users">Users</h2>
      <ul class="issue-users">
        {isExpected &&
          // Keeps the room, so that the tags below do not move when the users arrive.
          Array.from({ length: Math.min(issue.user_count, usersShown) }, (_, index) => (
            <li key={`expected ${index}`} aria-hidden="true">
              <Avatar name="" />
            </li>
          ))}
        {users.map((user, index) => {
          const name = user.email ?? user.name ?? user.id ?? user.ip ?? 'unknown'
          return (
            <li key={index}>
              <Avatar name={name} />
              <a href={`?event=${user.latest_event_id}`} title="The newest event of this user">
                {shortText(name, 60)}
              </a>
              <Time at={user.last_seen} />
              <span class="number">{formatNumber(user.count)}</span>
            </li>
          )
        })}
      </ul>
      {(read.data?.total ?? 0) > users.length && (
        <p class="soft small">{formatNumber(read.data?.total ?? 0)} in all.</p>
      )}
    </section>
  )
}
