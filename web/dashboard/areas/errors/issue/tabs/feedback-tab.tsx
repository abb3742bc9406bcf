import { Badge } from '../../../../design/content/badge.tsx'
import { formatNumber } from '../../../../design/content/format.ts'
import { Panel } from '../../../../design/content/page.tsx'
import { EmptyState, Loaded } from '../../../../design/content/states.tsx'
import { Time } from '../../../../design/content/time.tsx'
import { shortText } from '../../../../design/text/visible-text.ts'
import { useRead } from '../../../../http/use-read.ts'
import type { IssueDetail } from '../issue-reads.ts'

const shownMax = 50
const feedbackRead = 'GET /api/v1/admin/feedback/{project_id}'

/** What people wrote about events of this issue. */
export function FeedbackTab({
  projectId,
  issue,
}: {
  readonly projectId: string
  readonly issue: IssueDetail
}) {
  const read = useRead(
    feedbackRead,
    { params: { project_id: projectId }, query: { issue_id: issue.id, limit: shownMax } },
    { topics: ['feedback'] },
  )
  return (
    <Loaded read={read}>
      {({ feedback, pagination }) =>
        feedback.length === 0 ? (
          <EmptyState icon="comment" title="Nobody wrote about this issue">
            <p>
              Feedback that is sent with the id of an event, such as by the widget after a crash, is
              shown here.
            </p>
          </EmptyState>
        ) : (
          <Panel flush>
            <ul class="issue-list" aria-label="Feedback about this issue">
              {feedback.map((item) => (
                <li key={item.id}>
                  <div class="issue-list-text">
                    <a href={`/projects/${projectId}/feedback/${item.id}`}>
                      {shortText(item.message, 400)}
                    </a>
                    <p class="soft small">
                      {shortText(item.person_name ?? item.person_email ?? 'Anonymous', 120)}
                      {item.path !== undefined && <> · {shortText(item.path, 160)}</>}
                      {item.event_id !== undefined && (
                        <>
                          {' · '}
                          <a href={`?event=${item.event_id}`}>its event</a>
                        </>
                      )}
                    </p>
                  </div>
                  <Badge>{item.status}</Badge>
                  <Time at={item.created_at} />
                </li>
              ))}
            </ul>
            {pagination.total > feedback.length && (
              <p class="issue-frames-more soft small">
                The latest {feedback.length} of {formatNumber(pagination.total)} are shown.
              </p>
            )}
          </Panel>
        )
      }
    </Loaded>
  )
}
