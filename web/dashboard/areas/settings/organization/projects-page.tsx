import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { Button } from '../../../design/button.tsx'
import { CopyValue } from '../../../design/content/copy.tsx'
import { DataTable } from '../../../design/content/data-table.tsx'
import { Panel } from '../../../design/content/page.tsx'
import { EmptyState, Loaded, ProblemBox } from '../../../design/content/states.tsx'
import { Time } from '../../../design/content/time.tsx'
import { TextField } from '../../../design/forms/field.tsx'
import { useSubmit } from '../../../design/forms/use-submit.ts'
import { Dialog } from '../../../design/overlays/dialog.tsx'
import { invalidateReads } from '../../../http/query-client.ts'
import { request } from '../../../http/request.ts'
import { useRead } from '../../../http/use-read.ts'
import { isOwner } from '../../../session/session.ts'
import { OrganizationPage } from './organization-page.tsx'

const list = 'GET /api/v1/organization/projects'

export function ProjectsPage() {
  const projects = useRead(list, {})
  const [isCreating, setCreating] = useState(false)
  const create = isOwner.value && (
    <Button kind="primary" icon="plus" onClick={() => setCreating(true)}>
      Create a project
    </Button>
  )
  return (
    <OrganizationPage title="Projects" actions={create}>
      <Loaded read={projects}>
        {({ items }) =>
          items.length === 0 ? (
            <EmptyState icon="layers" title="No projects yet">
              <p>A project collects the errors, ideas and feedback of one product.</p>
            </EmptyState>
          ) : (
            <Panel flush>
              <DataTable
                label="Projects"
                items={items}
                keyOf={({ id }) => id}
                columns={[
                  {
                    head: 'Name',
                    cell: ({ id, name, short_name: shortName }) => (
                      <>
                        <a href={`/projects/${id}/issues`}>{name}</a>{' '}
                        <span class="soft small">{shortName}</span>
                      </>
                    ),
                  },
                  {
                    head: 'DSN',
                    secondary: true,
                    cell: ({ dsn }) =>
                      dsn === null ? (
                        <span class="soft">no active key</span>
                      ) : (
                        <CopyValue label="the DSN" value={dsn} />
                      ),
                  },
                  {
                    head: 'Created',
                    secondary: true,
                    cell: ({ created_at: at }) => <Time at={at} />,
                  },
                  {
                    head: 'Settings',
                    cell: ({ id, name }) => (
                      <a href={`/projects/${id}/settings`} aria-label={`Settings of ${name}`}>
                        Settings
                      </a>
                    ),
                  },
                ]}
              />
            </Panel>
          )
        }
      </Loaded>
      {isCreating && <CreateDialog onClose={() => setCreating(false)} />}
    </OrganizationPage>
  )
}

function CreateDialog({ onClose }: { readonly onClose: () => void }) {
  const { route } = useLocation()
  const [name, setName] = useState('')
  const submit = useSubmit(async () => {
    const project = await request('POST /api/v1/organization/projects', { body: { name } })
    await invalidateReads(list)
    onClose()
    route(`/projects/${project.id}/setup`)
  })
  const unplaced = submit.unplaced(['name'])
  return (
    <Dialog title="Create a project" size="s" onClose={onClose}>
      <form class="form" onSubmit={submit.onSubmit}>
        {unplaced !== undefined && <ProblemBox problem={unplaced} />}
        <TextField
          label="Name"
          required
          value={name}
          onText={setName}
          error={submit.ruleOf('name')}
          hint="Its name begins the ids of issues: Shop becomes SHOP-1."
        />
        <div class="form-actions">
          <Button kind="primary" type="submit" busy={submit.isBusy}>
            Create the project
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </div>
      </form>
    </Dialog>
  )
}
