import { useState } from 'preact/hooks'
import { Button } from '../../../../design/button.tsx'
import { ProblemBox } from '../../../../design/content/states.tsx'
import { CheckField, TextField } from '../../../../design/forms/field.tsx'
import { Dialog } from '../../../../design/overlays/dialog.tsx'
import { asProblem } from '../../../../http/problem.ts'
import { request } from '../../../../http/request.ts'
import { useRead } from '../../../../http/use-read.ts'
import { me } from '../../../../session/session.ts'
import { showToast } from '../../../../shell/toast-list.ts'
import { useSearchParams } from '../../../../url/use-search-params.ts'

/** Sends the saved draft to one address, as the contact of the preview would get it. */
export function TestEmailDialog({
  campaignId,
  flush,
  onClose,
}: {
  readonly campaignId: string
  readonly flush: () => Promise<boolean>
  readonly onClose: () => void
}) {
  const [to, setTo] = useState(me.value?.email ?? '')
  const [name, setName] = useState('')
  const [isAsContact, setAsContact] = useState(true)
  const contactId = useSearchParams().get('contact')
  const contact = useRead(
    'GET /api/v1/admin/email/contacts/{contact_id}',
    { params: { contact_id: contactId ?? '' } },
    { enabled: contactId !== undefined },
  ).data
  const filledAs = isAsContact ? contact : undefined
  const [problem, setProblem] = useState<Error>()
  const [busy, setBusy] = useState(false)
  const send = async (event: Event) => {
    event.preventDefault()
    setBusy(true)
    setProblem(undefined)
    try {
      if (!(await flush())) throw new Error('The draft is not saved. Look at the editor first.')
      const sent = await request('POST /api/v1/admin/email/campaigns/{campaign_id}/test', {
        params: { campaign_id: campaignId },
        body: {
          to,
          ...(filledAs === undefined
            ? { name: name === '' ? null : name }
            : { name: filledAs.name, attribs: filledAs.attribs }),
        },
      })
      showToast({ kind: 'done', text: `The test email to ${sent.to} is on its way.` })
      onClose()
    } catch (error) {
      setProblem(error as Error)
      setBusy(false)
    }
  }
  const toRule = asProblem(problem)?.ruleOf('to')
  return (
    <Dialog
      title="Send a test email"
      size="s"
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" form="test-email" busy={busy}>
            Send the test
          </Button>
        </>
      }
    >
      <form id="test-email" class="form" onSubmit={(event) => void send(event)}>
        <TextField
          label="To"
          type="email"
          required
          value={to}
          error={toRule}
          hint="At most 60 test emails an hour. They are not tracked, and their links to unsubscribe do not work."
          onText={setTo}
        />
        {contact !== undefined && (
          <CheckField
            label={`Fill the placeholders as for ${contact.email ?? 'the contact of the preview'}`}
            checked={isAsContact}
            onChecked={setAsContact}
          />
        )}
        {filledAs === undefined && (
          <TextField
            label="Name for {{name}}"
            value={name}
            maxLength={200}
            hint="Blank shows what people without a name get. For attributes, choose a contact in the preview first."
            onText={setName}
          />
        )}
        {problem !== undefined && toRule === undefined && <ProblemBox problem={problem} />}
      </form>
    </Dialog>
  )
}
