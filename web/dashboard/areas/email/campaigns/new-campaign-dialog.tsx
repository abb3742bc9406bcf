import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { Button } from '../../../design/button.tsx'
import { ProblemBox } from '../../../design/content/states.tsx'
import { SelectField, TextField } from '../../../design/forms/field.tsx'
import { Dialog } from '../../../design/overlays/dialog.tsx'
import { asProblem } from '../../../http/problem.ts'
import { invalidateReads } from '../../../http/query-client.ts'
import { request } from '../../../http/request.ts'

/** A draft needs some text; this is what a newsletter begins with. */
const firstText = 'Hello {{name | there}},\n\n'

/** Asks for the two things that a draft cannot be without, and opens it in the editor. */
export function NewCampaignDialog({
  newsletters,
  chosen,
  onClose,
}: {
  readonly newsletters: readonly { readonly slug: string; readonly name: string }[]
  readonly chosen: string | undefined
  readonly onClose: () => void
}) {
  const { route } = useLocation()
  const [picked, setPicked] = useState(chosen)
  // The dialog may be open before the newsletters have loaded.
  const newsletter = picked ?? newsletters[0]?.slug ?? ''
  const [subject, setSubject] = useState('')
  const [problem, setProblem] = useState<Error>()
  const [busy, setBusy] = useState(false)
  const create = async (event: Event) => {
    event.preventDefault()
    setBusy(true)
    try {
      const body = { newsletter, subject, markdown: firstText }
      const { id } = await request('POST /api/v1/admin/email/campaigns', { body })
      void invalidateReads('GET /api/v1/admin/email/campaigns')
      onClose()
      route(`/email/campaigns/${id}`)
    } catch (error) {
      setProblem(error as Error)
      setBusy(false)
    }
  }
  const subjectRule = asProblem(problem)?.ruleOf('subject')
  return (
    <Dialog
      title="New campaign"
      size="s"
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            kind="primary"
            type="submit"
            form="new-campaign"
            busy={busy}
            disabled={newsletter === ''}
          >
            Create the draft
          </Button>
        </>
      }
    >
      <form id="new-campaign" class="form" onSubmit={(event) => void create(event)}>
        {newsletters.length > 1 && (
          <SelectField
            label="Newsletter"
            value={newsletter}
            choices={newsletters.map(({ slug, name }) => ({ value: slug, label: name }))}
            onValue={setPicked}
          />
        )}
        <TextField
          label="Subject"
          value={subject}
          required
          maxLength={255}
          autoFocus
          hint="It can be changed until the campaign is sent."
          error={subjectRule}
          onText={setSubject}
        />
        {problem !== undefined && subjectRule === undefined && <ProblemBox problem={problem} />}
      </form>
    </Dialog>
  )
}
