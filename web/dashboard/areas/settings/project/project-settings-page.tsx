import type { ComponentChildren } from 'preact'
import { canWrite } from '../../../session/session.ts'
import { SettingsPage } from '../../../shell/settings-page.tsx'
import { useOverview } from '../../../shell/use-overview.ts'
import { projectPath, useProjectId } from '../../../url/use-project.ts'

const tabs = [
  ['General', 'settings'],
  ['Client keys (DSN)', 'settings/keys'],
  ['Data scrubbing', 'settings/scrubbing'],
  ['Inbound filters', 'settings/filters'],
  ['Grouping', 'settings/grouping'],
  ['Retention', 'settings/retention'],
  ['Attachments', 'settings/attachments'],
  ['Ownership rules', 'settings/ownership'],
] as const

export function ProjectSettingsPage(props: {
  readonly title: string
  readonly actions?: ComponentChildren
  readonly children: ComponentChildren
}) {
  const projectId = useProjectId()
  const overview = useOverview(projectId)
  return (
    <SettingsPage
      {...props}
      section="Project settings"
      tabs={tabs.map(([label, page]) => [label, projectPath(projectId, page)])}
      owner={overview.data?.project.name}
      readOnly={canWrite.value ? undefined : 'Viewers cannot change these settings.'}
    />
  )
}
