import { Badge } from '../../../design/content/badge.tsx'
import { CodeBlock } from '../../../design/content/copy.tsx'
import { type Column, DataTable } from '../../../design/content/data-table.tsx'
import { Time } from '../../../design/content/time.tsx'
import type { Reply } from '../../../http/request.ts'
import { durationWords } from './duration-words.ts'

type Release = Reply<'GET /api/v1/projects/{project_id}/releases/{release}'>
type Deploy = Release['deploys'][number]

const columns: readonly Column<Deploy>[] = [
  { head: 'Environment', cell: ({ environment }) => <Badge>{environment}</Badge> },
  {
    head: 'Name',
    cell: ({ name, url }) =>
      url === null ? (
        (name ?? <span class="soft">–</span>)
      ) : (
        <a href={url} rel="noreferrer noopener" target="_blank">
          {name ?? url}
        </a>
      ),
  },
  {
    head: 'Took',
    numeric: true,
    secondary: true,
    cell: ({ started_at: started, finished_at: finished }) =>
      started === null ? (
        <span class="soft">–</span>
      ) : (
        durationWords(Date.parse(finished) - Date.parse(started))
      ),
  },
  { head: 'Finished', numeric: true, cell: ({ finished_at: at }) => <Time at={at} /> },
]

/** When the release was put into which environment, or how to say so. */
export function ReleaseDeploys({ release }: { readonly release: Release }) {
  if (release.deploys.length > 0) {
    return (
      <DataTable label="Deploys" items={release.deploys} keyOf={({ id }) => id} columns={columns} />
    )
  }
  const version = release.version.replaceAll("'", String.raw`'\''`)
  return (
    <div class="stack release-hint">
      <p class="soft small">No deploys are known. Say when you have deployed a release:</p>
      <CodeBlock
        label="Shell"
        code={`npx @sentry/cli deploys new --release '${version}' -e production`}
      />
    </div>
  )
}
