import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Button, IconButton } from '../../../design/button.tsx'
import { CopyValue } from '../../../design/content/copy.tsx'
import { DataTable } from '../../../design/content/data-table.tsx'
import { Page, Panel } from '../../../design/content/page.tsx'
import { EmptyState, Loaded } from '../../../design/content/states.tsx'
import { Time } from '../../../design/content/time.tsx'
import { ConfirmDialog, Dialog } from '../../../design/overlays/dialog.tsx'
import { request } from '../../../http/request.ts'
import { runChange } from '../../../http/run-change.ts'
import { useRead } from '../../../http/use-read.ts'
import { isOwner } from '../../../session/session.ts'
import { CreateHookDialog } from './create-hook-dialog.tsx'
import { type Hook, hookList, providers } from './providers.ts'

/** Addresses at which email providers report bounces and complaints. */
export function ProviderHooks({ tabs }: { readonly tabs: ComponentChildren }) {
  const hooks = useRead(hookList, {})
  const [isCreating, setCreating] = useState(false)
  const [url, setUrl] = useState<string>()
  const [deleted, setDeleted] = useState<Hook>()
  return (
    <Page
      title="Bounces"
      actions={
        isOwner.value && (
          <Button kind="primary" icon="plus" onClick={() => setCreating(true)}>
            Create a hook
          </Button>
        )
      }
      bar={tabs}
    >
      <Loaded read={hooks}>
        {({ items }) =>
          items.length === 0 ? (
            <EmptyState icon="webhook" title="No provider hooks yet">
              <p>
                If a provider delivers your emails, let it report bounces and complaints here. An
                owner creates a hook and pastes its URL into the settings of the provider.
              </p>
            </EmptyState>
          ) : (
            <Panel flush>
              <DataTable
                label="Provider hooks"
                items={items}
                keyOf={({ id }) => id}
                columns={[
                  {
                    head: 'Provider',
                    cell: ({ adapter, label }) => (
                      <>
                        <div>{providers[adapter].name}</div>
                        {label !== '' && <div class="soft">{label}</div>}
                      </>
                    ),
                  },
                  { head: 'Last report', cell: ({ lastUsedAt }) => <Time at={lastUsedAt} /> },
                  {
                    head: 'Created',
                    secondary: true,
                    cell: ({ createdAt }) => <Time at={createdAt} />,
                  },
                  {
                    head: 'Actions',
                    actions: true,
                    cell: (hook) =>
                      isOwner.value && (
                        <IconButton
                          label={`Delete the hook of ${providers[hook.adapter].name}`}
                          icon="trash"
                          size="s"
                          onClick={() => setDeleted(hook)}
                        />
                      ),
                  },
                ]}
              />
            </Panel>
          )
        }
      </Loaded>
      {isCreating && (
        <CreateHookDialog
          onClose={() => setCreating(false)}
          onCreated={(created) => {
            setCreating(false)
            setUrl(created)
          }}
        />
      )}
      {url !== undefined && (
        <Dialog title="The URL of the hook" onClose={() => setUrl(undefined)}>
          <div class="stack">
            <p>
              Paste it into the webhook settings of the provider now. It contains a secret and
              cannot be shown again.
            </p>
            <CopyValue label="the URL" value={url} />
          </div>
        </Dialog>
      )}
      {deleted !== undefined && (
        <ConfirmDialog
          title="Delete the hook"
          confirm="Delete the hook"
          danger
          onConfirm={() =>
            runChange({
              send: () =>
                request('DELETE /api/v1/admin/email/bounce-adapters/{id}', {
                  params: { id: deleted.id },
                }),
              done: 'Deleted the hook.',
              refetch: [hookList],
            })
          }
          onClose={() => setDeleted(undefined)}
        >
          <p>
            Reports of {providers[deleted.adapter].name} to this URL are refused from now on. What
            was reported stays.
          </p>
        </ConfirmDialog>
      )}
    </Page>
  )
}
