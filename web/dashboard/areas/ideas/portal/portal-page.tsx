import { Page, Tabs } from '../../../design/content/page.tsx'
import { Loaded } from '../../../design/content/states.tsx'
import { useRead } from '../../../http/use-read.ts'
import { canWrite } from '../../../session/session.ts'
import { useProjectId } from '../../../url/use-project.ts'
import { useSearchParams } from '../../../url/use-search-params.ts'
import { PortalAppearance } from './appearance/portal-appearance.tsx'
import { PortalEmbed } from './portal-embed.tsx'
import { PortalRules } from './portal-rules.tsx'
import { portalSettings } from './portal-settings.ts'
import { PortalSignIn } from './sign-in/portal-sign-in.tsx'
import { PortalUsers } from './users/portal-users.tsx'
import './portal.css'

const tabs = [
  { name: 'appearance', label: 'Appearance' },
  { name: 'rules', label: 'Rules' },
  { name: 'sign-in', label: 'Sign-in' },
  { name: 'users', label: 'Users' },
  { name: 'embed', label: 'Links and embedding' },
] as const

export function PortalPage() {
  const projectId = useProjectId()
  const { get } = useSearchParams()
  const tab = tabs.find(({ name }) => name === get('tab'))?.name ?? 'appearance'
  const read = useRead(portalSettings, { params: { project_id: projectId } })
  return (
    <Page
      title="Portal"
      wide
      meta={!canWrite.value && <span>Viewers cannot change these settings.</span>}
      actions={
        read.data !== undefined && (
          <a
            class="button button-plain button-m"
            href={`/portal/${read.data.project_key}`}
            target="_blank"
            rel="noopener"
          >
            Open the portal
          </a>
        )
      }
      bar={
        <Tabs
          label="Parts of the portal"
          tabs={tabs.map(({ name, label }) => ({
            label,
            href: name === 'appearance' ? location.pathname : `${location.pathname}?tab=${name}`,
            current: name === tab,
          }))}
        />
      }
    >
      <Loaded read={read}>
        {(settings) => {
          const props = { projectId, settings }
          switch (tab) {
            case 'appearance':
              return <PortalAppearance key={projectId} {...props} />
            case 'rules':
              return <PortalRules key={projectId} {...props} />
            case 'sign-in':
              return <PortalSignIn {...props} />
            case 'users':
              return <PortalUsers projectId={projectId} />
            case 'embed':
              return <PortalEmbed settings={settings} />
          }
        }}
      </Loaded>
    </Page>
  )
}
