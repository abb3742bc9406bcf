import { EmptyState } from '../../../../design/content/states.tsx'
import type { IssueDetail } from '../issue-reads.ts'
import { TagShares } from '../side/tag-shares.tsx'

export function TagsTab({
  projectId,
  issue,
}: {
  readonly projectId: string
  readonly issue: IssueDetail
}) {
  if (Object.keys(issue.tags).length === 0) {
    return (
      <EmptyState icon="tag" title="No event has a tag">
        <p>
          Set tags in your code, for example <code>Sentry.setTag('queue', 'orders')</code>, to see
          which of them go with the crash.
        </p>
      </EmptyState>
    )
  }
  return (
    <div class="issue-tags-tab">
      <h2 class="screen-reader">Values of each tag</h2>
      <TagShares projectId={projectId} issue={issue} max={200} valuesMax={10} />
    </div>
  )
}
