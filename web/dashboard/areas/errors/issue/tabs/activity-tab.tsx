import { useState } from 'preact/hooks'
import { Button } from '../../../../design/button.tsx'
import { Avatar } from '../../../../design/content/badge.tsx'
import { Panel } from '../../../../design/content/page.tsx'
import { Time } from '../../../../design/content/time.tsx'
import { TextAreaField } from '../../../../design/forms/field.tsx'
import { MarkdownView } from '../../../../design/text/markdown-view.tsx'
import { shortText } from '../../../../design/text/visible-text.ts'
import { asProblem } from '../../../../http/problem.ts'
import { invalidateReads } from '../../../../http/query-client.ts'
import { request } from '../../../../http/request.ts'
import { canWrite } from '../../../../session/session.ts'
import { type IssueDetail, issueRead } from '../issue-reads.ts'
import { textOf } from '../payload/fields.ts'
import { actorName, describeActivity } from './describe-activity.ts'

const charactersMax = 10_000
const activitiesMax = 100

interface ActivityTabProps {
  readonly projectId: string
  readonly issue: IssueDetail
}

/** Who decided what, and what they wrote about it, the newest first. */
export function ActivityTab({ projectId, issue }: ActivityTabProps) {
  return (
    <div class="issue-narrow stack">
      {canWrite.value && <CommentForm projectId={projectId} issueId={issue.id} />}
      <ol class="issue-activity" aria-label="Activity">
        {issue.activity.map((entry) => {
          const name = actorName(entry.actor)
          const comment = entry.kind === 'comment' ? textOf(entry.data['text']) : undefined
          return (
            <li
              key={`${entry.at} ${entry.kind} ${entry.issue_id}`}
              data-comment={comment !== undefined}
            >
              <Avatar name={name} size={24} />
              <div>
                <p class="issue-activity-line">
                  <strong>{shortText(name, 120)}</strong>{' '}
                  <span>{shortText(describeActivity(entry), 1_200)}</span> <Time at={entry.at} />
                  {entry.issue_id !== issue.id && (
                    <span class="soft"> in an issue that was merged into this one</span>
                  )}
                </p>
                {comment !== undefined && <MarkdownView text={comment} />}
              </div>
            </li>
          )
        })}
        <li>
          <Avatar name="Sluice" size={24} />
          <p class="issue-activity-line">
            <strong>Sluice</strong> saw it first <Time at={issue.first_seen} />
          </p>
        </li>
      </ol>
      {issue.activity.length >= activitiesMax && (
        <p class="soft small">The latest {activitiesMax} entries are shown.</p>
      )}
    </div>
  )
}

function CommentForm({
  projectId,
  issueId,
}: {
  readonly projectId: string
  readonly issueId: string
}) {
  const [text, setText] = useState('')
  const [isPreview, setPreview] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState<Error>()
  const isEmpty = text.trim() === ''
  const send = async () => {
    if (isEmpty || isBusy) return
    setBusy(true)
    setProblem(undefined)
    try {
      await request('POST /api/v1/projects/{project_id}/issues/{issue_id}/comments', {
        params: { project_id: projectId, issue_id: issueId },
        body: { text },
      })
      setText('')
      setPreview(false)
      await invalidateReads(issueRead)
    } catch (error) {
      setProblem(error as Error)
    } finally {
      setBusy(false)
    }
  }
  return (
    <Panel title="Comment">
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault()
          void send()
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
            event.preventDefault()
            void send()
          }
        }}
      >
        {isPreview ? (
          <MarkdownView text={text} />
        ) : (
          <TextAreaField
            label="Comment, in Markdown"
            hideLabel
            placeholder="What have you found out? Markdown, Ctrl Enter sends."
            rows={3}
            maxLength={charactersMax}
            value={text}
            onText={setText}
            error={
              problem === undefined
                ? undefined
                : (asProblem(problem)?.ruleOf('text') ?? problem.message)
            }
          />
        )}
        <div class="form-actions">
          <Button type="submit" kind="primary" size="s" busy={isBusy} disabled={isEmpty}>
            Comment
          </Button>
          <Button size="s" disabled={isEmpty} onClick={() => setPreview(!isPreview)}>
            {isPreview ? 'Write' : 'Preview'}
          </Button>
        </div>
      </form>
    </Panel>
  )
}
