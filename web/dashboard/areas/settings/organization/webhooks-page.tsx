import { useState } from 'preact/hooks'
import { RotateSecretDialog } from '../../../deliveries/rotate-secret-dialog.tsx'
import { Button } from '../../../design/button.tsx'
import { Badge } from '../../../design/content/badge.tsx'
import { DataTable } from '../../../design/content/data-table.tsx'
import { formatExact } from '../../../design/content/format.ts'
import { Panel } from '../../../design/content/page.tsx'
import { EmptyState, Loaded } from '../../../design/content/states.tsx'
import { ConfirmDialog } from '../../../design/overlays/dialog.tsx'
import { Menu } from '../../../design/overlays/menu.tsx'
import { request } from '../../../http/request.ts'
import { runChange } from '../../../http/run-change.ts'
import { useRead } from '../../../http/use-read.ts'
import { isOwner } from '../../../session/session.ts'
import { useSearchParams } from '../../../url/use-search-params.ts'
import { SecretDialog } from './credential-list.tsx'
import { OrganizationPage } from './organization-page.tsx'
import { type Webhook, webhookList } from './webhook.ts'
import { WebhookDeliveries } from './webhook-deliveries.tsx'
import { WebhookDialog } from './webhook-dialog.tsx'

type Asked =
  | { readonly kind: 'edit'; readonly webhook: Webhook | undefined }
  | { readonly kind: 'delete'; readonly webhook: Webhook }
  | { readonly kind: 'rotate'; readonly webhook: Webhook }

interface ShownSecret {
  readonly value: string
  /** The previous secret signs until then; absent for a new webhook. */
  readonly previousUntil?: string
}

/** Where events of email and ideas are delivered, and the log of the deliveries. */
export function WebhooksPage() {
  const webhooks = useRead(webhookList, {})
  const params = useSearchParams()
  const [asked, setAsked] = useState<Asked>()
  const [secret, setSecret] = useState<ShownSecret>()
  const close = () => setAsked(undefined)
  const open = params.get('deliveries')
  const shown = webhooks.data?.items.find(({ id }) => id === open)
  return (
    <OrganizationPage
      title="Webhooks"
      actions={
        isOwner.value && (
          <Button
            kind="primary"
            icon="plus"
            onClick={() => setAsked({ kind: 'edit', webhook: undefined })}
          >
            Create a webhook
          </Button>
        )
      }
    >
      <p class="soft">
        Events of contacts, emails and ideas, signed as Standard Webhooks says. Errors are delivered
        by the alert rules of each project.
      </p>
      <Loaded read={webhooks}>
        {({ items }) =>
          items.length === 0 ? (
            <EmptyState icon="webhook" title="No webhooks yet">
              <p>Create one to be notified of confirmed contacts, bounces or new ideas.</p>
            </EmptyState>
          ) : (
            <Panel flush>
              <DataTable
                label="Webhooks"
                items={items}
                keyOf={({ id }) => id}
                columns={[
                  { head: 'URL', cell: (webhook) => <Target webhook={webhook} /> },
                  { head: 'State', cell: (webhook) => <State webhook={webhook} /> },
                  {
                    head: 'Events',
                    secondary: true,
                    cell: ({ events }) => (
                      <span class="row">
                        {events.map((event) => (
                          <Badge key={event}>{event}</Badge>
                        ))}
                      </span>
                    ),
                  },
                  {
                    head: 'Actions',
                    actions: true,
                    cell: (webhook) => (
                      <Actions
                        webhook={webhook}
                        onAsk={setAsked}
                        onDeliveries={() => params.set({ deliveries: webhook.id })}
                      />
                    ),
                  },
                ]}
              />
            </Panel>
          )
        }
      </Loaded>
      {shown !== undefined && (
        <WebhookDeliveries
          webhook={shown}
          onClose={() =>
            params.set({
              deliveries: undefined,
              delivery: undefined,
              row: undefined,
              state: undefined,
            })
          }
        />
      )}
      {asked?.kind === 'edit' && (
        <WebhookDialog
          webhook={asked.webhook}
          onClose={close}
          onCreated={(value) => {
            close()
            setSecret({ value })
          }}
        />
      )}
      {asked?.kind === 'delete' && <DeleteDialog webhook={asked.webhook} onClose={close} />}
      {asked?.kind === 'rotate' && (
        <RotateDialog webhook={asked.webhook} onRotated={setSecret} onClose={close} />
      )}
      {secret !== undefined && (
        <SecretDialog
          title="The signing secret"
          why="Copy it now: it cannot be shown again. The receiver verifies requests with it."
          value={secret.value}
          onClose={() => setSecret(undefined)}
        >
          {secret.previousUntil !== undefined && (
            <p>
              Until {formatExact(secret.previousUntil)} every request is also signed with the
              previous secret.
            </p>
          )}
        </SecretDialog>
      )}
    </OrganizationPage>
  )
}

function Target({ webhook }: { readonly webhook: Webhook }) {
  return (
    <>
      <div>{webhook.label === '' ? webhook.url : webhook.label}</div>
      {webhook.label !== '' && <div class="soft small">{webhook.url}</div>}
    </>
  )
}

function State({ webhook }: { readonly webhook: Webhook }) {
  if (!webhook.enabled) {
    return (
      <Badge tone="neutral" title={webhook.disabled_reason ?? ''}>
        Off{webhook.disabled_reason === null ? '' : `: ${webhook.disabled_reason}`}
      </Badge>
    )
  }
  if (webhook.paused_until !== null) return <Badge tone="warning">Failing, retried later</Badge>
  return <Badge tone="success">On</Badge>
}

function Actions({
  webhook,
  onAsk,
  onDeliveries,
}: {
  readonly webhook: Webhook
  readonly onAsk: (asked: Asked) => void
  readonly onDeliveries: () => void
}) {
  const { id, enabled } = webhook
  const test = () =>
    runChange({
      send: () =>
        request('POST /api/v1/organization/webhooks/{webhook_id}/test', {
          params: { webhook_id: id },
        }),
      done: 'Sent a test. Its result is in the delivery log.',
    }).then(onDeliveries)
  const turn = (isOn: boolean) =>
    request('PATCH /api/v1/organization/webhooks/{id}', { params: { id }, body: { enabled: isOn } })
  const toggle = () =>
    runChange({
      send: () => turn(!enabled),
      done: enabled ? 'Turned off.' : 'Turned on.',
      undo: () => turn(enabled),
      refetch: [webhookList],
    })
  return (
    <span class="row row-nowrap">
      <Button size="s" onClick={onDeliveries}>
        Deliveries
      </Button>
      {isOwner.value && (
        <Menu
          label={`Actions for ${webhook.url}`}
          hideLabel
          icon="more"
          kind="quiet"
          size="s"
          actions={[
            { label: 'Send a test', icon: 'send', run: () => void test() },
            { label: 'Edit…', icon: 'edit', run: () => onAsk({ kind: 'edit', webhook }) },
            {
              label: enabled ? 'Turn off' : 'Turn on',
              icon: enabled ? 'pause' : 'play',
              run: () => void toggle(),
            },
            {
              label: 'Rotate the secret…',
              icon: 'key',
              run: () => onAsk({ kind: 'rotate', webhook }),
            },
            {
              label: 'Delete…',
              icon: 'trash',
              danger: true,
              run: () => onAsk({ kind: 'delete', webhook }),
            },
          ]}
        />
      )}
    </span>
  )
}

function DeleteDialog({
  webhook,
  onClose,
}: {
  readonly webhook: Webhook
  readonly onClose: () => void
}) {
  const remove = () =>
    runChange({
      send: () =>
        request('DELETE /api/v1/organization/webhooks/{id}', { params: { id: webhook.id } }),
      done: 'Deleted the webhook.',
      refetch: [webhookList],
    })
  return (
    <ConfirmDialog
      title="Delete a webhook"
      confirm="Delete the webhook"
      danger
      onConfirm={remove}
      onClose={onClose}
    >
      <p>Nothing more is delivered to {webhook.url}, including pending deliveries.</p>
    </ConfirmDialog>
  )
}

function RotateDialog({
  webhook: { id, label, url },
  onRotated,
  onClose,
}: {
  readonly webhook: Webhook
  readonly onRotated: (secret: ShownSecret) => void
  readonly onClose: () => void
}) {
  const rotate = async () => {
    const rotated = await runChange({
      send: () =>
        request('POST /api/v1/organization/webhooks/{id}/rotate-secret', { params: { id } }),
    })
    if (rotated === undefined) return
    onRotated({ value: rotated.secret, previousUntil: rotated.previous_secret_until })
  }
  return (
    <RotateSecretDialog webhook={label === '' ? url : label} onConfirm={rotate} onClose={onClose} />
  )
}
