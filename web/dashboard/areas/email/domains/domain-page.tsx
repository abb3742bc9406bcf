import { useState } from 'preact/hooks'
import { useLocation, useRoute } from 'preact-iso'
import { Button } from '../../../design/button.tsx'
import { Page, Panel } from '../../../design/content/page.tsx'
import { Loaded } from '../../../design/content/states.tsx'
import { Time } from '../../../design/content/time.tsx'
import { ConfirmDialog } from '../../../design/overlays/dialog.tsx'
import { queryClient } from '../../../http/query-client.ts'
import { request } from '../../../http/request.ts'
import { runChange } from '../../../http/run-change.ts'
import { readKey, useRead } from '../../../http/use-read.ts'
import { useShortcuts } from '../../../keyboard/shortcuts.ts'
import { canWrite, isOwner } from '../../../session/session.ts'
import { DnsRecords } from './dns-records.tsx'
import { DomainState, domainList, domainOne, type SendingDomain } from './domain-words.tsx'

const recheckMs = 30_000

/** The DNS records of one domain, and what the last check found. */
export function DomainPage() {
  const { id = '' } = useRoute().params
  const input = { params: { id } }
  const read = useRead(domainOne, input, { refetchEveryMs: recheckMs })
  const [isChecking, setChecking] = useState(false)
  const [isDeleting, setDeleting] = useState(false)
  const domain = read.data
  const check = async () => {
    setChecking(true)
    const checked = await runChange({
      send: () => request('POST /api/v1/admin/email/domains/{id}/check', { params: { id } }),
      done: (now) =>
        now.ready ? `${now.domain}: all required records were found.` : `Checked ${now.domain}.`,
      refetch: [domainList],
    })
    if (checked !== undefined) queryClient.setQueryData(readKey(domainOne, input), checked)
    setChecking(false)
  }
  useShortcuts([
    { keys: 'c', label: 'Check the records', run: () => canWrite.value && void check() },
  ])
  return (
    <Page
      title={domain?.domain ?? 'Sending domain'}
      parent={{ label: 'Sending domains', href: '/email/domains' }}
      meta={
        domain !== undefined && (
          <>
            <DomainState domain={domain} />
            <span>
              checked <Time at={domain.checkedAt} />
            </span>
          </>
        )
      }
      actions={
        domain !== undefined && (
          <>
            {isOwner.value && (
              <Button icon="trash" onClick={() => setDeleting(true)}>
                Delete…
              </Button>
            )}
            {canWrite.value && (
              <Button kind="primary" icon="refresh" busy={isChecking} onClick={() => void check()}>
                Check now
              </Button>
            )}
          </>
        )
      }
    >
      <Loaded read={read}>
        {(data) => (
          <>
            <Meaning domain={data} />
            <Panel title="DNS records" flush>
              <DnsRecords domain={data} />
            </Panel>
          </>
        )}
      </Loaded>
      {isDeleting && domain !== undefined && (
        <DeleteDialog domain={domain} onClose={() => setDeleting(false)} />
      )}
    </Page>
  )
}

function Meaning({ domain }: { readonly domain: SendingDomain }) {
  if (domain.state === 'verified') {
    return (
      <p class="soft">
        Emails from addresses of {domain.domain} are signed, and their bounces go to{' '}
        {domain.bounceDomain}. The records are checked daily.
      </p>
    )
  }
  return (
    <div class="stack">
      {domain.state === 'failed' && domain.stateReason !== null && <p>{domain.stateReason}</p>}
      <p class="soft">
        {domain.state === 'pending'
          ? `Until the required records are found, newsletters cannot use an address of ${domain.domain}: their campaigns do not start, and other emails wait for at most a day. Publish the records at your DNS provider, then check. It is also checked every six hours.`
          : `Emails from addresses of ${domain.domain} are sent without a signature until the required records are correct again. They are checked hourly.`}
      </p>
    </div>
  )
}

function DeleteDialog({
  domain,
  onClose,
}: {
  readonly domain: SendingDomain
  readonly onClose: () => void
}) {
  const { route } = useLocation()
  const remove = async () => {
    const done = await runChange<boolean>({
      send: async () => {
        await request('DELETE /api/v1/admin/email/domains/{id}', { params: { id: domain.id } })
        return true
      },
      done: `Deleted ${domain.domain}.`,
      refetch: [domainList],
    })
    if (done === true) route('/email/domains')
  }
  return (
    <ConfirmDialog
      title="Delete the sending domain"
      confirm="Delete the domain"
      danger
      typed={domain.domain}
      onConfirm={remove}
      onClose={onClose}
    >
      <p>
        Its DKIM key is destroyed, and newsletters can no longer send from its addresses. Adding it
        again makes a new key with new records.
      </p>
    </ConfirmDialog>
  )
}
