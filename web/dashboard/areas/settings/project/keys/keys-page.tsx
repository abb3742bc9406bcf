import { useState } from 'preact/hooks'
import { Button, ButtonLink } from '../../../../design/button.tsx'
import { Badge } from '../../../../design/content/badge.tsx'
import { CopyValue } from '../../../../design/content/copy.tsx'
import { DataTable } from '../../../../design/content/data-table.tsx'
import { formatNumber } from '../../../../design/content/format.ts'
import { Panel } from '../../../../design/content/page.tsx'
import { EmptyState, Loaded } from '../../../../design/content/states.tsx'
import { Time } from '../../../../design/content/time.tsx'
import { ConfirmDialog, Dialog } from '../../../../design/overlays/dialog.tsx'
import { Menu } from '../../../../design/overlays/menu.tsx'
import { editItems } from '../../../../http/edit-cache.ts'
import { request } from '../../../../http/request.ts'
import { runChange } from '../../../../http/run-change.ts'
import { useRead } from '../../../../http/use-read.ts'
import { canWrite } from '../../../../session/session.ts'
import { projectPath, useProjectId } from '../../../../url/use-project.ts'
import { ProjectSettingsPage } from '../project-settings-page.tsx'
import '../form/settings.css'
import { type DsnKey, dsnKeyList, nameOfKey } from './dsn-key.ts'
import { KeyDialog } from './key-dialog.tsx'

/** What is open above the list. */
type Opened =
  | { readonly kind: 'create' }
  | { readonly kind: 'edit' | 'delete' | 'created'; readonly dsnKey: DsnKey }

/** The keys that SDKs are configured with, one for each component that sends events. */
export function KeysPage() {
  const projectId = useProjectId()
  const keys = useRead(dsnKeyList, { params: { project_id: projectId } })
  const [opened, setOpened] = useState<Opened>()
  const close = () => setOpened(undefined)
  return (
    <ProjectSettingsPage
      title="Client keys (DSN)"
      actions={
        canWrite.value && (
          <Button kind="primary" icon="plus" onClick={() => setOpened({ kind: 'create' })}>
            Create a key
          </Button>
        )
      }
    >
      <p class="soft">
        SDKs send events with a DSN, which is not a secret. Give each component a key of its own, so
        that one can be limited or disabled alone.
      </p>
      <Loaded read={keys}>
        {({ items }) =>
          items.length === 0 ? (
            <EmptyState icon="key" title="No keys">
              <p>Without a key, this project receives no events.</p>
            </EmptyState>
          ) : (
            <KeyTable items={items} projectId={projectId} onOpen={setOpened} />
          )
        }
      </Loaded>
      {(opened?.kind === 'create' || opened?.kind === 'edit') && (
        <KeyDialog
          projectId={projectId}
          dsnKey={opened.kind === 'edit' ? opened.dsnKey : undefined}
          onClose={close}
          onCreated={(dsnKey) => setOpened({ kind: 'created', dsnKey })}
        />
      )}
      {opened?.kind === 'created' && (
        <Dialog title="The new key" onClose={close}>
          <div class="stack">
            <p>Configure the SDK with this DSN. It stays visible in the list.</p>
            <CopyValue label="the DSN" value={opened.dsnKey.dsn} />
            <div>
              <ButtonLink href={projectPath(projectId, 'setup')}>Snippets per platform</ButtonLink>
            </div>
          </div>
        </Dialog>
      )}
      {opened?.kind === 'delete' && (
        <DeleteDialog projectId={projectId} dsnKey={opened.dsnKey} onClose={close} />
      )}
    </ProjectSettingsPage>
  )
}

function KeyTable({
  items,
  projectId,
  onOpen,
}: {
  readonly items: readonly DsnKey[]
  readonly projectId: string
  readonly onOpen: (opened: Opened) => void
}) {
  return (
    <Panel flush>
      <DataTable
        label="Client keys"
        items={items}
        keyOf={({ id }) => id}
        columns={[
          {
            head: 'Label',
            cell: ({ label }) => label ?? <span class="soft">no label</span>,
          },
          {
            head: 'DSN',
            cell: ({ dsn }) => (
              <span class="settings-dsn">
                <CopyValue label="the DSN" value={dsn} />
              </span>
            ),
          },
          {
            head: 'Status',
            cell: ({ status }) => (
              <Badge tone={status === 'active' ? 'success' : 'neutral'}>
                {status === 'active' ? 'Active' : 'Disabled'}
              </Badge>
            ),
          },
          {
            head: 'Events a minute',
            numeric: true,
            secondary: true,
            cell: ({ rate_limit: rate }) =>
              rate === null ? <span class="soft">no limit</span> : formatNumber(rate),
          },
          {
            head: 'Last used',
            secondary: true,
            cell: ({ last_used_at: at }) =>
              at === null ? <span class="soft">never</span> : <Time at={at} />,
          },
          {
            head: 'Actions',
            actions: true,
            cell: (dsnKey) =>
              canWrite.value && (
                <Menu
                  label={`Actions for ${nameOfKey(dsnKey)}`}
                  hideLabel
                  icon="more"
                  kind="quiet"
                  size="s"
                  actions={[
                    {
                      label: 'Edit…',
                      icon: 'edit',
                      run: () => onOpen({ kind: 'edit', dsnKey }),
                    },
                    dsnKey.status === 'active'
                      ? {
                          label: 'Disable',
                          icon: 'pause',
                          run: () => void setStatus(projectId, dsnKey, 'disabled'),
                        }
                      : {
                          label: 'Enable',
                          icon: 'play',
                          run: () => void setStatus(projectId, dsnKey, 'active'),
                        },
                    {
                      label: 'Delete…',
                      icon: 'trash',
                      danger: true,
                      run: () => onOpen({ kind: 'delete', dsnKey }),
                    },
                  ]}
                />
              ),
          },
        ]}
      />
    </Panel>
  )
}

function setStatus(projectId: string, dsnKey: DsnKey, status: DsnKey['status']) {
  const params = { project_id: projectId, key_id: dsnKey.id }
  const send = (to: DsnKey['status']) =>
    request('PATCH /api/v1/projects/{project_id}/keys/{key_id}', { params, body: { status: to } })
  return runChange({
    apply: () =>
      editItems(dsnKeyList, (item) => (item.id === dsnKey.id ? { ...item, status } : item)),
    send: () => send(status),
    done: `${status === 'active' ? 'Enabled' : 'Disabled'} ${nameOfKey(dsnKey)}.`,
    undo: () => send(dsnKey.status),
    refetch: [dsnKeyList],
  })
}

function DeleteDialog({
  projectId,
  dsnKey,
  onClose,
}: {
  readonly projectId: string
  readonly dsnKey: DsnKey
  readonly onClose: () => void
}) {
  const params = { project_id: projectId, key_id: dsnKey.id }
  return (
    <ConfirmDialog
      title="Delete the key"
      confirm="Delete the key"
      danger
      onConfirm={() =>
        runChange({
          send: () => request('DELETE /api/v1/projects/{project_id}/keys/{key_id}', { params }),
          done: `Deleted ${nameOfKey(dsnKey)}.`,
          refetch: [dsnKeyList],
        })
      }
      onClose={onClose}
    >
      <p>
        Events with {nameOfKey(dsnKey)} are refused from now on; those that it brought stay. This
        cannot be undone. A disabled key can be enabled again.
      </p>
      {dsnKey.last_used_at !== null && (
        <p>
          It was last used <Time at={dsnKey.last_used_at} />.
        </p>
      )}
    </ConfirmDialog>
  )
}
