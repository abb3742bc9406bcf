import type { ComponentChildren } from 'preact'
import { useLocation } from 'preact-iso'
import { Page, Tabs } from '../../design/content/page.tsx'
import { EmptyState } from '../../design/content/states.tsx'
import { isOperator } from '../../session/session.ts'

const tabs = [
  ['Overview', '/operation'],
  ['Dead letters', '/operation/dead-letters'],
  ['Failed jobs', '/operation/jobs'],
] as const

/** For those who operate the installation; the routes refuse everybody else. */
export function OperationPage({
  title,
  meta,
  children,
}: {
  readonly title: string
  readonly meta?: ComponentChildren
  readonly children: ComponentChildren
}) {
  const { path } = useLocation()
  if (!isOperator.value) {
    return (
      <Page title={title}>
        <EmptyState icon="lock" title="For operators only">
          <p>Owners of the organization that this installation was set up with see this page.</p>
        </EmptyState>
      </Page>
    )
  }
  return (
    <Page
      title={title}
      meta={meta}
      bar={
        <Tabs
          label="Operation"
          tabs={tabs.map(([label, href]) => ({ label, href, current: path === href }))}
        />
      }
    >
      {children}
    </Page>
  )
}
