import { countOf, formatNumber } from '../../../design/content/format.ts'
import { Loaded } from '../../../design/content/states.tsx'
import { useRead } from '../../../http/use-read.ts'
import type { Idea } from './idea.ts'
import './shared.css'

interface MergePreviewProps {
  readonly projectId: string
  readonly idea: Pick<Idea, 'id' | 'vote_count' | 'comment_count'>
  readonly into: { readonly id: string; readonly title: string; readonly vote_count: number }
}

/** What a merge will do, in numbers, before it is done. */
export function MergePreview({ projectId, idea, into }: MergePreviewProps) {
  const read = useRead(
    'GET /api/v1/admin/portal/{project_id}/ideas/{idea_id}/merge-preview',
    { params: { project_id: projectId, idea_id: idea.id }, query: { into: into.id } },
    { topics: ['ideas'] },
  )
  return (
    <section class="merge-preview" aria-label="What the merge does">
      <h3>What the merge does</h3>
      <Loaded read={read} lines={3}>
        {(preview) => (
          <ul>
            <li>
              <b>
                <bdi>{into.title}</bdi>
              </b>{' '}
              {preview.votes === into.vote_count
                ? 'keeps its '
                : `goes from ${formatNumber(into.vote_count)} to `}
              <b>{countOf(preview.votes, 'vote')}</b>
              {preview.shared > 0 &&
                `; ${countOf(preview.shared, 'voter')} voted for both and ${preview.shared === 1 ? 'counts' : 'count'} once`}
              .
            </li>
            <li>
              {idea.comment_count === 0
                ? 'There are no comments to move.'
                : `${countOf(idea.comment_count, 'comment')} ${idea.comment_count === 1 ? 'is' : 'are'} shown there, too.`}
            </li>
            <li>This idea keeps its address and becomes a duplicate that points there.</li>
            <li>Its voters are notified. You can undo the merge at any time.</li>
          </ul>
        )}
      </Loaded>
    </section>
  )
}
