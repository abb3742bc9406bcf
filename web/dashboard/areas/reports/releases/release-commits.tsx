import { CodeBlock, CopyValue } from '../../../design/content/copy.tsx'
import type { Reply } from '../../../http/request.ts'
import { useProjectId } from '../../../url/use-project.ts'

type Release = Reply<'GET /api/v1/projects/{project_id}/releases/{release}'>

/** The commits since the release before, or how to send them. */
export function ReleaseCommits({ release }: { readonly release: Release }) {
  const projectId = useProjectId()
  const { commits } = release
  if (commits.length > 0) {
    return (
      <ul class="release-commits">
        {commits.map((commit) => (
          <li key={commit}>
            <CopyValue label="the commit" value={commit} />
          </li>
        ))}
      </ul>
    )
  }
  const path = `projects/${projectId}/releases/${encodeURIComponent(release.version)}/commits`
  return (
    <div class="stack">
      <p class="soft small">
        No commits are known. Send them when you build a release: then an issue that was resolved by
        a commit returns only in releases that contain it.
      </p>
      <CodeBlock
        label="Shell"
        code={`git log --format='"%H"' v1.4.0..HEAD | paste -sd, |
  xargs -0 printf '{"commits":[%s]}' |
  curl -f -X PUT -H "X-API-Key: $SLUICE_TOKEN" -H 'Content-Type: application/json' \\
    "${location.origin}/api/v1/${path}" -d @-`}
      />
    </div>
  )
}
