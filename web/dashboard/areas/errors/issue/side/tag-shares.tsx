import { formatNumber, formatShare } from '../../../../design/content/format.ts'
import { shortText } from '../../../../design/text/visible-text.ts'
import { eventsHref } from '../crash/event-tags.tsx'
import type { IssueDetail } from '../issue-reads.ts'
import { fieldTerm, tagTerm } from '../payload/search-term.ts'

interface TagSharesProps {
  readonly projectId: string
  readonly issue: IssueDetail
  readonly max: number
  readonly valuesMax: number
}

/** How the values of each tag are distributed. A value opens the events that have it. */
export function TagShares({ projectId, issue, max, valuesMax }: TagSharesProps) {
  return (
    <div class="issue-shares">
      {Object.entries(issue.tags)
        .slice(0, max)
        .map(([key, values]) => (
          <TagShare
            key={key}
            tag={key}
            values={values}
            valuesMax={valuesMax}
            total={issue.count}
            hrefOf={(value) => eventsHref(projectId, issue.id, termOf(issue, key, value))}
          />
        ))}
    </div>
  )
}

/** A fact of every event is searched by its field. */
function termOf(issue: IssueDetail, key: string, value: string): string {
  return issue.derived_tags.includes(key) ? fieldTerm(key, value) : tagTerm(key, value)
}

interface TagShareProps {
  readonly tag: string
  readonly values: readonly { readonly value: string; readonly count: number }[]
  readonly valuesMax: number
  /** Events of the issue; some of them may have no such tag. */
  readonly total: number
  readonly hrefOf: (value: string) => string
}

function TagShare({ tag, values, valuesMax, total, hrefOf }: TagShareProps) {
  const sum = Math.max(
    1,
    total,
    values.reduce((all, { count }) => all + count, 0),
  )
  const shown = values.slice(0, valuesMax)
  return (
    <section aria-label={`Tag ${shortText(tag, 60)}`}>
      <h3>{shortText(tag, 60)}</h3>
      <ul>
        {shown.map(({ value, count }) => (
          <li key={value}>
            <a href={hrefOf(value)} title={`${formatNumber(count)} events`}>
              <span class="issue-share-bar" style={{ width: `${(count / sum) * 100}%` }} />
              <span class="issue-share-name">
                {shortText(value === '' ? '(empty)' : value, 80)}
              </span>
              <span class="number">{formatShare(count / sum, 0)}</span>
            </a>
          </li>
        ))}
      </ul>
      {values.length > shown.length && (
        <p class="soft small">and {formatNumber(values.length - shown.length)} more</p>
      )}
    </section>
  )
}
