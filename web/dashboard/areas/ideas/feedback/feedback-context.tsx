import { Badge } from '../../../design/content/badge.tsx'
import { Facts } from '../../../design/content/data-table.tsx'
import { countOf } from '../../../design/content/format.ts'
import { Skeleton } from '../../../design/content/states.tsx'
import { Time } from '../../../design/content/time.tsx'
import { Problem } from '../../../http/problem.ts'
import { useRead } from '../../../http/use-read.ts'
import { projectPath } from '../../../url/use-project.ts'
import { culpritLine } from './culprit-line.ts'
import { type Feedback, inboxList, personKeyOf, statusTones } from './feedback-view.ts'

interface ContextProps {
  readonly projectId: string
  readonly item: Feedback
}

/** The error, the release and the person beside what was said. */
export function FeedbackContext({ projectId, item }: ContextProps) {
  return (
    <div class="feedback-context">
      {item.issue_id !== undefined ? (
        <IssueCard projectId={projectId} item={item} issueId={item.issue_id} />
      ) : (
        item.event_id !== undefined && (
          <section class="feedback-card">
            <h3>The error</h3>
            <p class="soft small">
              Event <code>{item.event_id}</code> has not arrived, or is no longer stored.
            </p>
          </section>
        )
      )}
      <WhereFacts projectId={projectId} item={item} />
      <OtherFeedback projectId={projectId} item={item} />
    </div>
  )
}

function IssueCard({ projectId, item, issueId }: ContextProps & { readonly issueId: string }) {
  const params = { project_id: projectId }
  const issue = useRead(
    'GET /api/v1/projects/{project_id}/issues/{issue_id}',
    { params: { ...params, issue_id: issueId } },
    { topics: ['issues'] },
  )
  const event = useRead(
    'GET /api/v1/projects/{project_id}/events/{event_id}',
    { params: { ...params, event_id: item.event_id ?? '' } },
    { enabled: item.event_id !== undefined },
  ).data
  const { data } = issue
  if (data === undefined) {
    if (issue.problem === undefined) return <Skeleton lines={3} />
    const isGone = issue.problem instanceof Problem && issue.problem.status === 404
    return (
      <section class="feedback-card">
        <h3>The error</h3>
        <p class="soft small">{isGone ? 'The issue has been deleted.' : issue.problem.message}</p>
      </section>
    )
  }
  const href = projectPath(projectId, `issues/${issueId}`)
  const line = event && culpritLine(event)
  return (
    <section class="feedback-card" aria-label="The error">
      <h3>The error</h3>
      <a
        class="feedback-issue"
        href={item.event_id === undefined ? href : `${href}?event=${item.event_id}`}
      >
        <bdi>{data.title}</bdi>
      </a>
      {data.culprit !== '' && <p class="soft small mono">{data.culprit}</p>}
      {line !== undefined && (
        <pre class="feedback-line">
          <code>
            <span class="soft">{line.place}</span>
            {line.text !== undefined && `\n${line.text}`}
          </code>
        </pre>
      )}
      <p class="feedback-issue-facts">
        <span class="mono">{data.short_id}</span>
        <Badge
          tone={
            data.status === 'resolved'
              ? 'success'
              : data.status === 'ignored'
                ? 'neutral'
                : 'danger'
          }
        >
          {data.status}
        </Badge>
        <span>{countOf(data.count, 'event')}</span>
        <span>{countOf(data.user_count, 'user')}</span>
        <span>
          last <Time at={data.last_seen} />
        </span>
      </p>
    </section>
  )
}

function WhereFacts({ projectId, item }: ContextProps) {
  const facts = [
    ...(item.version === undefined
      ? []
      : [
          {
            name: 'Release',
            value: (
              <a href={projectPath(projectId, `releases/${encodeURIComponent(item.version)}`)}>
                <bdi>{item.version}</bdi>
              </a>
            ),
          },
        ]),
    ...(item.path === undefined ? [] : [{ name: 'Page', value: <code>{item.path}</code> }]),
    ...(item.environment === undefined ? [] : [{ name: 'Environment', value: item.environment }]),
    ...(item.component === undefined ? [] : [{ name: 'Component', value: item.component }]),
    ...(item.enduser_id === undefined
      ? []
      : [
          {
            name: 'Portal user',
            value: (
              <a
                href={projectPath(
                  projectId,
                  `portal?tab=users&search=${encodeURIComponent(item.enduser_id)}`,
                )}
              >
                <bdi>{item.enduser_id}</bdi>
              </a>
            ),
          },
        ]),
    { name: 'Sent by', value: sources[item.source] },
  ]
  return (
    <section class="feedback-card" aria-label="Where it was said">
      <Facts facts={facts} />
    </section>
  )
}

const sources: Readonly<Record<Feedback['source'], string>> = {
  Widget: 'The widget of an SDK',
  Api: 'An SDK or the API',
  Import: 'An import',
  Dashboard: 'A member of the team',
}

function OtherFeedback({ projectId, item }: ContextProps) {
  const person = personKeyOf(item)
  return (
    <>
      {person !== undefined && (
        <Others
          projectId={projectId}
          exceptId={item.id}
          title="More from this person"
          query={{ person }}
          moreHref={`feedback?view=all&person=${encodeURIComponent(person)}`}
        />
      )}
      {item.issue_id !== undefined && (
        <Others
          projectId={projectId}
          exceptId={item.id}
          title="More about this error"
          query={{ issue_id: item.issue_id }}
          moreHref={`feedback?view=all&issue=${item.issue_id}`}
        />
      )}
    </>
  )
}

interface OthersProps {
  readonly projectId: string
  readonly exceptId: string
  readonly title: string
  readonly query: { readonly person: string } | { readonly issue_id: string }
  readonly moreHref: string
}

const othersShown = 4

function Others({ projectId, exceptId, title, query, moreHref }: OthersProps) {
  const items = useRead(
    inboxList,
    { params: { project_id: projectId }, query: { ...query, limit: othersShown + 2 } },
    { topics: ['feedback'] },
  ).data?.items.filter(({ id }) => id !== exceptId)
  if (items === undefined || items.length === 0) return null
  return (
    <section class="feedback-card" aria-label={title}>
      <h3>{title}</h3>
      <ul class="feedback-others">
        {items.slice(0, othersShown).map((other) => (
          <li key={other.id}>
            <a href={projectPath(projectId, `feedback/${other.id}?view=all`)}>
              <bdi>{other.message.slice(0, 120)}</bdi>
            </a>
            <Badge tone={statusTones[other.status]}>{other.status}</Badge>
          </li>
        ))}
      </ul>
      {items.length > othersShown && (
        <a class="small" href={projectPath(projectId, moreHref)}>
          Show all
        </a>
      )}
    </section>
  )
}
