import { Panel } from '../../../design/content/page.tsx'
import { Loaded } from '../../../design/content/states.tsx'
import { useRead } from '../../../http/use-read.ts'
import { projectPath, useProjectId } from '../../../url/use-project.ts'
import { FlagSetting, ListSetting, SettingsFormBox } from './form/setting-fields.tsx'
import type { Field, Settings } from './form/settings-draft.ts'
import { settingsRead, useSettingsForm } from './form/use-settings-form.ts'
import { ProjectSettingsPage } from './project-settings-page.tsx'
import { SettingsTrial } from './trial/settings-trial.tsx'

const fields: readonly Field[] = [
  'filters.browser_extensions',
  'filters.legacy_browsers',
  'filters.localhost',
  'filters.web_crawlers',
  'filters.releases',
  'filters.error_messages',
  'allowed_origins',
]

/** Which events are dropped when they arrive. */
export function FiltersPage() {
  const projectId = useProjectId()
  const read = useRead(settingsRead, { params: { project_id: projectId } })
  return (
    <ProjectSettingsPage title="Inbound filters">
      <p class="soft">
        A filtered event is counted at{' '}
        <a class="text-link" href={projectPath(projectId, 'outcomes')}>
          Outcomes
        </a>{' '}
        with the name of the filter. Nothing else about it is stored, and it does not count against
        the quota.
      </p>
      <Loaded read={read}>
        {(settings) => <FiltersForm key={projectId} projectId={projectId} settings={settings} />}
      </Loaded>
    </ProjectSettingsPage>
  )
}

function FiltersForm({
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
        <Panel title="Filters">
          <div class="settings-fields">
            <FlagSetting
              form={form}
              field="filters.browser_extensions"
              label="Browser extensions"
              hint="Errors of code that extensions inject into pages, and messages that extensions are known for."
            />
            <FlagSetting
              form={form}
              field="filters.legacy_browsers"
              label="Legacy browsers"
              hint="Internet Explorer, Edge before 79, Chrome before 63, Firefox before 67, Safari before 12, Opera before 51, Opera Mini before 35, Android Browser before 4."
            />
            <FlagSetting
              form={form}
              field="filters.localhost"
              label="Localhost"
              hint="Events of pages and servers on the local machine."
            />
            <FlagSetting
              form={form}
              field="filters.web_crawlers"
              label="Web crawlers"
              hint="Events whose user agent is that of a crawler."
            />
          </div>
        </Panel>
        <Panel title="Releases and messages">
          <div class="settings-fields">
            <ListSetting
              form={form}
              field="filters.releases"
              label="Releases"
              hint={
                <>
                  <code>*</code> is any text. The whole release must match; upper and lower case are
                  the same.
                </>
              }
              placeholder={'shop@1.*\n*-beta*'}
              max={50}
            />
            <ListSetting
              form={form}
              field="filters.error_messages"
              label="Error messages"
              hint={
                <>
                  Compared with the message, the value of an exception, and <code>Type: value</code>
                  . The whole text must match: write <code>*</code> at both ends to find a part.
                </>
              }
              placeholder="*ResizeObserver loop*"
              max={50}
            />
          </div>
        </Panel>
        <Panel title="Allowed origins">
          <div class="settings-fields">
            <ListSetting
              form={form}
              field="allowed_origins"
              label="Origins whose pages may send events"
              hint={
                <>
                  Empty: all. Pages of other origins are answered with 403. Programs, which send no
                  origin, are always accepted. <code>https://*.example.com</code> is every subdomain
                  without the domain itself, <code>http://localhost:*</code> every port.
                </>
              }
              placeholder={'https://app.example.com\nhttps://*.example.com'}
              max={50}
            />
          </div>
        </Panel>
      </SettingsFormBox>
      <SettingsTrial projectId={projectId} form={form} />
    </>
  )
}
