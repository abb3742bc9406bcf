import { Badge } from '../../../../design/content/badge.tsx'
import { DataTable } from '../../../../design/content/data-table.tsx'
import type { Reply } from '../../../../http/request.ts'
import { projectPath } from '../../../../url/use-project.ts'
import './grouping.css'

export const attempt = 'POST /api/v1/projects/{project_id}/grouping/try'
export type GroupingReply = Reply<typeof attempt>
type Side = GroupingReply['before']

/** What the rules change for one event, which of them match, and why it is grouped so. */
export function GroupingResult({
  projectId,
  result,
}: {
  readonly projectId: string
  readonly result: GroupingReply
}) {
  const { before, after, changes, rules, is_complete: isComplete } = result
  const issueOf = (side: Side) =>
    side.issue === null ? (
      'a new issue'
    ) : (
      <a class="text-link" href={projectPath(projectId, `issues/${side.issue.id}`)}>
        {side.issue.short_id}
      </a>
    )
  const rows = [
    { what: 'Issue', isChanged: changes.includes('issue'), of: issueOf },
    { what: 'Title', isChanged: changes.includes('title'), of: (side: Side) => side.title },
    { what: 'Culprit', isChanged: changes.includes('culprit'), of: (side: Side) => side.culprit },
    {
      what: 'Hash',
      isChanged: changes.includes('hashes'),
      of: (side: Side) => <code class="grouping-hash">{side.hashes[0]?.hash}</code>,
    },
  ]
  return (
    <>
      <p class="trial-verdict">
        {changes.length === 0 ? (
          <>
            <Badge>Same</Badge> The event is grouped as before.
          </>
        ) : changes.includes('issue') ? (
          <>
            <Badge tone="warning">Changed</Badge> Such an event would belong to {issueOf(after)}.
          </>
        ) : (
          <>
            <Badge tone="success">Changed</Badge> Such an event would stay in its issue.
          </>
        )}
      </p>
      {!isComplete && (
        <p role="alert">
          The rules take too long for this event: some were not tried. Use fewer rules, or globs
          with fewer stars.
        </p>
      )}
      {rules.length === 0 ? (
        <p class="soft">No rule matches this event.</p>
      ) : (
        <DataTable
          label="Rules that match"
          items={rules}
          keyOf={({ kind, line }) => `${kind} ${line}`}
          columns={[
            {
              head: 'Rule that matches',
              cell: ({ kind, line }) =>
                `${kind === 'fingerprint' ? 'Fingerprint' : 'Stack trace'}, line ${line}`,
            },
            { head: 'Line', cell: ({ source }) => <code class="grouping-source">{source}</code> },
          ]}
        />
      )}
      <DataTable
        label="Before and after"
        items={rows}
        keyOf={({ what }) => what}
        columns={[
          { head: '', cell: ({ what }) => what },
          { head: 'Stored rules', cell: ({ of }) => of(before) },
          {
            head: 'Rules as typed',
            cell: ({ of, isChanged }) =>
              isChanged ? <strong>{of(after)}</strong> : <span class="soft">the same</span>,
          },
        ]}
      />
      <p>{after.explanation.summary}</p>
    </>
  )
}
