import { useState } from 'preact/hooks'
import { Button } from '../../../design/button.tsx'
import { ProblemBox } from '../../../design/content/states.tsx'
import { SelectField, TextAreaField, TextField } from '../../../design/forms/field.tsx'
import { Dialog } from '../../../design/overlays/dialog.tsx'
import { asProblem, type Problem } from '../../../http/problem.ts'
import { invalidateReads } from '../../../http/query-client.ts'
import { request } from '../../../http/request.ts'
import { useRead } from '../../../http/use-read.ts'
import { ideasList, type SettableStatus, settableStatuses } from '../common/idea.ts'
import { SimilarIdeas } from '../common/similar-ideas.tsx'
import { TagPicker } from '../common/tag-picker.tsx'

interface NewIdeaProps {
  readonly projectId: string
  readonly onClose: () => void
  readonly onCreated: (id: string) => void
}

/** An idea of the team itself; it is published at once. */
export function NewIdeaDialog({ projectId, onClose, onCreated }: NewIdeaProps) {
  const params = { project_id: projectId }
  const tags = useRead('GET /api/v1/admin/portal/{project_id}/tags', { params }).data?.items ?? []
  const [title, setTitle] = useState('')
  const [description, setDescription] = useState('')
  const [status, setStatus] = useState<SettableStatus>('Open')
  const [chosen, setChosen] = useState<readonly string[]>([])
  const [problem, setProblem] = useState<Problem>()
  const [busy, setBusy] = useState(false)
  const create = async () => {
    setBusy(true)
    try {
      const { id } = await request('POST /api/v1/admin/portal/{project_id}/ideas', {
        params,
        body: { title, description, status, tags: chosen },
      })
      void invalidateReads(ideasList)
      onCreated(id)
    } catch (error) {
      setProblem(asProblem(error))
      setBusy(false)
    }
  }
  const isFieldProblem = ['title', 'description', 'tags'].some(
    (field) => problem?.ruleOf(field) !== undefined,
  )
  return (
    <Dialog
      title="New idea"
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" form="new-idea" busy={busy}>
            Create the idea
          </Button>
        </>
      }
    >
      <form
        id="new-idea"
        class="form"
        onSubmit={(event) => {
          event.preventDefault()
          void create()
        }}
      >
        {problem !== undefined && !isFieldProblem && <ProblemBox problem={problem} />}
        <TextField
          label="Title"
          value={title}
          onText={setTitle}
          maxLength={200}
          error={problem?.ruleOf('title')}
        />
        <SimilarIdeas projectId={projectId} title={title} label="Similar ideas" />
        <TextAreaField
          label="Description"
          hint="What should change, and why. Users read it on the portal."
          value={description}
          onText={setDescription}
          error={problem?.ruleOf('description')}
        />
        <SelectField
          label="Status"
          value={status}
          choices={settableStatuses.map((value) => ({ value, label: value }))}
          onValue={(value) => setStatus(value as SettableStatus)}
        />
        <TagPicker tags={tags} chosen={chosen} onChosen={setChosen} />
      </form>
    </Dialog>
  )
}
