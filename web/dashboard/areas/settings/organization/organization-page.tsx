import type { ComponentChildren } from 'preact'
import { useLocation } from 'preact-iso'
import { Page, Tabs } from '../../../design/content/page.tsx'
import { isOwner, me } from '../../../session/session.ts'

const tabs = [
  ['People', '/organization'],
  ['Teams', '/organization/teams'],
  ['Projects', '/organization/projects'],
  ['API Tokens', '/organization/tokens'],
  ['API keys', '/organization/api-keys'],
  ['Webhooks', '/organization/webhooks'],
  ['Audit log', '/organization/audit'],
  ['Data', '/organization/data'],
] as const

/** The settings of an organization; each tab is a page of its own. */
export function OrganizationPage({
  title,
  actions,
  children,
}: {
  readonly title: string
  readonly actions?: ComponentChildren
  readonly children: ComponentChildren
}) {
  const { path } = useLocation()
  return (
    <Page
      title={title}
      meta={
        <>
          <span>{me.value?.organization.name}</span>
          {!isOwner.value && <span>Only owners can change these settings.</span>}
        </>
      }
      actions={actions}
      bar={
        <Tabs
          label="Organization"
          tabs={tabs.map(([label, href]) => ({ label, href, current: path === href }))}
        />
      }
    >
      {children}
    </Page>
  )
}
