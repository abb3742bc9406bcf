/** The pages of the side bar and of the command palette. */
import type { IconName } from '../design/icon.tsx'

export interface NavigationItem {
  readonly label: string
  /** Below a project when it starts without a slash. */
  readonly path: string
  readonly icon: IconName
  /** Two keys that open it. */
  readonly keys?: string
  /** A number of the project's overview that is shown beside it. */
  readonly count?:
    | 'unresolved_issues'
    | 'triage'
    | 'failed_monitors'
    | 'ideas_to_moderate'
    | 'new_feedback'
    | 'alerts_failing'
  /** For those who operate the installation only. */
  readonly operatorsOnly?: boolean
}

export interface NavigationGroup {
  readonly label: string
  readonly items: readonly NavigationItem[]
}

export const navigation: readonly NavigationGroup[] = [
  {
    label: 'Errors',
    items: [
      { label: 'Issues', path: 'issues', icon: 'bug', keys: 'g i', count: 'unresolved_issues' },
      { label: 'Triage', path: 'triage', icon: 'triage', keys: 'g t', count: 'triage' },
      { label: 'Releases', path: 'releases', icon: 'tag', keys: 'g r' },
      { label: 'Monitors', path: 'monitors', icon: 'clock', keys: 'g m', count: 'failed_monitors' },
      { label: 'Alerts', path: 'alerts', icon: 'bell', keys: 'g a', count: 'alerts_failing' },
      { label: 'Outcomes', path: 'outcomes', icon: 'filter', keys: 'g o' },
      { label: 'Quota', path: 'quota', icon: 'gauge', keys: 'g q' },
    ],
  },
  {
    label: 'Ideas',
    items: [
      { label: 'Ideas', path: 'ideas', icon: 'lightbulb', keys: 'g d' },
      {
        label: 'Moderation',
        path: 'moderation',
        icon: 'shield',
        keys: 'g n',
        count: 'ideas_to_moderate',
      },
      { label: 'Feedback', path: 'feedback', icon: 'comment', keys: 'g f', count: 'new_feedback' },
      { label: 'Portal', path: 'portal', icon: 'globe' },
    ],
  },
  {
    label: 'Email',
    items: [
      { label: 'Campaigns', path: '/email/campaigns', icon: 'send', keys: 'g c' },
      { label: 'Contacts', path: '/email/contacts', icon: 'people', keys: 'g p' },
      { label: 'Newsletters', path: '/email/newsletters', icon: 'mail' },
      { label: 'Send log', path: '/email/sends', icon: 'list' },
      { label: 'Suppressions', path: '/email/suppressions', icon: 'block' },
      { label: 'Bounces', path: '/email/bounces', icon: 'undo' },
      { label: 'Sending domains', path: '/email/domains', icon: 'globe' },
      { label: 'Email settings', path: '/email/settings', icon: 'settings' },
    ],
  },
  {
    label: 'Settings',
    items: [
      { label: 'Project', path: 'settings', icon: 'settings', keys: 'g s' },
      { label: 'Organization', path: '/organization', icon: 'people' },
      { label: 'Operation', path: '/operation', icon: 'pulse', operatorsOnly: true },
    ],
  },
]

/** Items below a project need one. */
export function hrefOfItem(
  item: NavigationItem,
  projectId: string | undefined,
): string | undefined {
  if (item.path.startsWith('/')) return item.path
  return projectId === undefined ? undefined : `/projects/${projectId}/${item.path}`
}
