import { Panel } from '../../../design/content/page.tsx'
import { Loaded } from '../../../design/content/states.tsx'
import { useRead } from '../../../http/use-read.ts'
import { useProjectId } from '../../../url/use-project.ts'
import { FlagSetting, ListSetting, SettingsFormBox } from './form/setting-fields.tsx'
import type { Field, Settings } from './form/settings-draft.ts'
import { settingsRead, useSettingsForm } from './form/use-settings-form.ts'
import { ProjectSettingsPage } from './project-settings-page.tsx'
import { SettingsTrial } from './trial/settings-trial.tsx'

const fields: readonly Field[] = [
  'scrubbing.defaults',
  'scrubbing.ip_addresses',
  'scrubbing.sensitive_keys',
  'scrubbing.safe_keys',
  'scrubbing.patterns',
]

/** What is removed from events before they are stored. */
export function ScrubbingPage() {
  const projectId = useProjectId()
  const read = useRead(settingsRead, { params: { project_id: projectId } })
  return (
    <ProjectSettingsPage title="Data scrubbing">
      <p class="soft">
        Removed values are replaced by <code>[Filtered]</code> before an event is stored, grouped or
        shown. Stored events do not change.
      </p>
      <Loaded read={read}>
        {(settings) => <ScrubbingForm key={projectId} projectId={projectId} settings={settings} />}
      </Loaded>
    </ProjectSettingsPage>
  )
}

function ScrubbingForm({
  projectId,
  settings,
}: {
  readonly projectId: string
  readonly settings: Settings
}) {
  const form = useSettingsForm(projectId, settings, fields)
  return (
    <>
      <SettingsFormBox form={form}>
        <Panel title="What is always removed">
          <div class="settings-fields">
            <FlagSetting
              form={form}
              field="scrubbing.defaults"
              label="Passwords, tokens and card numbers"
              hint={
                <>
                  Values whose key names a secret, such as <code>password</code>,{' '}
                  <code>api_key</code> or <code>Cookie</code>, and texts that look like card
                  numbers, tokens, private keys or passwords in URLs.
                </>
              }
            />
            <FlagSetting
              form={form}
              field="scrubbing.ip_addresses"
              label="IP addresses"
              hint="In every text, including the address of the connection. Users are then identified only by their id or email."
            />
          </div>
        </Panel>
        <Panel title="Your own rules">
          <div class="settings-fields">
            <ListSetting
              form={form}
              field="scrubbing.sensitive_keys"
              label="Sensitive keys"
              hint={
                <>
                  Everything under these keys is removed. <code>*</code> is any text; upper and
                  lower case are the same.
                </>
              }
              placeholder={'national_id\nemployee_*'}
              max={50}
            />
            <ListSetting
              form={form}
              field="scrubbing.safe_keys"
              label="Safe keys"
              hint="Keys that look like the name of a secret but are not. Their texts are still searched."
              placeholder="token_count"
              max={50}
            />
            <ListSetting
              form={form}
              field="scrubbing.patterns"
              label="Patterns"
              hint={
                <>
                  Matches are removed from every text. A pattern consists of characters,{' '}
                  <code>.</code>, <code>\d</code>, <code>\w</code>, <code>\s</code>,{' '}
                  <code>[a-f0-9]</code> and <code>[^ ]</code>, each with an optional <code>?</code>,{' '}
                  <code>*</code>, <code>+</code>, <code>{'{4}'}</code> or <code>{'{4,8}'}</code>.
                  Groups and alternatives are not supported.
                </>
              }
              placeholder="EMP-\d{6}"
              max={10}
            />
          </div>
        </Panel>
      </SettingsFormBox>
      <SettingsTrial projectId={projectId} form={form} />
    </>
  )
}
