import { useState } from 'preact/hooks'
import { Button } from '../../../design/button.tsx'
import { ProblemBox } from '../../../design/content/states.tsx'
import { TextField } from '../../../design/forms/field.tsx'
import { SlugField, useProposedSlug } from '../../../design/forms/slug-field.tsx'
import { Dialog } from '../../../design/overlays/dialog.tsx'
import { asProblem } from '../../../http/problem.ts'
import { invalidateReads } from '../../../http/query-client.ts'
import { type Reply, request } from '../../../http/request.ts'
import { showToast } from '../../../shell/toast-list.ts'
import { ColorField } from '../common/color-field.tsx'
import { ideaRead, ideasList } from '../common/idea.ts'

export const tagsList = 'GET /api/v1/admin/portal/{project_id}/tags' as const
export type PortalTag = Reply<typeof tagsList>['items'][number]

interface TagDialogProps {
  readonly projectId: string
  /** Of a new tag. */
  readonly position: number
  readonly tag?: PortalTag
  readonly onClose: () => void
}

const colorDefault = '#6b7280'

export function TagDialog({ projectId, position, tag, onClose }: TagDialogProps) {
  const [name, setName] = useState(tag?.name ?? '')
  const slug = useProposedSlug(name)
  const [color, setColor] = useState(tag?.color ?? colorDefault)
  const [problem, setProblem] = useState<Error>()
  const [busy, setBusy] = useState(false)
  const save = async () => {
    setBusy(true)
    try {
      const params = { project_id: projectId }
      if (tag === undefined) {
        const body = { name, slug: slug.value, color, position }
        await request('POST /api/v1/admin/portal/{project_id}/tags', { params, body })
      } else {
        await request('PATCH /api/v1/admin/portal/{project_id}/tags/{slug}', {
          params: { ...params, slug: tag.slug },
          body: { name, color },
        })
      }
      void invalidateReads(tagsList, ideasList, ideaRead)
      showToast({ kind: 'done', text: tag === undefined ? 'Created the tag.' : 'Saved the tag.' })
      onClose()
    } catch (error) {
      setProblem(error as Error)
      setBusy(false)
    }
  }
  const rules = asProblem(problem)
  const isField = ['name', 'slug', 'color'].some((field) => rules?.ruleOf(field) !== undefined)
  return (
    <Dialog
      title={tag === undefined ? 'New tag' : 'Edit the tag'}
      size="s"
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" form="tag-form" busy={busy}>
            {tag === undefined ? 'Create the tag' : 'Save'}
          </Button>
        </>
      }
    >
      <form
        id="tag-form"
        class="form"
        onSubmit={(event) => {
          event.preventDefault()
          void save()
        }}
      >
        {problem !== undefined && !isField && <ProblemBox problem={problem} />}
        <TextField
          label="Name"
          value={name}
          onText={setName}
          maxLength={50}
          error={rules?.ruleOf('name')}
        />
        {tag === undefined && (
          <SlugField
            slug={slug}
            hint="Part of links to ideas with the tag. It cannot be changed later."
            error={rules?.ruleOf('slug')}
          />
        )}
        <ColorField label="Color" value={color} onValue={setColor} error={rules?.ruleOf('color')} />
      </form>
    </Dialog>
  )
}
