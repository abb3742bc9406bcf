import type { ComponentChildren } from 'preact'
import { useLocation } from 'preact-iso'
import { Page, Tabs } from '../design/content/page.tsx'

/** Label and path. */
export type SettingsTab = readonly [label: string, href: string]

interface SettingsPageProps {
  /** What the tabs belong to: `Project settings`. */
  readonly section: string
  readonly tabs: readonly SettingsTab[]
  readonly title: string
  /** Whose settings these are. */
  readonly owner?: string | undefined
  /** Why this person changes nothing here; undefined if they may. */
  readonly readOnly?: string | undefined
  readonly meta?: ComponentChildren
  readonly actions?: ComponentChildren
  readonly children: ComponentChildren
}

/** The head of all settings; each tab is a page of its own. */
export function SettingsPage(props: SettingsPageProps) {
  const { section, tabs, title, owner, readOnly, meta, actions, children } = props
  const { path } = useLocation()
  return (
    <Page
      title={title}
      meta={
        <>
          {owner !== undefined && <span>{owner}</span>}
          {readOnly !== undefined && <span>{readOnly}</span>}
          {meta}
        </>
      }
      actions={actions}
      bar={
        <Tabs
          label={section}
          tabs={tabs.map(([label, href]) => ({ label, href, current: path === href }))}
        />
      }
    >
      {children}
    </Page>
  )
}
