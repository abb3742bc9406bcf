import { useState } from 'preact/hooks'
import { Button } from '../../../design/button.tsx'
import { ProblemBox } from '../../../design/content/states.tsx'
import { SelectField, TextAreaField, TextField } from '../../../design/forms/field.tsx'
import { Dialog } from '../../../design/overlays/dialog.tsx'
import { asProblem } from '../../../http/problem.ts'
import { invalidateReads } from '../../../http/query-client.ts'
import { request } from '../../../http/request.ts'
import { showToast } from '../../../shell/toast-list.ts'
import { type FeedbackType, feedbackStats, feedbackTypes, inboxList } from './feedback-view.ts'

interface NewFeedbackProps {
  readonly projectId: string
  readonly onClose: () => void
}

const texts = ['person_name', 'person_email', 'version', 'path'] as const

/** Feedback that reached the team by email, phone or in person. */
export function NewFeedbackDialog({ projectId, onClose }: NewFeedbackProps) {
  const [message, setMessage] = useState('')
  const [type, setType] = useState<FeedbackType>('Other')
  const [given, setGiven] = useState<Partial<Record<(typeof texts)[number], string>>>({})
  const [problem, setProblem] = useState<Error>()
  const [busy, setBusy] = useState(false)
  const rules = asProblem(problem)
  const create = async () => {
    setBusy(true)
    try {
      const filled = texts.flatMap((name) => {
        const text = given[name]?.trim() ?? ''
        return text === '' ? [] : [[name, text] as const]
      })
      await request('POST /api/v1/admin/feedback/{project_id}', {
        params: { project_id: projectId },
        body: { message, type, ...Object.fromEntries(filled) },
      })
      void invalidateReads(inboxList, feedbackStats)
      showToast({ kind: 'done', text: 'Created the feedback.' })
      onClose()
    } catch (error) {
      setProblem(error as Error)
      setBusy(false)
    }
  }
  const field = (name: (typeof texts)[number], label: string, hint?: string) => (
    <TextField
      label={label}
      {...(hint === undefined ? {} : { hint })}
      value={given[name] ?? ''}
      onText={(text) => setGiven((before) => ({ ...before, [name]: text }))}
      error={rules?.ruleOf(name)}
    />
  )
  const isField = ['message', 'type', ...texts].some((name) => rules?.ruleOf(name) !== undefined)
  return (
    <Dialog
      title="New feedback"
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            kind="primary"
            type="submit"
            form="new-feedback"
            busy={busy}
            disabled={message.trim() === ''}
          >
            Create the feedback
          </Button>
        </>
      }
    >
      <form
        id="new-feedback"
        class="form"
        onSubmit={(event) => {
          event.preventDefault()
          void create()
        }}
      >
        {problem !== undefined && !isField && <ProblemBox problem={problem} />}
        <TextAreaField
          label="Message"
          hint="What the person said, at most 10,000 characters."
          rows={5}
          value={message}
          onText={setMessage}
          error={rules?.ruleOf('message')}
          autofocus
        />
        <SelectField
          label="Type"
          value={type}
          choices={feedbackTypes.map((value) => ({ value, label: value }))}
          onValue={(value) => setType(value as FeedbackType)}
        />
        <div class="form-row">
          {field('person_name', 'Name')}
          {field('person_email', 'Email')}
        </div>
        <div class="form-row">
          {field('version', 'Release')}
          {field('path', 'Page', 'Without its query.')}
        </div>
      </form>
    </Dialog>
  )
}
