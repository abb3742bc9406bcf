import { Panel } from '../../../design/content/page.tsx'
import { Loaded } from '../../../design/content/states.tsx'
import { TextField } from '../../../design/forms/field.tsx'
import { useRead } from '../../../http/use-read.ts'
import { canWrite } from '../../../session/session.ts'
import { projectPath, useProjectId } from '../../../url/use-project.ts'
import { FlagSetting, SettingsFormBox } from './form/setting-fields.tsx'
import type { Field, Settings } from './form/settings-draft.ts'
import { settingsRead, useSettingsForm } from './form/use-settings-form.ts'
import { ProjectSettingsPage } from './project-settings-page.tsx'

const fields: readonly Field[] = ['attachments.keep', 'attachments.megabytes_per_day']

/** Whether files of events are kept, and how many of them. */
export function AttachmentsPage() {
  const projectId = useProjectId()
  const read = useRead(settingsRead, { params: { project_id: projectId } })
  return (
    <ProjectSettingsPage title="Attachments">
      <Loaded read={read}>
        {(settings) => (
          <AttachmentsForm key={projectId} projectId={projectId} settings={settings} />
        )}
      </Loaded>
    </ProjectSettingsPage>
  )
}

function AttachmentsForm({
  projectId,
  settings,
}: {
  readonly projectId: string
  readonly settings: Settings
}) {
  const form = useSettingsForm(projectId, settings, fields)
  return (
    <SettingsFormBox form={form}>
      <Panel title="Files of events">
        <div class="settings-fields">
          <FlagSetting
            form={form}
            field="attachments.keep"
            label="Keep attachments"
            hint="Screenshots, logs, view hierarchies and minidumps that SDKs send with events. They take up to the space below each day, for as long as their events are kept, and they are not scrubbed: a screenshot shows what its user saw."
          />
          <TextField
            label="MiB a day"
            inputMode="numeric"
            value={form.text('attachments.megabytes_per_day')}
            readOnly={!canWrite.value}
            onText={(text) => form.set('attachments.megabytes_per_day', text)}
            error={form.ruleOf('attachments.megabytes_per_day')}
            hint="1 to 1,048,576, for the whole project. Further files are refused until the next day (UTC); their events are kept."
          />
          <ul class="settings-notes soft small">
            <li>At most 20 files and 40 MiB an event, and 20 MiB a file.</li>
            <li>
              Files that were not kept are counted at{' '}
              <a class="text-link" href={projectPath(projectId, 'outcomes')}>
                Outcomes
              </a>{' '}
              in the category attachment. They cost no events of the quota.
            </li>
            <li>Switching it off deletes nothing. Stored files expire with their events.</li>
          </ul>
        </div>
      </Panel>
    </SettingsFormBox>
  )
}
