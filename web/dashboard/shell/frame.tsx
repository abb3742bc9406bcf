import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { IconButton } from '../design/button.tsx'
import { Avatar, Badge } from '../design/content/badge.tsx'
import { formatCompact } from '../design/content/format.ts'
import { Icon } from '../design/icon.tsx'
import { asProblem } from '../http/problem.ts'
import { useRead } from '../http/use-read.ts'
import { useShortcuts } from '../keyboard/shortcuts.ts'
import { connectLive, isLive } from '../live/live-updates.ts'
import { isOperator, logOut, me, switchOrganization } from '../session/session.ts'
import { setTheme, type Theme, theme, themes } from '../theme/theme.ts'
import { lastProject, projectIdIn, rememberProject } from '../url/use-project.ts'
import { CommandPalette } from './command-palette.tsx'
import { HelpDialog } from './help-dialog.tsx'
import { hrefOfItem, type NavigationGroup, type NavigationItem, navigation } from './navigation.ts'
import { ProjectSelect } from './project-select.tsx'
import { runLatestAction } from './toast-list.ts'
import { type Counts, useOverview } from './use-overview.ts'
import './css/frame.css'

/** Side bar, command palette and shortcuts around every page. */
export function Frame({ children }: { readonly children: ComponentChildren }) {
  const { path, route } = useLocation()
  const projects = useRead('GET /api/v1/organization/projects', {}).data?.items
  const remembered = lastProject()
  const known = projects?.find(({ id }) => id === remembered) ?? projects?.[0]
  const given = projectIdIn(path)
  // The reply about the project may come before the list of all.
  const isRefused = asProblem(useOverview(given).problem)?.status === 404
  const isUnknown = isRefused || projects?.some(({ id }) => id === given) === false
  const projectId = given === undefined || isUnknown ? known?.id : given
  const [isNavigationOpen, setNavigationOpen] = useState(false)
  const [dialog, setDialog] = useState<'palette' | 'help'>()
  useEffect(() => {
    if (given !== undefined && !isUnknown) rememberProject(given)
  }, [given, isUnknown])
  useEffect(() => setNavigationOpen(false), [path])
  useEffect(() => {
    connectLive(projectId, true)
  }, [projectId])
  useEffect(() => () => connectLive(undefined, false), [])

  useShortcuts([
    {
      keys: 'Mod+k',
      label: 'Command palette',
      group: 'Everywhere',
      run: () => setDialog('palette'),
    },
    { keys: '?', label: 'Keyboard shortcuts', group: 'Everywhere', run: () => setDialog('help') },
    { keys: 'z', label: 'Undo', group: 'Everywhere', run: runLatestAction },
    ...navigation.flatMap((group) =>
      group.items.flatMap((item) => {
        const href = hrefOfItem(item, projectId)
        if (item.keys === undefined || href === undefined) return []
        return [{ keys: item.keys, label: item.label, group: 'Go to', run: () => route(href) }]
      }),
    ),
  ])

  return (
    <div class="frame">
      <a class="skip-link" href="#content">
        Skip to the content
      </a>
      <header class="frame-bar">
        <IconButton
          label="Navigation"
          icon="menu"
          aria-expanded={isNavigationOpen}
          onClick={() => setNavigationOpen(!isNavigationOpen)}
        />
        <a href="/" class="brand">
          <Brand />
        </a>
        <IconButton
          label="Search and commands"
          icon="search"
          onClick={() => setDialog('palette')}
        />
      </header>
      <SideBar
        path={path}
        projectId={projectId}
        isOpen={isNavigationOpen}
        onPalette={() => setDialog('palette')}
        onHelp={() => setDialog('help')}
      />
      <main id="content" class="frame-main" tabIndex={-1}>
        {children}
      </main>
      {dialog === 'palette' && (
        <CommandPalette projectId={projectId} onClose={() => setDialog(undefined)} />
      )}
      {dialog === 'help' && <HelpDialog onClose={() => setDialog(undefined)} />}
    </div>
  )
}

function Brand() {
  return (
    <>
      <img src="/favicon.svg" width={20} height={20} alt="" />
      <span>Sluice</span>
    </>
  )
}

interface SideBarProps {
  readonly path: string
  readonly projectId: string | undefined
  readonly isOpen: boolean
  readonly onPalette: () => void
  readonly onHelp: () => void
}

function SideBar({ path, projectId, isOpen, onPalette, onHelp }: SideBarProps) {
  const counts = useOverview(projectId).data?.counts
  return (
    <aside class="sidebar" aria-label="Navigation" data-open={isOpen}>
      <div class="sidebar-head">
        <a href="/" class="brand">
          <Brand />
        </a>
        {!isLive.value && (
          <Badge tone="warning" title="The connection for live updates is lost. Retrying.">
            Offline
          </Badge>
        )}
      </div>
      <ProjectSelect projectId={projectId} />
      <button
        type="button"
        class="sidebar-search"
        title="Search and commands"
        aria-keyshortcuts="Control+K Meta+K"
        onClick={onPalette}
      >
        <Icon name="search" size={14} />
        <span class="truncate">Search</span>
        <kbd class="kbd">Ctrl K</kbd>
      </button>
      <nav class="sidebar-nav" aria-label="Main">
        {navigation.map((group) => (
          <SideBarGroup
            key={group.label}
            group={group}
            path={path}
            projectId={projectId}
            counts={counts}
          />
        ))}
      </nav>
      <PersonBox onHelp={onHelp} />
    </aside>
  )
}

interface SideBarGroupProps {
  readonly group: NavigationGroup
  readonly path: string
  readonly projectId: string | undefined
  readonly counts: Counts | undefined
}

/** Without a project, a group of pages below one has no items, and no heading either. */
function SideBarGroup({ group, path, projectId, counts }: SideBarGroupProps) {
  const items = group.items.flatMap((item) => {
    const href = hrefOfItem(item, projectId)
    const isHidden = item.operatorsOnly === true && !isOperator.value
    return href === undefined || isHidden ? [] : [{ item, href }]
  })
  if (items.length === 0) return null
  return (
    <section>
      <h2>{group.label}</h2>
      <ul>
        {items.map(({ item, href }) => (
          <SideBarItem
            key={item.path}
            item={item}
            path={path}
            href={href}
            count={item.count === undefined ? undefined : counts?.[item.count]}
          />
        ))}
      </ul>
    </section>
  )
}

function SideBarItem({
  item,
  path,
  href,
  count,
}: {
  readonly item: NavigationItem
  readonly path: string
  readonly href: string
  readonly count: number | undefined
}) {
  const isCurrent = path === href || path.startsWith(`${href}/`)
  return (
    <li>
      <a href={href} aria-current={isCurrent ? 'page' : undefined}>
        <Icon name={item.icon} />
        <span>{item.label}</span>
        {count !== undefined && count > 0 && <span class="nav-count">{formatCompact(count)}</span>}
      </a>
    </li>
  )
}

function nextTheme(): Theme {
  return themes[(themes.indexOf(theme.value) + 1) % themes.length] ?? 'system'
}

function PersonBox({ onHelp }: { readonly onHelp: () => void }) {
  const person = me.value
  if (person === null || person === undefined) return null
  return (
    <div class="person-box">
      {person.organizations.length > 1 && (
        <select
          class="input select"
          aria-label="Organization"
          value={person.organization.id}
          onChange={(event) => {
            const id = event.currentTarget.value
            void switchOrganization(id).then(() => location.assign('/'))
          }}
        >
          {person.organizations.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      )}
      <div class="person-line">
        <a href="/account" class="person-link" title={person.email}>
          <Avatar name={person.name} />
          <span class="person-name">
            <span class="truncate">{person.name}</span>
            {person.role === 'viewer' && (
              <span class="soft" title="Viewers read everything; members and owners make changes.">
                Viewer
              </span>
            )}
          </span>
        </a>
        <IconButton
          size="s"
          label={`Theme: ${theme.value}`}
          icon={theme.value === 'dark' ? 'moon' : theme.value === 'light' ? 'sun' : 'settings'}
          onClick={() => setTheme(nextTheme())}
        />
        <IconButton size="s" label="Keyboard shortcuts" icon="help" onClick={onHelp} />
        <IconButton size="s" label="Log out" icon="logout" onClick={() => void logOut()} />
      </div>
    </div>
  )
}
