import { useState } from 'preact/hooks'
import { Button, IconButton } from '../../../design/button.tsx'
import { ProblemBox } from '../../../design/content/states.tsx'
import { TextField } from '../../../design/forms/field.tsx'
import { useSubmit } from '../../../design/forms/use-submit.ts'
import { Dialog } from '../../../design/overlays/dialog.tsx'
import { invalidateReads } from '../../../http/query-client.ts'
import { request } from '../../../http/request.ts'
import { type AttribRow, changeOfAttribs, rowsOfAttribs } from './attribs.ts'
import type { ContactDetail } from './contact-status.tsx'

const attribsMax = 50

export function EditContactDialog({
  contact,
  onClose,
}: {
  readonly contact: ContactDetail
  readonly onClose: () => void
}) {
  const [name, setName] = useState(contact.name ?? '')
  const [rows, setRows] = useState<readonly AttribRow[]>(rowsOfAttribs(contact.attribs))
  const edit = (index: number, change: Partial<AttribRow>) =>
    setRows(rows.map((row, at) => (at === index ? { ...row, ...change } : row)))
  const submit = useSubmit(async () => {
    await request('PATCH /api/v1/admin/email/contacts/{contact_id}', {
      params: { contact_id: contact.id },
      body: { name: name === '' ? null : name, attribs: changeOfAttribs(contact.attribs, rows) },
    })
    await invalidateReads(
      'GET /api/v1/admin/email/contacts/{contact_id}',
      'GET /api/v1/admin/email/contacts',
    )
    onClose()
  })
  const unplaced = submit.unplaced(['name'])
  return (
    <Dialog title="Edit the contact" onClose={onClose}>
      <form class="form" onSubmit={submit.onSubmit}>
        {unplaced !== undefined && <ProblemBox problem={unplaced} />}
        <TextField label="Name" value={name} onText={setName} error={submit.ruleOf('name')} />
        <fieldset class="fieldset">
          <legend>Attributes</legend>
          <p class="field-hint">
            Campaigns use them as <code>{'{{attr.city}}'}</code>. 3 is a number, true and false are
            yes and no, "3" in quotes is a text.
          </p>
          {rows.map((row, index) => (
            <div class="contact-attrib" key={index}>
              <TextField
                label={`Attribute ${index + 1}`}
                hideLabel
                placeholder="city"
                value={row.key}
                onText={(key) => edit(index, { key })}
              />
              <TextField
                label={`Value ${index + 1}`}
                hideLabel
                placeholder="London"
                value={row.text}
                onText={(text) => edit(index, { text })}
              />
              <IconButton
                label={`Remove attribute ${index + 1}`}
                icon="trash"
                onClick={() => setRows(rows.filter((_, at) => at !== index))}
              />
            </div>
          ))}
          <div>
            <Button
              size="s"
              icon="plus"
              disabled={rows.length >= attribsMax}
              onClick={() => setRows([...rows, { key: '', text: '' }])}
            >
              Add an attribute
            </Button>
          </div>
        </fieldset>
        <div class="form-actions">
          <Button kind="primary" type="submit" busy={submit.isBusy}>
            Save
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </div>
      </form>
    </Dialog>
  )
}
