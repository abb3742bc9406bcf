import { useState } from 'preact/hooks'
import { Button } from '../../../../design/button.tsx'
import { Panel } from '../../../../design/content/page.tsx'
import { shortText } from '../../../../design/text/visible-text.ts'
import type { EventDetail } from '../issue-reads.ts'
import { fieldTerm, tagTerm } from '../payload/search-term.ts'

const shownAtFirst = 30

interface EventTagsProps {
  readonly projectId: string
  readonly issueId: string | undefined
  readonly event: EventDetail
}

/** The tags of this event; each opens the events of the issue that have it, too. */
export function EventTags({ projectId, issueId, event }: EventTagsProps) {
  const fields = (['component', 'logger'] as const).flatMap((name) => {
    const value = event[name]
    return value === null ? [] : [{ name, value, term: fieldTerm(name, value) }]
  })
  const tags = Object.entries(event.tags).map(([name, value]) => ({
    name,
    value,
    term: event.derived_tags.includes(name) ? fieldTerm(name, value) : tagTerm(name, value),
  }))
  const all = [...fields, ...tags]
  const [isAll, setAll] = useState(false)
  const shown = isAll ? all : all.slice(0, shownAtFirst)
  return (
    <Panel title={`Tags (${all.length})`}>
      <ul class="issue-tags">
        {shown.map(({ name, value, term }) => (
          <li key={term}>
            <a
              href={eventsHref(projectId, issueId ?? event.issue_id ?? '', term)}
              title={`Events of this issue with ${shortText(term, 300)}`}
            >
              <span class="issue-tag-name">{shortText(name, 60)}</span>
              <span class="issue-tag-value">{shortText(value, 200)}</span>
            </a>
          </li>
        ))}
      </ul>
      {shown.length < all.length && (
        <p class="issue-tags-more">
          <Button size="s" onClick={() => setAll(true)}>
            Show all {all.length}
          </Button>
        </p>
      )}
    </Panel>
  )
}

export function eventsHref(projectId: string, issueId: string, query: string): string {
  const search = new URLSearchParams({ tab: 'events', query })
  return `/projects/${projectId}/issues/${issueId}?${search}`
}
