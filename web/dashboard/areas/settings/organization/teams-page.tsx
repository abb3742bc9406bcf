import { useState } from 'preact/hooks'
import { Button, IconButton } from '../../../design/button.tsx'
import { Avatar } from '../../../design/content/badge.tsx'
import { countOf } from '../../../design/content/format.ts'
import { Panel } from '../../../design/content/page.tsx'
import { EmptyState, Loaded, ProblemBox } from '../../../design/content/states.tsx'
import { SelectField, TextField } from '../../../design/forms/field.tsx'
import { SlugField, useProposedSlug } from '../../../design/forms/slug-field.tsx'
import { useSubmit } from '../../../design/forms/use-submit.ts'
import { ConfirmDialog, Dialog } from '../../../design/overlays/dialog.tsx'
import { invalidateReads } from '../../../http/query-client.ts'
import { request } from '../../../http/request.ts'
import { runChange } from '../../../http/run-change.ts'
import { useRead } from '../../../http/use-read.ts'
import { isOwner } from '../../../session/session.ts'
import { OrganizationPage } from './organization-page.tsx'

const list = 'GET /api/v1/organization/teams'
const detail = 'GET /api/v1/organization/teams/{team}'

/** Groups of people to whom issues are assigned, by hand or by ownership rules. */
export function TeamsPage() {
  const teams = useRead(list, {})
  const [isCreating, setCreating] = useState(false)
  return (
    <OrganizationPage
      title="Teams"
      actions={
        isOwner.value && (
          <Button kind="primary" icon="plus" onClick={() => setCreating(true)}>
            Create a team
          </Button>
        )
      }
    >
      <Loaded read={teams}>
        {({ items }) =>
          items.length === 0 ? (
            <EmptyState icon="people" title="No teams yet">
              <p>Create one, then assign issues to it or name it in ownership rules.</p>
            </EmptyState>
          ) : (
            <div class="columns-even">
              {items.map(({ id, slug, name }) => (
                <TeamPanel key={id} slug={slug} name={name} />
              ))}
            </div>
          )
        }
      </Loaded>
      {isCreating && <CreateDialog onClose={() => setCreating(false)} />}
    </OrganizationPage>
  )
}

function TeamPanel({ slug, name }: { readonly slug: string; readonly name: string }) {
  const team = useRead(detail, { params: { team: slug } })
  const people = useRead('GET /api/v1/organization/people', {}, { enabled: isOwner.value })
  const [isDeleting, setDeleting] = useState(false)
  const members = team.data?.members ?? []
  const others = (people.data?.items ?? []).filter(
    ({ id }) => !members.some((member) => member.id === id),
  )
  const add = (person: string) =>
    runChange({
      send: () =>
        request('PUT /api/v1/organization/teams/{team}/members/{person}', {
          params: { team: slug, person },
        }),
      refetch: [list, detail],
    })
  const remove = (person: string) =>
    runChange({
      send: () =>
        request('DELETE /api/v1/organization/teams/{team}/members/{person}', {
          params: { team: slug, person },
        }),
      done: `Removed from ${name}.`,
      undo: () =>
        request('PUT /api/v1/organization/teams/{team}/members/{person}', {
          params: { team: slug, person },
        }),
      refetch: [list, detail],
    })
  const deleteTeam = () =>
    runChange({
      send: () => request('DELETE /api/v1/organization/teams/{team}', { params: { team: slug } }),
      done: `Deleted the team ${name}.`,
      refetch: [list],
    })
  return (
    <Panel
      title={name}
      actions={
        isOwner.value && (
          <IconButton
            size="s"
            icon="trash"
            label={`Delete the team ${name}`}
            onClick={() => setDeleting(true)}
          />
        )
      }
    >
      <Loaded read={team} lines={2}>
        {() => (
          <div class="stack">
            <p class="soft small">
              <code>#{slug}</code> · {countOf(members.length, 'member')}
            </p>
            <ul class="stack">
              {members.map((member) => (
                <li key={member.id} class="row">
                  <Avatar name={member.name ?? member.email} />
                  <span>{member.name ?? member.email}</span>
                  {isOwner.value && (
                    <IconButton
                      size="s"
                      icon="close"
                      label={`Remove ${member.name ?? member.email}`}
                      onClick={() => void remove(member.id)}
                    />
                  )}
                </li>
              ))}
            </ul>
            {isOwner.value && others.length > 0 && (
              <SelectField
                label={`Add a member to ${name}`}
                hideLabel
                value=""
                choices={[
                  { value: '', label: 'Add a member…' },
                  ...others.map(({ id, name: personName, email }) => ({
                    value: id,
                    label: personName ?? email,
                  })),
                ]}
                onValue={(person) => person !== '' && void add(person)}
              />
            )}
          </div>
        )}
      </Loaded>
      {isDeleting && (
        <ConfirmDialog
          title="Delete a team"
          confirm="Delete the team"
          danger
          onConfirm={deleteTeam}
          onClose={() => setDeleting(false)}
        >
          <p>Issues assigned to {name} become unassigned. Its members stay in the organization.</p>
        </ConfirmDialog>
      )}
    </Panel>
  )
}

function CreateDialog({ onClose }: { readonly onClose: () => void }) {
  const [name, setName] = useState('')
  const slug = useProposedSlug(name)
  const submit = useSubmit(async () => {
    await request('POST /api/v1/organization/teams', { body: { name, slug: slug.value } })
    await invalidateReads(list)
    onClose()
  })
  const unplaced = submit.unplaced(['name', 'slug'])
  return (
    <Dialog title="Create a team" size="s" onClose={onClose}>
      <form class="form" onSubmit={submit.onSubmit}>
        {unplaced !== undefined && <ProblemBox problem={unplaced} />}
        <TextField
          label="Name"
          required
          value={name}
          onText={setName}
          error={submit.ruleOf('name')}
        />
        <SlugField
          slug={slug}
          error={submit.ruleOf('slug')}
          hint="Ownership rules and search use it: #slug."
        />
        <div class="form-actions">
          <Button kind="primary" type="submit" busy={submit.isBusy}>
            Create the team
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </div>
      </form>
    </Dialog>
  )
}
