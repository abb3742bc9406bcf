import { useState } from 'preact/hooks'
import { Button } from '../../../design/button.tsx'
import { ProblemBox } from '../../../design/content/states.tsx'
import { TextAreaField, TextField } from '../../../design/forms/field.tsx'
import { Dialog } from '../../../design/overlays/dialog.tsx'
import { asProblem } from '../../../http/problem.ts'
import { invalidateReads } from '../../../http/query-client.ts'
import { request } from '../../../http/request.ts'
import { showToast } from '../../../shell/toast-list.ts'
import { type IdeaDetail, ideaRead, ideasList } from '../common/idea.ts'

interface EditProps {
  readonly projectId: string
  readonly idea: IdeaDetail
  readonly onClose: () => void
}

export function EditIdeaDialog({ projectId, idea, onClose }: EditProps) {
  const [title, setTitle] = useState(idea.title)
  const [description, setDescription] = useState(idea.description)
  const [problem, setProblem] = useState<Error>()
  const [busy, setBusy] = useState(false)
  const rules = asProblem(problem)
  const isField = rules?.ruleOf('title') !== undefined || rules?.ruleOf('description') !== undefined
  const save = async () => {
    setBusy(true)
    try {
      await request('PATCH /api/v1/admin/portal/{project_id}/ideas/{idea_id}', {
        params: { project_id: projectId, idea_id: idea.id },
        body: { title, description },
      })
      void invalidateReads(ideaRead, ideasList)
      showToast({ kind: 'done', text: 'Saved the idea.' })
      onClose()
    } catch (error) {
      setProblem(error as Error)
      setBusy(false)
    }
  }
  return (
    <Dialog
      title="Edit the idea"
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" form="edit-idea" busy={busy}>
            Save
          </Button>
        </>
      }
    >
      <form
        id="edit-idea"
        class="form"
        onSubmit={(event) => {
          event.preventDefault()
          void save()
        }}
      >
        {problem !== undefined && !isField && <ProblemBox problem={problem} />}
        {idea.author !== null && (
          <p class="soft small">A user wrote this idea. Edits are visible on the portal at once.</p>
        )}
        <TextField
          label="Title"
          value={title}
          maxLength={200}
          onText={setTitle}
          error={rules?.ruleOf('title')}
        />
        <TextAreaField
          label="Description"
          rows={8}
          value={description}
          onText={setDescription}
          error={rules?.ruleOf('description')}
        />
      </form>
    </Dialog>
  )
}
