import { CodeBlock, CopyValue } from '../../../design/content/copy.tsx'
import { Time } from '../../../design/content/time.tsx'
import type { Reply } from '../../../http/request.ts'

type Release = Reply<'GET /api/v1/projects/{project_id}/releases/{release}'>
type Commit = Release['commit_details'][number]

const hashShown = 10
const shownMax = 200

/** The commits since the release before, or how to send them. */
export function ReleaseCommits({ release }: { readonly release: Release }) {
  const { commits, commit_details: details, version } = release
  if (commits.length === 0) return <NoCommits version={version} />
  const known = new Map(details.map((commit) => [commit.id, commit]))
  return (
    <>
      <ul class="release-commits">
        {commits.slice(0, shownMax).map((id) => {
          const commit = known.get(id)
          return (
            <li key={id} class="release-commit">
              {commit === undefined ? (
                <CopyValue label="the commit" value={id} />
              ) : (
                <CommitLine commit={commit} />
              )}
            </li>
          )
        })}
      </ul>
      {commits.length > shownMax && <p class="soft small">and {commits.length - shownMax} more</p>}
    </>
  )
}

function CommitLine({ commit }: { readonly commit: Commit }) {
  const { person } = commit
  const author = person?.name ?? commit.author_name ?? commit.author_email
  return (
    <>
      <div class="release-commit-text">
        <span title={commit.subject}>{commit.subject || 'No message'}</span>
        <span class="small soft">
          {[author, files(commit.file_count), commit.repository].filter(Boolean).join(' · ')}
        </span>
      </div>
      <code title={commit.id}>{commit.id.slice(0, hashShown)}</code>
      <span class="release-number small soft">
        {commit.timestamp !== null && <Time at={commit.timestamp} />}
      </span>
    </>
  )
}

function files(count: number): string | undefined {
  if (count === 0) return undefined
  return count === 1 ? '1 file' : `${count} files`
}

function NoCommits({ version }: { readonly version: string }) {
  return (
    <div class="stack">
      <p class="soft small">
        No commits are known. Send them when you build a release: then issues name the commits that
        may have caused them, and an issue that was resolved by a commit returns only in releases
        that contain it.
      </p>
      <CodeBlock
        label="Shell"
        code={`export SENTRY_URL=${location.origin} SENTRY_AUTH_TOKEN=oat_…
npx @sentry/cli releases set-commits '${version.replaceAll("'", String.raw`'\''`)}' --local`}
      />
    </div>
  )
}
