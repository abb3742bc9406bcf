import { useState } from 'preact/hooks'
import { Button, ButtonLink } from '../../../design/button.tsx'
import { Badge } from '../../../design/content/badge.tsx'
import { DataTable, Facts } from '../../../design/content/data-table.tsx'
import { formatNumber } from '../../../design/content/format.ts'
import { Panel } from '../../../design/content/page.tsx'
import { EmptyState, Loaded, ProblemBox } from '../../../design/content/states.tsx'
import { Time } from '../../../design/content/time.tsx'
import { TextField } from '../../../design/forms/field.tsx'
import { useSubmit } from '../../../design/forms/use-submit.ts'
import { ConfirmDialog } from '../../../design/overlays/dialog.tsx'
import { invalidateReads } from '../../../http/query-client.ts'
import { hrefOf, type Reply, request } from '../../../http/request.ts'
import { runChange } from '../../../http/run-change.ts'
import { useRead } from '../../../http/use-read.ts'
import { isOwner, loadSession, me } from '../../../session/session.ts'
import { OrganizationPage } from './organization-page.tsx'

const deletions = 'GET /api/v1/organization/deletions'
const refreshMs = 5_000

/** The name of the organization, its data as a file, the data of one person, and deletions. */
export function DataPage() {
  if (!isOwner.value) {
    return (
      <OrganizationPage title="Data">
        <EmptyState icon="lock" title="For owners only">
          <p>Owners rename, export and delete the organization, and answer requests for data.</p>
        </EmptyState>
      </OrganizationPage>
    )
  }
  return (
    <OrganizationPage title="Data">
      <NamePanel />
      <PersonDataPanel />
      <DeletionsPanel />
      <ExportPanel />
      <DeletePanel />
    </OrganizationPage>
  )
}

function ExportPanel() {
  return (
    <Panel title="Export everything">
      <div class="stack">
        <p class="soft">
          One JSON value per line: a header, every row, and a trailer with the counts. A file
          without the trailer was cut off.
        </p>
        <div>
          <ButtonLink icon="download" href={hrefOf('GET /api/v1/organization/export', {})} download>
            Export the organization
          </ButtonLink>
        </div>
      </div>
    </Panel>
  )
}

function NamePanel() {
  const [name, setName] = useState(me.value?.organization.name ?? '')
  const submit = useSubmit(async () => {
    await request('PATCH /api/v1/organization', { body: { name } })
    await loadSession()
  })
  return (
    <Panel title="Name">
      <form class="form-row" onSubmit={submit.onSubmit}>
        <TextField
          label="Name of the organization"
          value={name}
          onText={setName}
          error={submit.ruleOf('name')}
        />
        <Button type="submit" busy={submit.isBusy} disabled={name === me.value?.organization.name}>
          Save
        </Button>
      </form>
    </Panel>
  )
}

type PersonData = Reply<'GET /api/v1/admin/person-data'>
interface Subject {
  readonly email?: string
  readonly user_id?: string
  readonly address?: string
}

function PersonDataPanel() {
  const [email, setEmail] = useState('')
  const [userId, setUserId] = useState('')
  const [address, setAddress] = useState('')
  const [found, setFound] = useState<{ readonly subject: Subject; readonly data: PersonData }>()
  const [isErasing, setErasing] = useState(false)
  const subject: Subject = {
    ...(email === '' ? {} : { email }),
    ...(userId === '' ? {} : { user_id: userId }),
    ...(address === '' ? {} : { address }),
  }
  const submit = useSubmit(async () => {
    const data = await request('GET /api/v1/admin/person-data', { query: subject })
    setFound({ subject, data })
  })
  const unplaced = submit.unplaced(['email', 'user_id', 'address'])
  const rows = Object.entries(found?.data.rows ?? {}).filter(([, count]) => count > 0)
  return (
    <Panel title="Data of one person">
      <form class="stack" onSubmit={submit.onSubmit}>
        <p class="soft">For requests to see or to erase personal data, in all stores at once.</p>
        {unplaced !== undefined && <ProblemBox problem={unplaced} />}
        <div class="form-row">
          <TextField label="Email" value={email} onText={setEmail} error={submit.ruleOf('email')} />
          <TextField
            label="User id"
            value={userId}
            onText={setUserId}
            error={submit.ruleOf('user_id')}
          />
          <TextField
            label="IP address"
            value={address}
            onText={setAddress}
            error={submit.ruleOf('address')}
          />
          <Button type="submit" busy={submit.isBusy} disabled={Object.keys(subject).length === 0}>
            Find
          </Button>
        </div>
      </form>
      {found !== undefined && (
        <div class="stack" role="status">
          {rows.length === 0 ? (
            <p>Nothing is stored about this person.</p>
          ) : (
            <>
              <Facts facts={rows.map(([name, count]) => ({ name, value: formatNumber(count) }))} />
              <div class="row">
                <ButtonLink
                  icon="download"
                  href={hrefOf('GET /api/v1/admin/person-data/export', { query: found.subject })}
                  download
                >
                  Export
                </ButtonLink>
                {isOwner.value && (
                  <Button kind="danger" icon="trash" onClick={() => setErasing(true)}>
                    Erase…
                  </Button>
                )}
              </div>
            </>
          )}
        </div>
      )}
      {isErasing && found !== undefined && (
        <ConfirmDialog
          title="Erase a person"
          confirm="Erase the person"
          danger
          typed="erase"
          onConfirm={async () => {
            await runChange({
              send: () => request('POST /api/v1/admin/person-data/erase', { body: found.subject }),
              done: 'The erasure has begun. Its progress is below.',
              refetch: [deletions],
            })
            setFound(undefined)
          }}
          onClose={() => setErasing(false)}
        >
          <p>
            Events, sessions, votes, comments, feedback and contacts of this person are erased or
            made anonymous. This cannot be undone.
          </p>
        </ConfirmDialog>
      )}
    </Panel>
  )
}

function DeletionsPanel() {
  const read = useRead(deletions, { query: { limit: 20 } }, { refetchEveryMs: refreshMs })
  return (
    <Panel title="Deletions" flush>
      <Loaded read={read} lines={2}>
        {({ items }) =>
          items.length === 0 ? (
            <p class="panel-body soft">Nothing was deleted yet.</p>
          ) : (
            <DataTable
              label="Deletions"
              items={items}
              keyOf={({ id }) => id}
              columns={[
                { head: 'What', cell: ({ kind }) => kind },
                {
                  head: 'State',
                  cell: ({ state }) => (
                    <Badge tone={state === 'done' ? 'success' : 'info'}>
                      {state.replaceAll('_', ' ')}
                    </Badge>
                  ),
                },
                {
                  head: 'Rows',
                  numeric: true,
                  cell: ({ rows }) =>
                    formatNumber(Object.values(rows).reduce((sum, count) => sum + count, 0)),
                },
                { head: 'Requested', cell: ({ requested_at: at }) => <Time at={at} /> },
                {
                  head: 'Finished',
                  secondary: true,
                  cell: ({ finished_at: at }) => (at === null ? '–' : <Time at={at} />),
                },
              ]}
            />
          )
        }
      </Loaded>
    </Panel>
  )
}

function DeletePanel() {
  const [isAsked, setAsked] = useState(false)
  const name = me.value?.organization.name ?? ''
  const remove = async () => {
    const done = await runChange({
      send: () => request('DELETE /api/v1/organization', { query: { confirm: name } }),
    })
    if (done === undefined) return
    await invalidateReads()
    await loadSession()
  }
  return (
    <Panel title="Delete the organization">
      <div class="stack">
        <p class="soft">Ends all access at once and removes all data in the background.</p>
        <div>
          <Button kind="danger" icon="trash" onClick={() => setAsked(true)}>
            Delete the organization…
          </Button>
        </div>
      </div>
      {isAsked && (
        <ConfirmDialog
          title="Delete the organization"
          confirm="Delete the organization"
          danger
          typed={name}
          onConfirm={remove}
          onClose={() => setAsked(false)}
        >
          <p>All projects, contacts, ideas and feedback are removed. This cannot be undone.</p>
        </ConfirmDialog>
      )}
    </Panel>
  )
}
