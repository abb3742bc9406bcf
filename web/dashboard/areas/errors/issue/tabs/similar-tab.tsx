import { Badge } from '../../../../design/content/badge.tsx'
import { formatNumber, formatShare } from '../../../../design/content/format.ts'
import { Panel } from '../../../../design/content/page.tsx'
import { EmptyState, Loaded } from '../../../../design/content/states.tsx'
import { Time } from '../../../../design/content/time.tsx'
import { shortText } from '../../../../design/text/visible-text.ts'
import { useRead } from '../../../../http/use-read.ts'
import { type IssueDetail, similarRead } from '../issue-reads.ts'

const reasons = {
  exception_type: 'same exception type',
  culprit: 'same place',
  title: 'near title',
} as const

export function SimilarTab({
  projectId,
  issue,
}: {
  readonly projectId: string
  readonly issue: IssueDetail
}) {
  const read = useRead(similarRead, { params: { project_id: projectId, issue_id: issue.id } })
  return (
    <Loaded read={read}>
      {({ items }) =>
        items.length === 0 ? (
          <EmptyState icon="layers" title="No issue is similar">
            <p>Issues with the same exception, the same place or a near title would be here.</p>
          </EmptyState>
        ) : (
          <Panel flush>
            <ul class="issue-list" aria-label="Similar issues">
              {items.map((item) => (
                <li key={item.id}>
                  <div class="issue-list-text">
                    <a href={`/projects/${projectId}/issues/${item.id}`}>
                      {shortText(item.title, 300)}
                    </a>
                    <p class="soft small">
                      {item.short_id} · {shortText(item.culprit, 200)} ·{' '}
                      {item.reasons.map((reason) => reasons[reason]).join(', ')}
                    </p>
                  </div>
                  <Badge>{item.status}</Badge>
                  <span class="number soft" title="Similarity of the titles">
                    {formatShare(item.similarity, 0)}
                  </span>
                  <span class="number">{formatNumber(item.count)}</span>
                  <Time at={item.last_seen} />
                </li>
              ))}
            </ul>
          </Panel>
        )
      }
    </Loaded>
  )
}
