import { useState } from 'preact/hooks'
import { Button } from '../../../design/button.tsx'
import { countOf } from '../../../design/content/format.ts'
import { ProblemBox } from '../../../design/content/states.tsx'
import { SelectField, TextAreaField } from '../../../design/forms/field.tsx'
import { Dialog } from '../../../design/overlays/dialog.tsx'
import { asProblem } from '../../../http/problem.ts'
import { invalidateReads } from '../../../http/query-client.ts'
import { type Body, request } from '../../../http/request.ts'
import { showToast } from '../../../shell/toast-list.ts'
import {
  type IdeaDetail,
  ideaRead,
  ideasList,
  isSettable,
  type SettableStatus,
  settableStatuses,
} from '../common/idea.ts'
import { noticeOf } from './notice-text.ts'

interface StatusDialogProps {
  readonly projectId: string
  readonly idea: IdeaDetail
  readonly onClose: () => void
}

type Change = Body<'PATCH /api/v1/admin/portal/{project_id}/ideas/{idea_id}'>

/** Status and official answer are one change and one email, which is shown before it is sent. */
export function StatusDialog({ projectId, idea, onClose }: StatusDialogProps) {
  const saved = idea.response?.body ?? ''
  const [status, setStatus] = useState<SettableStatus | undefined>(
    isSettable(idea.status) ? idea.status : undefined,
  )
  const [answer, setAnswer] = useState(saved)
  const [problem, setProblem] = useState<Error>()
  const [busy, setBusy] = useState(false)
  const isNewAnswer = answer.trim() !== saved.trim()
  const isNewStatus = status !== undefined && status !== idea.status
  const save = async () => {
    const body: Change = {
      ...(isNewStatus ? { status } : {}),
      ...(isNewAnswer ? { response: answer.trim() === '' ? null : answer } : {}),
    }
    setBusy(true)
    try {
      const params = { project_id: projectId, idea_id: idea.id }
      await request('PATCH /api/v1/admin/portal/{project_id}/ideas/{idea_id}', { params, body })
      void invalidateReads(ideaRead, ideasList)
      showUndo(projectId, idea, body)
      onClose()
    } catch (error) {
      setProblem(error as Error)
      setBusy(false)
    }
  }
  const ruleOfAnswer = asProblem(problem)?.ruleOf('response')
  return (
    <Dialog
      title="Change the status"
      size="l"
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            kind="primary"
            type="submit"
            form="idea-status"
            busy={busy}
            disabled={!isNewAnswer && !isNewStatus}
          >
            Save
          </Button>
        </>
      }
    >
      <div class="idea-status-dialog">
        <form
          id="idea-status"
          class="form"
          onSubmit={(event) => {
            event.preventDefault()
            void save()
          }}
        >
          {problem !== undefined && ruleOfAnswer === undefined && <ProblemBox problem={problem} />}
          <SelectField
            label="Status"
            value={status ?? ''}
            choices={[
              ...(status === undefined ? [{ value: '', label: 'Duplicate' }] : []),
              ...settableStatuses.map((value) => ({ value, label: value })),
            ]}
            hint={idea.status === 'Duplicate' ? 'Another status also undoes the merge.' : undefined}
            onValue={(value) => setStatus(isSettable(value) ? value : undefined)}
          />
          <TextAreaField
            label="Official answer"
            hint="Everybody reads it on the portal. Optional, at most 5,000 characters."
            rows={6}
            value={answer}
            onText={setAnswer}
            error={ruleOfAnswer}
          />
        </form>
        <NoticePreview
          idea={idea}
          status={status ?? idea.status}
          answer={isNewAnswer ? answer : undefined}
        />
      </div>
    </Dialog>
  )
}

interface PreviewProps {
  readonly idea: IdeaDetail
  readonly status: IdeaDetail['status']
  readonly answer: string | undefined
}

function NoticePreview({ idea, status, answer }: PreviewProps) {
  const change = { title: idea.title, statusBefore: idea.status, status, response: answer }
  const notice = noticeOf(change)
  return (
    <section class="idea-notice" aria-label="Email to voters">
      <h3>Email to voters</h3>
      {idea.moderation !== 'published' ? (
        <p class="soft small">Nothing: the idea is not published.</p>
      ) : notice === undefined ? (
        <p class="soft small">Nothing yet. Choose a status or write an answer.</p>
      ) : (
        <>
          <div class="idea-mail">
            <p class="idea-mail-subject">
              <bdi>{notice.subject}</bdi>
            </p>
            {notice.lines.map((line) => (
              <p key={line} class="user-text">
                {line}
              </p>
            ))}
          </div>
          <p class="soft small">
            An email to the author and the {countOf(idea.vote_count, 'voter')}, as far as they left
            an address and want emails. A new status is sent after five minutes; undone before then,
            nobody is told.
          </p>
        </>
      )}
    </section>
  )
}

function showUndo(projectId: string, idea: IdeaDetail, body: Change): void {
  const params = { project_id: projectId, idea_id: idea.id }
  const before: Change = {
    ...(body.status !== undefined && isSettable(idea.status) ? { status: idea.status } : {}),
    ...(body.response === undefined ? {} : { response: idea.response?.body ?? null }),
  }
  const undo = async () => {
    await request('PATCH /api/v1/admin/portal/{project_id}/ideas/{idea_id}', {
      params,
      body: before,
    })
    await invalidateReads(ideaRead, ideasList)
    showToast({ kind: 'done', text: 'Undone.' })
  }
  const text = body.status === undefined ? 'Saved the answer.' : `The idea is now ${body.status}.`
  // A merge that the new status has undone is not made again.
  if (idea.status === 'Duplicate') showToast({ kind: 'done', text })
  else {
    const run = () =>
      void undo().catch((error: Error) => showToast({ kind: 'error', text: error.message }))
    showToast({ kind: 'done', text, action: { label: 'Undo', run } })
  }
}
