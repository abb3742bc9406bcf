import { useId, useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { Kbd } from '../design/content/badge.tsx'
import { Icon, type IconName } from '../design/icon.tsx'
import { Dialog } from '../design/overlays/dialog.tsx'
import { useRead } from '../http/use-read.ts'
import { isOperator, logOut } from '../session/session.ts'
import { setTheme, themes } from '../theme/theme.ts'
import { hrefOfItem, navigation } from './navigation.ts'
import { useDelayed } from './use-delayed.ts'
import './css/command-palette.css'

interface Command {
  readonly id: string
  readonly label: string
  readonly group: string
  readonly icon: IconName
  readonly keys?: string | undefined
  readonly run: () => void
}

const commandsMax = 30
const searchAfterMs = 200

/** Pages, projects, actions, and issues whose title or id matches. */
export function CommandPalette({
  projectId,
  onClose,
}: {
  readonly projectId: string | undefined
  readonly onClose: () => void
}) {
  const { route } = useLocation()
  const [text, setText] = useState('')
  const [index, setIndex] = useState(0)
  const listId = useId()
  const issues = useIssues(projectId, text)
  const projects = useRead('GET /api/v1/organization/projects', {}).data?.items ?? []
  const go = (href: string) => () => route(href)

  const all: Command[] = [
    ...navigation.flatMap((group) =>
      group.items.flatMap((item): Command[] => {
        const href = hrefOfItem(item, projectId)
        if (href === undefined || (item.operatorsOnly === true && !isOperator.value)) return []
        const { label, icon, keys } = item
        return [{ id: href, label, group: group.label, icon, keys, run: go(href) }]
      }),
    ),
    ...(projectId === undefined
      ? []
      : [command('setup', 'Send the first event', 'code', go(`/projects/${projectId}/setup`))]),
    ...projects.map(({ id, name }) =>
      command(`project ${id}`, `Open project ${name}`, 'layers', go(`/projects/${id}/issues`)),
    ),
    ...themes.map((name) =>
      command(`theme ${name}`, `Theme: ${name}`, name === 'dark' ? 'moon' : 'sun', () =>
        setTheme(name),
      ),
    ),
    command('account', 'Your account', 'people', go('/account')),
    command('docs', 'API reference', 'external', () => window.open('/docs', '_blank', 'noopener')),
    command('logout', 'Log out', 'logout', () => void logOut()),
  ]
  const words = text.trim().toLowerCase().split(/\s+/)
  const matching = all.filter(({ label, group }) =>
    words.every((word) => `${group} ${label}`.toLowerCase().includes(word)),
  )
  const found = issues.map(({ id, short_id: shortId, title }): Command => {
    const href = `/projects/${projectId}/issues/${id}`
    return { id, label: `${shortId} ${title}`, group: 'Issues', icon: 'bug', run: go(href) }
  })
  const shown = [...matching, ...found].slice(0, commandsMax)
  const current = Math.min(index, shown.length - 1)
  const run = (chosen: Command | undefined) => {
    if (chosen === undefined) return
    onClose()
    chosen.run()
  }

  return (
    <Dialog title="Search and commands" onClose={onClose}>
      <div class="palette">
        <input
          class="input"
          role="combobox"
          aria-label="Search and commands"
          aria-expanded="true"
          aria-controls={listId}
          aria-activedescendant={current >= 0 ? `${listId}-${current}` : undefined}
          placeholder="Page, project, issue or action"
          autofocus
          value={text}
          onInput={(event) => {
            setText(event.currentTarget.value)
            setIndex(0)
          }}
          onKeyDown={(event) => {
            const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
            if (step !== 0) {
              event.preventDefault()
              setIndex(Math.min(Math.max(current + step, 0), shown.length - 1))
            } else if (event.key === 'Enter') {
              event.preventDefault()
              run(shown[current])
            }
          }}
        />
        <div class="palette-list" role="listbox" aria-label="Results" id={listId}>
          {shown.length === 0 && <p class="soft small">Nothing matches.</p>}
          {shown.map((one, position) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles the keys.
            // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field.
            <div
              key={one.id}
              id={`${listId}-${position}`}
              role="option"
              aria-selected={position === current}
              class="palette-item"
              ref={(node) => {
                if (position === current) node?.scrollIntoView({ block: 'nearest' })
              }}
              onMouseMove={() => setIndex(position)}
              onClick={() => run(one)}
            >
              <Icon name={one.icon} />
              <span class="truncate">{one.label}</span>
              <span class="soft small">{one.group}</span>
              {one.keys !== undefined && <Kbd keys={one.keys} />}
            </div>
          ))}
        </div>
      </div>
    </Dialog>
  )
}

function command(id: string, label: string, icon: IconName, run: () => void): Command {
  return { id, label, group: 'Actions', icon, run }
}

function useIssues(projectId: string | undefined, text: string) {
  const query = useDelayed(text.trim(), searchAfterMs)
  const read = useRead(
    'GET /api/v1/projects/{project_id}/issues',
    { params: { project_id: projectId ?? '' }, query: { query: quoted(query), limit: 8 } },
    { enabled: projectId !== undefined && query.length > 1 },
  )
  return query.length > 1 ? (read.data?.items ?? []) : []
}

/** Typed text is text, not a query: quotes keep `:` and `!` from being operators. */
function quoted(text: string): string {
  return `"${text.replace(/["\\]/g, ' ')}"`
}
