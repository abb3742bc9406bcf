import { useState } from 'preact/hooks'
import { Button, ButtonLink, IconButton } from '../../../design/button.tsx'
import { Avatar, Badge, Kbd } from '../../../design/content/badge.tsx'
import { Loaded } from '../../../design/content/states.tsx'
import { Time } from '../../../design/content/time.tsx'
import { SelectField } from '../../../design/forms/field.tsx'
import { ConfirmDialog } from '../../../design/overlays/dialog.tsx'
import { useRead } from '../../../http/use-read.ts'
import { canWrite } from '../../../session/session.ts'
import { deleteFeedback } from './change-feedback.ts'
import { FeedbackContext } from './feedback-context.tsx'
import {
  type Feedback,
  type FeedbackStatus,
  type FeedbackType,
  feedbackRead,
  feedbackStatuses,
  feedbackTypes,
  personOf,
  statusTones,
} from './feedback-view.ts'
import '../common/shared.css'

type How = Pick<Partial<Feedback>, 'status' | 'type' | 'archived'>

interface PaneProps {
  readonly projectId: string
  readonly feedbackId: string
  /** The item of the list, shown without waiting. */
  readonly known: Feedback | undefined
  readonly backHref: string
  readonly onChange: (item: Feedback, how: How) => void
  readonly onDeleted: () => void
}

export function ReadingPane(props: PaneProps) {
  const { projectId, feedbackId, known, backHref } = props
  const read = useRead(
    feedbackRead,
    { params: { project_id: projectId, feedback_id: feedbackId } },
    { topics: ['feedback'], enabled: known === undefined },
  )
  return (
    <article class="feedback-pane" aria-label="The opened feedback">
      <div class="feedback-back">
        <ButtonLink href={backHref} icon="arrowLeft" size="s" kind="quiet">
          All feedback
        </ButtonLink>
      </div>
      {known !== undefined ? (
        <Item {...props} item={known} />
      ) : (
        <Loaded read={read}>{(item) => <Item {...props} item={item} />}</Loaded>
      )}
    </article>
  )
}

function Item({ projectId, item, onChange, onDeleted }: PaneProps & { readonly item: Feedback }) {
  const [isDeleting, setDeleting] = useState(false)
  const isDone = item.status === 'Resolved' || item.status === 'Closed'
  return (
    <>
      <header class="feedback-head">
        <Avatar name={personOf(item)} size={28} />
        <div>
          <h2>
            <bdi>{personOf(item)}</bdi>
          </h2>
          <p class="soft small">
            {item.person_email !== undefined && <bdi>{item.person_email} · </bdi>}
            <Time at={item.created_at} />
          </p>
        </div>
        {item.archived && <Badge>Archived</Badge>}
      </header>
      <p class="feedback-message user-text">{item.message}</p>
      {canWrite.value ? (
        <div class="feedback-actions">
          <Button
            kind="primary"
            icon={isDone ? 'undo' : 'check'}
            onClick={() => onChange(item, { status: isDone ? 'Active' : 'Resolved' })}
          >
            {isDone ? 'Reopen' : 'Resolve'}
          </Button>
          <SelectField
            label="Status"
            hideLabel
            value={item.status}
            choices={feedbackStatuses.map((value) => ({ value, label: value }))}
            onValue={(status) => onChange(item, { status: status as FeedbackStatus })}
          />
          <SelectField
            label="Type"
            hideLabel
            value={item.type}
            choices={feedbackTypes.map((value) => ({ value, label: value }))}
            onValue={(type) => onChange(item, { type: type as FeedbackType })}
          />
          <Button icon="archive" onClick={() => onChange(item, { archived: !item.archived })}>
            {item.archived ? 'Back to the inbox' : 'Archive'}
          </Button>
          {item.person_email !== undefined && (
            <a class="button button-plain button-m" href={mailTo(item)}>
              Reply by email
            </a>
          )}
          <IconButton label="Delete" icon="trash" onClick={() => setDeleting(true)} />
          <span class="feedback-keys">
            <Kbd keys="e" /> resolve <Kbd keys="y" /> archive <Kbd keys="j" /> <Kbd keys="k" /> move{' '}
            <Kbd keys="x" /> select
          </span>
        </div>
      ) : (
        <p>
          <Badge tone={statusTones[item.status]}>{item.status}</Badge>
        </p>
      )}
      <FeedbackContext projectId={projectId} item={item} />
      {isDeleting && (
        <ConfirmDialog
          title="Delete the feedback"
          confirm="Delete the feedback"
          danger
          onClose={() => setDeleting(false)}
          onConfirm={async () => {
            if ((await deleteFeedback(projectId, [item.id])) === true) onDeleted()
          }}
        >
          <p>This cannot be undone. Archived feedback is out of the way and stays.</p>
        </ConfirmDialog>
      )}
    </>
  )
}

const quotedCharacters = 500

/** The mail program of the person at the desk writes the reply, with the message quoted. */
function mailTo(item: Feedback): string {
  const quoted = item.message
    .slice(0, quotedCharacters)
    .split('\n')
    .map((line) => `> ${line}`)
    .join('\n')
  const query = `subject=${encodeURIComponent('Your feedback')}&body=${encodeURIComponent(`\n\n${quoted}`)}`
  return `mailto:${encodeURIComponent(item.person_email ?? '')}?${query}`
}
