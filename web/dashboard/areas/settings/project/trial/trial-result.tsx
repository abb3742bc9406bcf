import { Badge } from '../../../../design/content/badge.tsx'
import { CodeBlock } from '../../../../design/content/copy.tsx'
import { DataTable } from '../../../../design/content/data-table.tsx'
import { countOf, formatNumber } from '../../../../design/content/format.ts'
import type { Reply } from '../../../../http/request.ts'
import { markChanges } from './mark-changes.ts'

export const attempt = 'POST /api/v1/projects/{project_id}/settings/try'
export type TrialReply = Reply<typeof attempt>

const filterLabels: Readonly<Record<string, string>> = {
  browser_extensions: 'Browser extensions',
  legacy_browsers: 'Legacy browsers',
  localhost: 'Localhost',
  web_crawlers: 'Web crawlers',
  releases: 'Releases',
  error_messages: 'Error messages',
}

/** The verdict, what is removed, and what would be stored. */
export function TrialResult({ result }: { readonly result: TrialReply }) {
  const { outcome, removed, is_complete: isComplete, event, changes, stored } = result
  const isRead = outcome === 'stored' || outcome === 'filtered'
  return (
    <>
      <p class="trial-verdict">
        <Verdict result={result} />
      </p>
      {result.source === 'stored' && <RemovedBefore removed={result.removed_before} />}
      {isRead && removed.length === 0 && <p>Nothing would be removed from this event.</p>}
      {removed.length > 0 && (
        <>
          {!isComplete && (
            <p>
              More is removed than is shown; the first {countOf(removed.length, 'field')}, and the
              first {formatNumber(changes.length)} marked values:
            </p>
          )}
          <Removals label="What is removed" removed={removed} />
        </>
      )}
      {isRead && (
        <CodeBlock label="The event after scrubbing" code={JSON.stringify(event, null, 2)}>
          {markChanges(event, changes).map(({ text, rules }, index) =>
            rules === undefined ? (
              text
            ) : (
              <mark key={index} class="trial-mark" title={`Removed: ${rules.join(', ')}`}>
                {text}
              </mark>
            ),
          )}
        </CodeBlock>
      )}
      {stored !== null && (
        <details class="trial-stored">
          <summary>What is stored, after normalizing</summary>
          <CodeBlock label="Payload" code={JSON.stringify(stored, null, 2)} />
        </details>
      )}
    </>
  )
}

function Verdict({ result: { outcome, filter, reason, detail } }: { readonly result: TrialReply }) {
  switch (outcome) {
    case 'stored':
      return (
        <>
          <Badge tone="success">Kept</Badge> No filter matches: the event would be stored.
        </>
      )
    case 'filtered':
      return (
        <>
          <Badge tone="warning">Dropped</Badge> By the filter{' '}
          <strong>{filterLabels[filter?.name ?? ''] ?? filter?.name}</strong>
          <Why filter={filter} /> Nothing of it would be stored.
        </>
      )
    case 'rejected':
      return (
        <>
          <Badge tone="danger">Rejected</Badge> The event is not valid: {detail} (
          <code>{reason}</code>).
        </>
      )
    case 'unsupported':
      return (
        <>
          <Badge>Not stored</Badge> Items of this type are counted and not stored (
          <code>{reason}</code>).
        </>
      )
  }
}

function Why({ filter }: { readonly filter: TrialReply['filter'] }) {
  if (filter?.value == null) return '.'
  if (filter.rule === null) {
    return (
      <>
        : the user agent is <code>{filter.value}</code>.
      </>
    )
  }
  return (
    <>
      : <code>{filter.rule}</code> matches <code>{filter.value}</code>.
    </>
  )
}

function RemovedBefore({ removed }: { readonly removed: TrialReply['removed_before'] }) {
  if (removed.length === 0) {
    return <p class="soft small">Nothing was removed from this event when it was stored.</p>
  }
  return (
    <details class="trial-stored">
      <summary>
        {countOf(removed.length, 'removal')} when the event was stored: what was there is gone
      </summary>
      <Removals label="What was removed before" removed={removed} />
    </details>
  )
}

function Removals({
  label,
  removed,
}: {
  readonly label: string
  readonly removed: TrialReply['removed']
}) {
  return (
    <DataTable
      label={label}
      items={removed}
      keyOf={({ field, rule }) => `${field} ${rule}`}
      columns={[
        { head: 'Field', cell: ({ field }) => <code>{field}</code> },
        { head: 'Rule', cell: ({ rule }) => rule },
      ]}
    />
  )
}
