import { useState } from 'preact/hooks'
import { Button } from '../../../../design/button.tsx'
import { Badge } from '../../../../design/content/badge.tsx'
import { CopyValue } from '../../../../design/content/copy.tsx'
import { DataTable } from '../../../../design/content/data-table.tsx'
import { Panel } from '../../../../design/content/page.tsx'
import { Loaded } from '../../../../design/content/states.tsx'
import { Time } from '../../../../design/content/time.tsx'
import { ConfirmDialog, Dialog } from '../../../../design/overlays/dialog.tsx'
import { type Reply, request } from '../../../../http/request.ts'
import { runChange } from '../../../../http/run-change.ts'
import { useRead } from '../../../../http/use-read.ts'
import { canWrite } from '../../../../session/session.ts'
import { portalSettings } from '../portal-settings.ts'

const secretsList = 'GET /api/v1/admin/portal/{project_id}/secrets' as const
type Secret = Reply<typeof secretsList>['items'][number]
type NewSecret = Reply<'POST /api/v1/admin/portal/{project_id}/secrets'>

const liveMax = 2

export function PortalSecrets({ projectId }: { readonly projectId: string }) {
  const params = { project_id: projectId }
  const read = useRead(secretsList, { params })
  const [created, setCreated] = useState<NewSecret>()
  const [retiring, setRetiring] = useState<Secret>()
  const [busy, setBusy] = useState(false)
  const refetch = [secretsList, portalSettings]
  const live = read.data?.items.filter(({ retired_at }) => retired_at === null) ?? []
  const create = async () => {
    setBusy(true)
    setCreated(
      await runChange({
        send: () => request('POST /api/v1/admin/portal/{project_id}/secrets', { params }),
        refetch,
      }),
    )
    setBusy(false)
  }
  return (
    <Panel
      title="1. Secrets"
      actions={
        canWrite.value && (
          <Button
            size="s"
            icon="plus"
            busy={busy}
            disabled={read.data === undefined || live.length >= liveMax}
            title={
              live.length >= liveMax ? 'Two can be valid at a time. Retire one first.' : undefined
            }
            onClick={() => void create()}
          >
            New secret
          </Button>
        )
      }
    >
      <Loaded read={read} lines={2}>
        {({ items }) =>
          items.length === 0 ? (
            <p class="soft small">
              None yet. Create one and keep it in the environment of your server.
            </p>
          ) : (
            <DataTable
              label="Secrets"
              items={items}
              keyOf={({ id }) => id}
              columns={[
                { head: 'Begins with', cell: ({ prefix }) => <code>{prefix}…</code> },
                { head: 'Created', secondary: true, cell: (item) => <Time at={item.created_at} /> },
                {
                  head: 'State',
                  cell: ({ retired_at }) =>
                    retired_at === null ? (
                      <Badge tone="success">Valid</Badge>
                    ) : (
                      <Badge>Retired</Badge>
                    ),
                },
                {
                  head: 'Actions',
                  actions: true,
                  cell: (item) =>
                    canWrite.value &&
                    item.retired_at === null && (
                      <Button size="s" onClick={() => setRetiring(item)}>
                        Retire
                      </Button>
                    ),
                },
              ]}
            />
          )
        }
      </Loaded>
      {created !== undefined && (
        <Dialog
          title="The new secret"
          onClose={() => setCreated(undefined)}
          footer={
            <Button kind="primary" onClick={() => setCreated(undefined)}>
              I have stored it
            </Button>
          }
        >
          <div class="stack">
            <p>
              It is shown only now. Store it as PORTAL_SECRET in the environment of your server.
            </p>
            <CopyValue label="the secret" value={created.secret} />
            <p class="soft small">Use this text as the key. Do not decode it from base64url.</p>
          </div>
        </Dialog>
      )}
      {retiring !== undefined && (
        <ConfirmDialog
          title="Retire the secret"
          confirm="Retire the secret"
          danger
          onClose={() => setRetiring(undefined)}
          onConfirm={() =>
            runChange({
              send: () =>
                request('POST /api/v1/admin/portal/{project_id}/secrets/{secret_id}/retire', {
                  params: { ...params, secret_id: retiring.id },
                }),
              done: 'Retired the secret.',
              refetch,
            })
          }
        >
          <p>
            Tokens that were signed with <code>{retiring.prefix}…</code> are refused from now on.{' '}
            {live.length < liveMax &&
              'It is the only valid secret: create another one first, or your users cannot write.'}
          </p>
        </ConfirmDialog>
      )}
    </Panel>
  )
}
