import { useState } from 'preact/hooks'
import { Button, IconButton } from '../../../design/button.tsx'
import { DataTable } from '../../../design/content/data-table.tsx'
import { Panel } from '../../../design/content/page.tsx'
import { Loaded, ProblemBox } from '../../../design/content/states.tsx'
import { Time } from '../../../design/content/time.tsx'
import { CheckField, TextField } from '../../../design/forms/field.tsx'
import { useSubmit } from '../../../design/forms/use-submit.ts'
import { invalidateReads } from '../../../http/query-client.ts'
import { request } from '../../../http/request.ts'
import { runChange } from '../../../http/run-change.ts'
import { useRead } from '../../../http/use-read.ts'
import { canWrite } from '../../../session/session.ts'

const list = 'GET /api/v1/admin/email/blocked-domains'

/** Domains whose addresses cannot sign up. */
export function BlockedDomains() {
  const read = useRead(list, {})
  return (
    <Panel title="Blocked sign-up domains" flush>
      <div class="panel-body stack">
        <p class="soft">
          Addresses of these domains and of their subdomains cannot sign up. It does not affect
          contacts that exist.
        </p>
        {canWrite.value && <BlockForm />}
      </div>
      <Loaded read={read} lines={2}>
        {({ items }) =>
          items.length > 0 && (
            <DataTable
              label="Blocked sign-up domains"
              items={items}
              keyOf={({ domain }) => domain}
              columns={[
                { head: 'Domain', cell: ({ domain }) => domain },
                { head: 'Blocked', cell: ({ createdAt }) => <Time at={createdAt} /> },
                {
                  head: 'Actions',
                  actions: true,
                  cell: ({ domain }) =>
                    canWrite.value && (
                      <IconButton
                        label={`Allow ${domain} again`}
                        icon="trash"
                        size="s"
                        onClick={() => void unblock(domain)}
                      />
                    ),
                },
              ]}
            />
          )
        }
      </Loaded>
    </Panel>
  )
}

function BlockForm() {
  const [domain, setDomain] = useState('')
  const [isSure, setSure] = useState(false)
  const submit = useSubmit(async () => {
    await block(domain, isSure)
    await invalidateReads(list)
    setDomain('')
    setSure(false)
  })
  const rule = submit.ruleOf('domain')
  const isSuffix = rule?.includes('public suffix') === true
  const unplaced = submit.unplaced(['domain'])
  return (
    <form class="stack" onSubmit={submit.onSubmit}>
      {unplaced !== undefined && <ProblemBox problem={unplaced} />}
      <div class="form-row email-rate">
        <TextField
          label="Domain"
          required
          placeholder="mailinator.com"
          value={domain}
          onText={setDomain}
          error={isSuffix ? 'This is a public suffix: it holds the domains of many owners.' : rule}
        />
        <Button type="submit" busy={submit.isBusy} disabled={domain.trim() === ''}>
          Block the domain
        </Button>
      </div>
      {isSuffix && (
        <CheckField label="Block all domains below it" checked={isSure} onChecked={setSure} />
      )}
    </form>
  )
}

function block(domain: string, confirmed: boolean): Promise<unknown> {
  return request('POST /api/v1/admin/email/blocked-domains', { body: { domain, confirmed } })
}

function unblock(domain: string): Promise<unknown> {
  return runChange({
    send: () =>
      request('DELETE /api/v1/admin/email/blocked-domains/{domain}', { params: { domain } }),
    done: `${domain} can sign up again.`,
    undo: () => block(domain, true),
    refetch: [list],
  })
}
