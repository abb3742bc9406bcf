import { useState } from 'preact/hooks'
import { Button } from '../../../design/button.tsx'
import { Avatar, Badge } from '../../../design/content/badge.tsx'
import { DataTable } from '../../../design/content/data-table.tsx'
import { Panel } from '../../../design/content/page.tsx'
import { Loaded, ProblemBox } from '../../../design/content/states.tsx'
import { Time } from '../../../design/content/time.tsx'
import { CheckField, SelectField, TextField } from '../../../design/forms/field.tsx'
import { useSubmit } from '../../../design/forms/use-submit.ts'
import { ConfirmDialog, Dialog } from '../../../design/overlays/dialog.tsx'
import { Menu } from '../../../design/overlays/menu.tsx'
import { editItems } from '../../../http/edit-cache.ts'
import { invalidateReads } from '../../../http/query-client.ts'
import { type Reply, request } from '../../../http/request.ts'
import { runChange } from '../../../http/run-change.ts'
import { useRead } from '../../../http/use-read.ts'
import { isOwner, me } from '../../../session/session.ts'
import { OrganizationPage } from './organization-page.tsx'
import './people.css'

const list = 'GET /api/v1/organization/people'
type Person = Reply<typeof list>['items'][number]
type Role = Person['role']

const roleChoices = [
  { value: 'viewer', label: 'Viewer: reads everything' },
  { value: 'member', label: 'Member: also writes' },
  { value: 'owner', label: 'Owner: also manages people and credentials' },
]

/** Who belongs to the organization, with which role. */
export function PeoplePage() {
  const people = useRead(list, {})
  const [isInviting, setInviting] = useState(false)
  const [removed, setRemoved] = useState<Person>()
  return (
    <OrganizationPage
      title="People"
      actions={
        isOwner.value && (
          <Button kind="primary" icon="plus" onClick={() => setInviting(true)}>
            Invite a person
          </Button>
        )
      }
    >
      <Panel flush>
        <Loaded read={people}>
          {({ items }) => (
            <DataTable
              label="People"
              items={items}
              keyOf={({ id }) => id}
              columns={[
                { head: 'Name', cell: (person) => <PersonName person={person} /> },
                { head: 'Role', cell: (person) => <RoleSelect person={person} /> },
                {
                  head: 'Last seen',
                  secondary: true,
                  cell: ({ last_seen_at: at }) => <Time at={at} />,
                },
                {
                  head: 'Actions',
                  actions: true,
                  cell: (person) => <Actions person={person} onRemove={setRemoved} />,
                },
              ]}
            />
          )}
        </Loaded>
      </Panel>
      {isInviting && <InviteDialog onClose={() => setInviting(false)} />}
      {removed !== undefined && (
        <RemoveDialog person={removed} onClose={() => setRemoved(undefined)} />
      )}
    </OrganizationPage>
  )
}

function PersonName({ person }: { readonly person: Person }) {
  return (
    <div class="person-name">
      <Avatar name={person.name ?? person.email} size={24} />
      <div>
        <div>
          {person.name ?? person.email} {person.id === me.value?.id && <Badge>You</Badge>}{' '}
          {!person.joined && <Badge tone="info">Invited</Badge>}{' '}
          {person.undeliverable && <Badge tone="danger">Email bounces</Badge>}
        </div>
        {person.name !== null && <div class="soft small">{person.email}</div>}
      </div>
    </div>
  )
}

function RoleSelect({ person }: { readonly person: Person }) {
  if (!isOwner.value) return <>{person.role}</>
  const change = (role: Role) =>
    runChange({
      apply: () => editItems(list, (one) => (one.id === person.id ? { ...one, role } : one)),
      send: () => send(role),
      done: `${person.name ?? person.email} is now ${role}.`,
      undo: () => send(person.role),
      refetch: [list],
    })
  const send = (role: Role) =>
    request('PATCH /api/v1/organization/people/{id}', { params: { id: person.id }, body: { role } })
  return (
    <SelectField
      label={`Role of ${person.name ?? person.email}`}
      hideLabel
      value={person.role}
      choices={['viewer', 'member', 'owner'].map((value) => ({ value, label: value }))}
      onValue={(role) => void change(role as Role)}
    />
  )
}

function Actions({
  person,
  onRemove,
}: {
  readonly person: Person
  readonly onRemove: (person: Person) => void
}) {
  if (!isOwner.value) return null
  const sendLink = () =>
    runChange({
      send: () =>
        request('POST /api/v1/organization/people/{id}/link', { params: { id: person.id } }),
      done: `A link to choose a password was sent to ${person.email}.`,
    })
  return (
    <Menu
      label={`Actions for ${person.name ?? person.email}`}
      hideLabel
      icon="more"
      kind="quiet"
      size="s"
      actions={[
        { label: 'Send a password link', icon: 'mail', run: () => void sendLink() },
        { label: 'Remove…', icon: 'trash', danger: true, run: () => onRemove(person) },
      ]}
    />
  )
}

function InviteDialog({ onClose }: { readonly onClose: () => void }) {
  const [email, setEmail] = useState('')
  const [name, setName] = useState('')
  const [role, setRole] = useState<Role>('member')
  const submit = useSubmit(async () => {
    const body = { email, role, ...(name === '' ? {} : { name }) }
    await request('POST /api/v1/organization/people', { body })
    await invalidateReads(list)
    onClose()
  })
  const unplaced = submit.unplaced(['email', 'name', 'role'])
  return (
    <Dialog title="Invite a person" size="s" onClose={onClose}>
      <form class="form" onSubmit={submit.onSubmit}>
        {unplaced !== undefined && <ProblemBox problem={unplaced} />}
        <TextField
          label="Email"
          type="email"
          required
          value={email}
          onText={setEmail}
          error={submit.ruleOf('email')}
          hint="Gets a link to choose a password."
        />
        <TextField label="Name" value={name} onText={setName} error={submit.ruleOf('name')} />
        <SelectField
          label="Role"
          value={role}
          choices={roleChoices}
          onValue={(value) => setRole(value as Role)}
        />
        <div class="form-actions">
          <Button kind="primary" type="submit" busy={submit.isBusy}>
            Send the invitation
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </div>
      </form>
    </Dialog>
  )
}

function RemoveDialog({
  person,
  onClose,
}: {
  readonly person: Person
  readonly onClose: () => void
}) {
  const [revokes, setRevokes] = useState(true)
  const remove = () =>
    runChange({
      send: () =>
        request('DELETE /api/v1/organization/people/{id}', {
          params: { id: person.id },
          query: { credentials: revokes ? 'revoke' : 'reassign' },
        }),
      done: `Removed ${person.name ?? person.email}.`,
      refetch: [list],
    })
  return (
    <ConfirmDialog
      title="Remove a person"
      confirm="Remove the person"
      danger
      onConfirm={remove}
      onClose={onClose}
    >
      <p>
        {person.name ?? person.email} loses access to this organization at once. Issues assigned to
        this person become unassigned.
      </p>
      <CheckField
        label="Revoke the tokens and keys that this person created"
        hint="Otherwise they are reassigned to you."
        checked={revokes}
        onChecked={setRevokes}
      />
    </ConfirmDialog>
  )
}
