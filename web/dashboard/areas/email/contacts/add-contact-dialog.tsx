import { useState } from 'preact/hooks'
import { Button } from '../../../design/button.tsx'
import { ProblemBox } from '../../../design/content/states.tsx'
import { CheckField, SelectField, TextField } from '../../../design/forms/field.tsx'
import { useSubmit } from '../../../design/forms/use-submit.ts'
import { Dialog } from '../../../design/overlays/dialog.tsx'
import { invalidateReads } from '../../../http/query-client.ts'
import { request } from '../../../http/request.ts'
import { newsletterChoices, useNewsletters } from '../lists/newsletters.ts'

export function AddContactDialog({
  newsletter: given,
  onClose,
  onAdded,
}: {
  readonly newsletter: string | undefined
  readonly onClose: () => void
  readonly onAdded: (id: string) => void
}) {
  const newsletters = useNewsletters()
  const choices = newsletterChoices(newsletters)
  const [chosen, setChosen] = useState(given)
  const [email, setEmail] = useState('')
  const [name, setName] = useState('')
  const [source, setSource] = useState('')
  const [isConfirmed, setConfirmed] = useState(false)
  const newsletter = chosen ?? choices[0]?.value ?? ''
  const confirms = newsletters.data?.items.some(
    ({ slug, confirm_signups }) => slug === newsletter && confirm_signups,
  )
  const submit = useSubmit(async () => {
    const body = {
      newsletter,
      email,
      name: name === '' ? null : name,
      source: source === '' ? null : source,
      confirmed: isConfirmed,
    }
    const { id } = await request('POST /api/v1/admin/email/contacts', { body })
    await invalidateReads(
      'GET /api/v1/admin/email/contacts',
      'GET /api/v1/admin/email/contacts/numbers',
    )
    onAdded(id)
  })
  const unplaced = submit.unplaced(['newsletter', 'email', 'name', 'source'])
  return (
    <Dialog title="Add a contact" size="s" onClose={onClose}>
      <form class="form" onSubmit={submit.onSubmit}>
        {unplaced !== undefined && <ProblemBox problem={unplaced} />}
        <SelectField
          label="Newsletter"
          value={newsletter}
          choices={choices}
          onValue={setChosen}
          error={submit.ruleOf('newsletter')}
        />
        <TextField
          label="Email"
          type="email"
          required
          value={email}
          onText={setEmail}
          error={submit.ruleOf('email')}
        />
        <TextField label="Name" value={name} onText={setName} error={submit.ruleOf('name')} />
        <TextField
          label="Source"
          value={source}
          onText={setSource}
          error={submit.ruleOf('source')}
          hint="Where the person agreed: a form, an event. It is kept as proof of the consent."
        />
        {confirms === true && (
          <CheckField
            label="The person has agreed elsewhere"
            hint="Then the contact is subscribed at once, without a confirmation email."
            checked={isConfirmed}
            onChecked={setConfirmed}
          />
        )}
        <div class="form-actions">
          <Button kind="primary" type="submit" busy={submit.isBusy}>
            Add the contact
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </div>
      </form>
    </Dialog>
  )
}
