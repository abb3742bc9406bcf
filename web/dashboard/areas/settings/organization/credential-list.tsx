/** What access tokens and API keys have in common: the list, its actions, their creation. */
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Button } from '../../../design/button.tsx'
import { Badge } from '../../../design/content/badge.tsx'
import { CopyValue } from '../../../design/content/copy.tsx'
import { type Column, DataTable } from '../../../design/content/data-table.tsx'
import { Panel } from '../../../design/content/page.tsx'
import { EmptyState, ProblemBox } from '../../../design/content/states.tsx'
import { Time } from '../../../design/content/time.tsx'
import { SelectField, TextField } from '../../../design/forms/field.tsx'
import { useSubmit } from '../../../design/forms/use-submit.ts'
import { ConfirmDialog, Dialog } from '../../../design/overlays/dialog.tsx'
import { Menu } from '../../../design/overlays/menu.tsx'
import { isOwner } from '../../../session/session.ts'

export interface Credential {
  readonly id: string
  readonly label: string
  readonly prefix: string
  readonly created_by: string | null
  readonly created_at: string
  readonly last_used_at: string | null
  readonly expires_at: string | null
  readonly revoked_at: string | null
}

interface CredentialListProps<T extends Credential> {
  /** `token` or `key`, for texts. */
  readonly noun: string
  readonly items: readonly T[]
  readonly columns?: readonly Column<T>[]
  readonly onRevoke: (item: T) => Promise<unknown>
  readonly onDelete: (item: T) => Promise<unknown>
  readonly empty: ComponentChildren
}

export function CredentialList<T extends Credential>(props: CredentialListProps<T>) {
  const { noun, items, columns = [], onRevoke, onDelete, empty } = props
  const [asked, setAsked] = useState<{ readonly action: 'revoke' | 'delete'; readonly item: T }>()
  if (items.length === 0) {
    return (
      <EmptyState icon="key" title={`No ${noun}s yet`}>
        {empty}
      </EmptyState>
    )
  }
  return (
    <Panel flush>
      <DataTable
        label={`${noun}s`}
        items={items}
        keyOf={({ id }) => id}
        columns={[
          {
            head: 'Label',
            cell: ({ label, prefix }) => (
              <>
                <div>{label}</div>
                <code class="soft small">{prefix}…</code>
              </>
            ),
          },
          ...columns,
          { head: 'State', cell: (item) => <State item={item} /> },
          { head: 'Last used', cell: ({ last_used_at: at }) => <Time at={at} /> },
          {
            head: 'Created',
            secondary: true,
            cell: ({ created_at: at, created_by: by }) => (
              <>
                <Time at={at} />
                {by !== null && <span class="soft small"> by {by}</span>}
              </>
            ),
          },
          {
            head: 'Actions',
            actions: true,
            cell: (item) =>
              isOwner.value && (
                <Menu
                  label={`Actions for ${item.label}`}
                  hideLabel
                  icon="more"
                  kind="quiet"
                  size="s"
                  actions={[
                    {
                      label: 'Revoke…',
                      icon: 'stop',
                      disabled: item.revoked_at !== null,
                      run: () => setAsked({ action: 'revoke', item }),
                    },
                    {
                      label: 'Delete…',
                      icon: 'trash',
                      danger: true,
                      run: () => setAsked({ action: 'delete', item }),
                    },
                  ]}
                />
              ),
          },
        ]}
      />
      {asked !== undefined && (
        <ConfirmDialog
          title={asked.action === 'revoke' ? `Revoke the ${noun}` : `Delete the ${noun}`}
          confirm={asked.action === 'revoke' ? `Revoke the ${noun}` : `Delete the ${noun}`}
          danger
          onConfirm={() =>
            asked.action === 'revoke' ? onRevoke(asked.item) : onDelete(asked.item)
          }
          onClose={() => setAsked(undefined)}
        >
          <p>
            Requests with “{asked.item.label}” are refused from now on. A revoked {noun} stays in
            this list; a deleted one does not. Neither can be undone.
          </p>
        </ConfirmDialog>
      )}
    </Panel>
  )
}

function State({ item }: { readonly item: Credential }) {
  if (item.revoked_at !== null) return <Badge tone="danger">Revoked</Badge>
  if (item.expires_at === null) return <Badge tone="success">Active</Badge>
  if (new Date(item.expires_at).getTime() < Date.now()) return <Badge tone="warning">Expired</Badge>
  return (
    <span>
      <Badge tone="success">Active</Badge>{' '}
      <span class="soft small">
        expires <Time at={item.expires_at} />
      </span>
    </span>
  )
}

/** The value is shown once, because only its hash is stored. */
export function SecretDialog({
  title,
  why = 'Copy it now: only its hash is stored, so it cannot be shown again.',
  value,
  children,
  onClose,
}: {
  readonly title: string
  readonly why?: string
  readonly value: string
  readonly children?: ComponentChildren
  readonly onClose: () => void
}) {
  return (
    <Dialog title={title} onClose={onClose}>
      <div class="stack">
        <p>{why}</p>
        <CopyValue label="the value" value={value} />
        {children}
      </div>
    </Dialog>
  )
}

interface CreateCredentialProps {
  /** `token` or `key`, for texts. */
  readonly noun: string
  readonly hint: string
  /** Days until it expires that are chosen at first; empty: never. */
  readonly days: string
  /** Sends the request and returns the value. */
  readonly create: (input: {
    readonly label: string
    readonly expires_at: string | null
  }) => Promise<string>
  /** Fields of this kind, between the label and the expiry. */
  readonly fields?: (ruleOf: (field: string) => string | undefined) => ComponentChildren
  /** Fields whose errors `fields` shows. */
  readonly placed?: readonly string[]
  readonly disabled?: boolean
  readonly onClose: () => void
  readonly onCreated: (value: string) => void
}

export function CreateCredentialDialog(props: CreateCredentialProps) {
  const { noun, hint, create, fields, placed = [], disabled = false, onClose, onCreated } = props
  const [label, setLabel] = useState('')
  const [days, setDays] = useState(props.days)
  const submit = useSubmit(async () => {
    onCreated(await create({ label, expires_at: expiryOf(days) }))
  })
  const unplaced = submit.unplaced(['label', ...placed])
  return (
    <Dialog title={`Create a ${noun}`} size="s" onClose={onClose}>
      <form class="form" onSubmit={submit.onSubmit}>
        {unplaced !== undefined && <ProblemBox problem={unplaced} />}
        <TextField
          label="Label"
          required
          value={label}
          onText={setLabel}
          error={submit.ruleOf('label')}
          hint={hint}
        />
        {fields?.(submit.ruleOf)}
        <SelectField label="Expires" value={days} choices={lives} onValue={setDays} />
        <div class="form-actions">
          <Button kind="primary" type="submit" busy={submit.isBusy} disabled={disabled}>
            {`Create the ${noun}`}
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </div>
      </form>
    </Dialog>
  )
}

const dayMs = 86_400_000
const lives = [
  { value: '', label: 'Never' },
  { value: '7', label: 'In 7 days' },
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In a year' },
]

function expiryOf(days: string): string | null {
  return days === '' ? null : new Date(Date.now() + Number(days) * dayMs).toISOString()
}
