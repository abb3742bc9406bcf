import { Time } from '../../../../design/content/time.tsx'
import { shortText } from '../../../../design/text/visible-text.ts'
import { useRead } from '../../../../http/use-read.ts'
import type { IssueDetail } from '../issue-reads.ts'

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
      {issue.suspect_commits.length > 0 ? (
        <SuspectCommits projectId={projectId} issue={issue} />
      ) : (
        first !== null && (
          <CommitsOfRelease projectId={projectId} version={first} isReady={isReady} />
        )
      )}
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

/** The commits that changed a file of the stack, the likeliest first. */
function SuspectCommits({
  projectId,
  issue,
}: {
  readonly projectId: string
  readonly issue: IssueDetail
}) {
  return (
    <div class="issue-suspects">
      <h3>{issue.suspect_commits.length === 1 ? 'Suspect commit' : 'Suspect commits'}</h3>
      <ul>
        {issue.suspect_commits.map((commit) => (
          <li key={commit.id}>
            <span title={commit.subject}>{commit.subject || 'No message'}</span>
            <span class="small soft">
              {commit.person?.name ?? commit.author_name ?? commit.author_email ?? 'Unknown author'}
              {commit.timestamp !== null && (
                <>
                  {' '}
                  · <Time at={commit.timestamp} />
                </>
              )}
            </span>
            <span class="small soft" title={`${commit.path} in ${commit.release}`}>
              <code title={commit.id}>{commit.id.slice(0, 10)}</code> changed{' '}
              {shortText(nameOfFile(commit.path), 60)}
              {commit.release !== issue.first_release && (
                <>
                  {' '}
                  in <ReleaseLink projectId={projectId} version={commit.release} />
                </>
              )}
            </span>
          </li>
        ))}
      </ul>
    </div>
  )
}

function nameOfFile(path: string): string {
  return path.split('/').at(-1) ?? path
}

/** The commits of the release in which the issue was seen first, when none of them is a suspect. */
function CommitsOfRelease({
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
        {commits.length === 1 ? 'The one commit' : `The ${commits.length} commits`} of{' '}
        {shortText(version, 40)}
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
