import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { Button } from '../../../design/button.tsx'
import { CopyValue } from '../../../design/content/copy.tsx'
import { Facts } from '../../../design/content/data-table.tsx'
import { Panel } from '../../../design/content/page.tsx'
import { Loaded, ProblemBox } from '../../../design/content/states.tsx'
import { Time } from '../../../design/content/time.tsx'
import { TextField } from '../../../design/forms/field.tsx'
import { useSubmit } from '../../../design/forms/use-submit.ts'
import { ConfirmDialog } from '../../../design/overlays/dialog.tsx'
import { invalidateReads } from '../../../http/query-client.ts'
import { type Reply, request } from '../../../http/request.ts'
import { runChange } from '../../../http/run-change.ts'
import { useRead } from '../../../http/use-read.ts'
import { canWrite, isOwner } from '../../../session/session.ts'
import { showToast } from '../../../shell/toast-list.ts'
import { projectPath, useProjectId } from '../../../url/use-project.ts'
import { ProjectSettingsPage } from './project-settings-page.tsx'
import './form/settings.css'

const detail = 'GET /api/v1/organization/projects/{id}'
const list = 'GET /api/v1/organization/projects'
const overview = 'GET /api/v1/projects/{project_id}/overview'
type Project = Reply<typeof detail>

export function GeneralPage() {
  const projectId = useProjectId()
  const read = useRead(detail, { params: { id: projectId } })
  return (
    <ProjectSettingsPage title="General">
      <Loaded read={read}>
        {(project) => (
          <>
            {canWrite.value && <NamePanel key={project.id} project={project} />}
            <IdsPanel project={project} />
            {isOwner.value && <DeletePanel project={project} />}
          </>
        )}
      </Loaded>
    </ProjectSettingsPage>
  )
}

function NamePanel({ project }: { readonly project: Project }) {
  const [name, setName] = useState(project.name)
  const submit = useSubmit(async () => {
    const saved = await request('PATCH /api/v1/organization/projects/{id}', {
      params: { id: project.id },
      body: { name },
    })
    setName(saved.name)
    await invalidateReads(detail, list, overview)
    showToast({ kind: 'done', text: 'Saved.' })
  })
  const unplaced = submit.unplaced(['name'])
  return (
    <Panel title="Name">
      <form class="form" onSubmit={submit.onSubmit}>
        {unplaced !== undefined && <ProblemBox problem={unplaced} />}
        <TextField
          label="Name of the project"
          required
          value={name}
          onText={setName}
          error={submit.ruleOf('name')}
          hint={`Issues keep the prefix ${project.short_name}, so their ids stay the same.`}
        />
        <div class="form-actions">
          <Button
            kind="primary"
            type="submit"
            busy={submit.isBusy}
            disabled={name.trim() === '' || name === project.name}
          >
            Save
          </Button>
        </div>
      </form>
    </Panel>
  )
}

function IdsPanel({ project }: { readonly project: Project }) {
  const keysPath = projectPath(project.id, 'settings/keys')
  return (
    <Panel title="Ids">
      <div class="settings-facts">
        <Facts
          facts={[
            {
              name: 'Project id',
              value: <Id label="the project id" value={project.id} use="Paths of the HTTP API." />,
            },
            {
              name: 'DSN id',
              value: <Id label="the DSN id" value={project.dsn_id} use="The last part of a DSN." />,
            },
            {
              name: 'Project key',
              value: (
                <Id
                  label="the project key"
                  value={project.project_key}
                  use="Addresses of the portal and of the feedback form."
                />
              ),
            },
            { name: 'Prefix of issues', value: <code>{project.short_name}</code> },
            {
              name: 'DSN',
              value:
                project.dsn === null ? (
                  <span>
                    No active key. <a href={keysPath}>Create a key</a>
                  </span>
                ) : (
                  <span class="settings-id">
                    <CopyValue label="the DSN" value={project.dsn} />
                    <a class="small" href={keysPath}>
                      All keys
                    </a>
                  </span>
                ),
            },
            { name: 'Created', value: <Time at={project.created_at} /> },
          ]}
        />
      </div>
    </Panel>
  )
}

function Id({
  label,
  value,
  use,
}: {
  readonly label: string
  readonly value: string
  readonly use: string
}) {
  return (
    <span class="settings-id">
      <CopyValue label={label} value={value} />
      <span class="soft small">{use}</span>
    </span>
  )
}

function DeletePanel({ project }: { readonly project: Project }) {
  const { route } = useLocation()
  const [isAsked, setAsked] = useState(false)
  const remove = async () => {
    const done = await runChange({
      send: () =>
        request('DELETE /api/v1/organization/projects/{id}', {
          params: { id: project.id },
          query: { confirm: project.name },
        }),
      done: `The deletion of ${project.name} has begun. Its progress is at Organization, Data.`,
      refetch: [list],
    })
    if (done !== undefined) route('/organization/projects')
  }
  return (
    <Panel title="Delete the project">
      <div class="stack">
        <p class="soft">
          Disables its keys and its portal at once and removes its events, issues, ideas and
          feedback in the background.
        </p>
        <div>
          <Button kind="danger" icon="trash" onClick={() => setAsked(true)}>
            Delete the project…
          </Button>
        </div>
      </div>
      {isAsked && (
        <ConfirmDialog
          title="Delete the project"
          confirm="Delete the project"
          danger
          typed={project.name}
          onConfirm={remove}
          onClose={() => setAsked(false)}
        >
          <p>
            Events that are sent from now on are refused. The data of the project is removed. This
            cannot be undone.
          </p>
        </ConfirmDialog>
      )}
    </Panel>
  )
}
