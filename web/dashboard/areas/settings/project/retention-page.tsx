import { Panel } from '../../../design/content/page.tsx'
import { Loaded } from '../../../design/content/states.tsx'
import { TextField } from '../../../design/forms/field.tsx'
import { useRead } from '../../../http/use-read.ts'
import { canWrite } from '../../../session/session.ts'
import { useProjectId } from '../../../url/use-project.ts'
import { SettingsFormBox } from './form/setting-fields.tsx'
import type { Field, Settings } from './form/settings-draft.ts'
import { settingsRead, useSettingsForm } from './form/use-settings-form.ts'
import { ProjectSettingsPage } from './project-settings-page.tsx'

const fields: readonly Field[] = ['retention_days']

/** How long events are kept. */
export function RetentionPage() {
  const projectId = useProjectId()
  const read = useRead(settingsRead, { params: { project_id: projectId } })
  return (
    <ProjectSettingsPage title="Retention">
      <Loaded read={read}>
        {(settings) => <RetentionForm key={projectId} projectId={projectId} settings={settings} />}
      </Loaded>
    </ProjectSettingsPage>
  )
}

function RetentionForm({
  projectId,
  settings,
}: {
  readonly projectId: string
  readonly settings: Settings
}) {
  const form = useSettingsForm(projectId, settings, fields)
  return (
    <SettingsFormBox form={form}>
      <Panel title="Events and sessions">
        <div class="settings-fields">
          <TextField
            label="Days to keep events"
            inputMode="numeric"
            value={form.text('retention_days')}
            placeholder="Default of the installation"
            readOnly={!canWrite.value}
            onText={(text) => form.set('retention_days', text)}
            error={form.ruleOf('retention_days')}
            hint="1 to 3,650. Empty: the default of the installation (RETENTION_DAYS)."
          />
          <ul class="settings-notes soft small">
            <li>Each event keeps the days that were set when it arrived. Stored events stay.</li>
            <li>
              Session counts that SDKs send as sums, and dead letters, expire by the current days.
            </li>
            <li>
              Issues go later: RETENTION_ISSUE_DAYS after their last event, unless somebody has
              changed them. Ideas and feedback stay until they are deleted.
            </li>
          </ul>
        </div>
      </Panel>
    </SettingsFormBox>
  )
}
