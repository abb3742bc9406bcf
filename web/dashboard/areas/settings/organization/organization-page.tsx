import type { ComponentChildren } from 'preact'
import { isOwner, me } from '../../../session/session.ts'
import { SettingsPage, type SettingsTab } from '../../../shell/settings-page.tsx'

const tabs: readonly SettingsTab[] = [
  ['People', '/organization'],
  ['Teams', '/organization/teams'],
  ['Projects', '/organization/projects'],
  ['API tokens', '/organization/tokens'],
  ['API keys', '/organization/api-keys'],
  ['Webhooks', '/organization/webhooks'],
  ['Audit log', '/organization/audit'],
  ['Data', '/organization/data'],
]

export function OrganizationPage(props: {
  readonly title: string
  readonly actions?: ComponentChildren
  readonly children: ComponentChildren
}) {
  return (
    <SettingsPage
      {...props}
      section="Organization"
      tabs={tabs}
      owner={me.value?.organization.name}
      readOnly={isOwner.value ? undefined : 'Only owners can change these settings.'}
    />
  )
}
