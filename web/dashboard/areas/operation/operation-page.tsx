import type { ComponentChildren } from 'preact'
import { Page } from '../../design/content/page.tsx'
import { EmptyState } from '../../design/content/states.tsx'
import { isOperator } from '../../session/session.ts'
import { SettingsPage, type SettingsTab } from '../../shell/settings-page.tsx'

const tabs: readonly SettingsTab[] = [
  ['Overview', '/operation'],
  ['Dead letters', '/operation/dead-letters'],
  ['Failed jobs', '/operation/jobs'],
]

interface OperationPageProps {
  readonly title: string
  readonly meta?: ComponentChildren
  readonly children: ComponentChildren
}

/** For those who operate the installation; the routes refuse everybody else. */
export function OperationPage(props: OperationPageProps) {
  if (isOperator.value) return <SettingsPage {...props} section="Operation" tabs={tabs} />
  return (
    <Page title={props.title}>
      <EmptyState icon="lock" title="For operators only">
        <p>Owners of the organization that this installation was set up with see this page.</p>
      </EmptyState>
    </Page>
  )
}
