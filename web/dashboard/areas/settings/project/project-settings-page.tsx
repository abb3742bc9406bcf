import type { ComponentChildren } from 'preact'
import { useLocation } from 'preact-iso'
import { Page, Tabs } from '../../../design/content/page.tsx'
import { canWrite } from '../../../session/session.ts'
import { useOverview } from '../../../shell/use-overview.ts'
import { projectPath, useProjectId } from '../../../url/use-project.ts'

const tabs = [
  ['General', 'settings'],
  ['Client keys (DSN)', 'settings/keys'],
  ['Data scrubbing', 'settings/scrubbing'],
  ['Inbound filters', 'settings/filters'],
  ['Retention', 'settings/retention'],
  ['Attachments', 'settings/attachments'],
  ['Ownership rules', 'settings/ownership'],
] as const

/** The settings of a project; each tab is a page of its own. */
export function ProjectSettingsPage({
  title,
  actions,
  children,
}: {
  readonly title: string
  readonly actions?: ComponentChildren
  readonly children: ComponentChildren
}) {
  const { path } = useLocation()
  const projectId = useProjectId()
  const overview = useOverview(projectId)
  return (
    <Page
      title={title}
      meta={
        <>
          <span>{overview.data?.project.name}</span>
          {!canWrite.value && <span>Viewers cannot change these settings.</span>}
        </>
      }
      actions={actions}
      bar={
        <Tabs
          label="Project settings"
          tabs={tabs.map(([label, page]) => {
            const href = projectPath(projectId, page)
            return { label, href, current: path === href }
          })}
        />
      }
    >
      {children}
    </Page>
  )
}
