import { useState } from 'preact/hooks'
import { Button } from '../../../design/button.tsx'
import { ProblemBox } from '../../../design/content/states.tsx'
import { TextField } from '../../../design/forms/field.tsx'
import { useSubmit } from '../../../design/forms/use-submit.ts'
import { Dialog } from '../../../design/overlays/dialog.tsx'
import { invalidateReads } from '../../../http/query-client.ts'
import { request } from '../../../http/request.ts'
import { domainList } from './domain-words.tsx'

export function AddDomainDialog({
  onClose,
  onAdded,
}: {
  readonly onClose: () => void
  readonly onAdded: (id: string) => void
}) {
  const [domain, setDomain] = useState('')
  const [bounceDomain, setBounceDomain] = useState('')
  const [selector, setSelector] = useState('')
  const submit = useSubmit(async () => {
    const body = {
      domain,
      bounceDomain: bounceDomain === '' ? null : bounceDomain,
      selector: selector === '' ? null : selector,
    }
    const { id } = await request('POST /api/v1/admin/email/domains', { body })
    await invalidateReads(domainList)
    onAdded(id)
  })
  const unplaced = submit.unplaced(['domain', 'bounceDomain', 'selector'])
  return (
    <Dialog title="Add a sending domain" size="s" onClose={onClose}>
      <form class="form" onSubmit={submit.onSubmit}>
        {unplaced !== undefined && <ProblemBox problem={unplaced} />}
        <TextField
          label="Domain"
          required
          placeholder="example.com"
          value={domain}
          onText={setDomain}
          error={submit.ruleOf('domain')}
          hint="What follows the @ of your From address."
        />
        <TextField
          label="Bounce domain"
          placeholder={`bounces.${domain === '' ? 'example.com' : domain}`}
          value={bounceDomain}
          onText={setBounceDomain}
          error={submit.ruleOf('bounceDomain')}
          hint="Optional. Envelope senders are below it."
        />
        <TextField
          label="DKIM selector"
          placeholder="sluice"
          value={selector}
          onText={setSelector}
          error={submit.ruleOf('selector')}
          hint="Optional. Change it if another service uses this name."
        />
        <div class="form-actions">
          <Button kind="primary" type="submit" busy={submit.isBusy}>
            Add the domain
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </div>
      </form>
    </Dialog>
  )
}
