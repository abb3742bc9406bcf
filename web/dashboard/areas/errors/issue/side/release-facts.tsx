import { Time } from '../../../../design/content/time.tsx'
import { useRead } from '../../../../http/use-read.ts'
import type { IssueDetail } from '../issue-reads.ts'
import { shortText } from '../payload/visible-text.ts'

const releaseRead = 'GET /api/v1/projects/{project_id}/releases/{release}'
const commitsShown = 5

interface ReleaseFactsProps {
  readonly projectId: string
  readonly issue: IssueDetail
  readonly isReady: boolean
}

/** Since when, since which release, and whether it has spread to others. */
export function ReleaseFacts({ projectId, issue, isReady }: ReleaseFactsProps) {
  const { first_release: first, last_release: last } = issue
  return (
    <>
      <dl class="issue-seen">
        <div>
          <dt>First seen</dt>
          <dd>
            <Time at={issue.first_seen} />
            <ReleaseLink projectId={projectId} version={first} />
          </dd>
        </div>
        <div>
          <dt>Last seen</dt>
          <dd>
            <Time at={issue.last_seen} />
            <ReleaseLink projectId={projectId} version={last} />
          </dd>
        </div>
      </dl>
      {first !== null && <Suspects projectId={projectId} version={first} isReady={isReady} />}
    </>
  )
}

export function ReleaseLink({
  projectId,
  version,
}: {
  readonly projectId: string
  readonly version: string | null
}) {
  if (version === null) return <span class="soft">no release</span>
  return (
    <a href={`/projects/${projectId}/releases/${encodeURIComponent(version)}`}>
      {shortText(version, 60)}
    </a>
  )
}

/** The commits of the release in which the issue was seen first, when somebody has sent them. */
function Suspects({
  projectId,
  version,
  isReady,
}: {
  readonly projectId: string
  readonly version: string
  readonly isReady: boolean
}) {
  const read = useRead(
    releaseRead,
    { params: { project_id: projectId, release: version }, query: { interval: 'day' } },
    { enabled: isReady },
  )
  const commits = commitsOf(read.data)
  if (commits.length === 0) return null
  return (
    <details class="issue-commits">
      <summary>
        {commits.length === 1
          ? 'Suspect: the one commit'
          : `Suspects: the ${commits.length} commits`}{' '}
        of {shortText(version, 40)}
      </summary>
      <ul>
        {commits.slice(0, commitsShown).map((commit) => (
          <li key={commit}>
            <code title={commit}>{commit.slice(0, 12)}</code>
          </li>
        ))}
      </ul>
      {commits.length > commitsShown && (
        <p class="soft small">and {commits.length - commitsShown} more</p>
      )}
    </details>
  )
}

function commitsOf(release: unknown): readonly string[] {
  const { commits } = (release ?? {}) as { readonly commits?: readonly string[] }
  return commits ?? []
}
