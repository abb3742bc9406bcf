import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { IconButton } from '../../../../design/button.tsx'
import { writeClipboard } from '../../../../design/content/copy.tsx'
import { Time } from '../../../../design/content/time.tsx'
import { Icon, type IconName } from '../../../../design/icon.tsx'
import { Menu } from '../../../../design/overlays/menu.tsx'
import { messageOf } from '../../../../http/problem.ts'
import { request } from '../../../../http/request.ts'
import { useShortcuts } from '../../../../keyboard/shortcuts.ts'
import { showToast } from '../../../../shell/toast-list.ts'
import { useSearchParams } from '../../../../url/use-search-params.ts'
import type { EventDetail, IssueDetail } from '../issue-reads.ts'
import { ticketText } from '../payload/ticket-text.ts'
import { RawJsonDialog } from './raw-json-dialog.tsx'

interface EventBarProps {
  readonly projectId: string
  readonly issue: IssueDetail | undefined
  readonly event: EventDetail
  /** Another event is being read; this one is still shown. */
  readonly isChanging: boolean
}

/** Which event is shown, the way to the others, and what can be taken along. */
export function EventBar({ projectId, issue, event, isChanging }: EventBarProps) {
  const { get, set } = useSearchParams()
  const { path } = useLocation()
  const { previous_event_id: previous, next_event_id: next } = event
  const go = (id: string | null) => {
    if (id !== null) set({ event: id }, 'replace')
  }
  const older = () => go(previous)
  const newer = () => go(next)
  useShortcuts([
    { keys: '[', label: 'Previous (older) event', group: 'Event', run: older },
    { keys: ',', label: 'Previous (older) event', group: 'Event', run: older },
    { keys: ']', label: 'Next (newer) event', group: 'Event', run: newer },
    { keys: '.', label: 'Next (newer) event', group: 'Event', run: newer },
  ])
  return (
    <div class="issue-event-bar">
      <p class="issue-event-name" aria-busy={isChanging}>
        <strong>
          Event <code title={event.id}>{event.id.slice(0, 8)}</code>
        </strong>
        <Time at={event.timestamp} />
        {event.stands_for > 0 && (
          <span class="soft">stands for {event.stands_for.toLocaleString('en')} more</span>
        )}
      </p>
      <nav class="issue-event-ways" aria-label="Events of this issue">
        <Way
          label="First event"
          href={`${path}?event=oldest`}
          isOff={previous === null}
          icon="first"
        />
        <Way
          label="Previous event"
          href={hrefOf(path, previous)}
          isOff={previous === null}
          icon="older"
        />
        <Way label="Next event" href={hrefOf(path, next)} isOff={next === null} icon="newer" />
        <Way label="Last event" href={`${path}?event=latest`} isOff={next === null} icon="last" />
      </nav>
      <CopyMenu projectId={projectId} issue={issue} event={event} />
      <IconButton
        size="s"
        label="Raw JSON"
        icon="code"
        onClick={() => set({ raw: '1' }, 'replace')}
      />
      {get('raw') === '1' && (
        <RawJsonDialog event={event} onClose={() => set({ raw: undefined }, 'replace')} />
      )}
    </div>
  )
}

const icons = {
  first: 'arrowLeft',
  older: 'chevronLeft',
  newer: 'chevronRight',
  last: 'arrowRight',
} as const satisfies Record<string, IconName>

function Way({
  label,
  href,
  isOff,
  icon,
}: {
  readonly label: string
  readonly href: string
  readonly isOff: boolean
  readonly icon: keyof typeof icons
}) {
  const look = 'button button-plain button-s button-icon'
  if (isOff) return <IconButton kind="plain" size="s" label={label} icon={icons[icon]} disabled />
  return (
    <a class={look} href={href} aria-label={label} title={label}>
      <Icon name={icons[icon]} />
    </a>
  )
}

function hrefOf(path: string, eventId: string | null): string {
  return eventId === null ? path : `${path}?event=${eventId}`
}

function CopyMenu({ projectId, issue, event }: Omit<EventBarProps, 'isChanging'>) {
  const [isBusy, setBusy] = useState(false)
  const copy = async (what: string, read: () => Promise<string> | string) => {
    setBusy(true)
    try {
      await writeClipboard(await read())
      showToast({ kind: 'done', text: `Copied ${what}.` })
    } catch (error) {
      showToast({ kind: 'error', text: messageOf(error) })
    } finally {
      setBusy(false)
    }
  }
  const address = () => new URL(`${location.pathname}?event=${event.id}`, location.href).href
  const issueId = issue?.id ?? event.issue_id ?? ''
  const brief = async () => {
    const params = { project_id: projectId, issue_id: issueId }
    const reply = await request(briefRoute, { params })
    return reply.text()
  }
  const eventBrief = async () => {
    const params = { project_id: projectId, event_id: event.id }
    const reply = await request(eventBriefRoute, { params })
    return reply.text()
  }
  const link = () => void copy('the link', address)
  useShortcuts([{ keys: 'c l', label: 'Copy the link to this event', group: 'Event', run: link }])
  return (
    <Menu
      label="Copy"
      icon="copy"
      size="s"
      disabled={isBusy}
      actions={[
        {
          label: 'Issue as Markdown, for an assistant',
          run: () => void copy('the issue as Markdown', brief),
        },
        {
          label: 'This event as Markdown, for an assistant',
          run: () => void copy('the event as Markdown', eventBrief),
        },
        {
          label: 'Summary as Markdown, for a ticket',
          run: () =>
            void copy('the summary', () => ticketText({ issue, event, address: address() })),
        },
        { label: 'Link to this event', keys: 'c l', run: link },
        { label: 'Event id', run: () => void copy('the event id', () => event.id) },
      ]}
    />
  )
}

const briefRoute = 'GET /api/v1/projects/{project_id}/issues/{issue_id}.md'
const eventBriefRoute = 'GET /api/v1/projects/{project_id}/events/{event_id}.md'
