import { useState } from 'preact/hooks'
import { Button } from '../../../../design/button.tsx'
import { Badge } from '../../../../design/content/badge.tsx'
import { countOf } from '../../../../design/content/format.ts'
import { Panel } from '../../../../design/content/page.tsx'
import { Loaded } from '../../../../design/content/states.tsx'
import { Time } from '../../../../design/content/time.tsx'
import { shortText } from '../../../../design/text/visible-text.ts'
import { request } from '../../../../http/request.ts'
import { runChange } from '../../../../http/run-change.ts'
import type { Item } from '../../../../http/use-pages.ts'
import { useRead } from '../../../../http/use-read.ts'
import { canWrite } from '../../../../session/session.ts'
import { forgetIssue, splitOff } from '../actions/change-issue.ts'
import { MergeDialog } from '../actions/merge-dialog.tsx'
import { hashesRead, type IssueDetail, readsOfIssues } from '../issue-reads.ts'
import { GroupingReason } from './grouping-reason.tsx'
import { hashesToSplit } from './hashes-to-split.ts'

interface GroupingTabProps {
  readonly projectId: string
  readonly issue: IssueDetail
}

type Hash = Item<typeof hashesRead>

/** Why these events are one issue, and how to change that. */
export function GroupingTab({ projectId, issue }: GroupingTabProps) {
  const read = useRead(
    hashesRead,
    { params: { project_id: projectId, issue_id: issue.id } },
    { topics: ['issues'] },
  )
  return (
    <div class="stack">
      <Panel title="Why these events are one issue">
        <GroupingReason issue={issue} />
      </Panel>
      <Loaded read={read}>
        {({ items }) => <HashPanel projectId={projectId} issue={issue} hashes={items} />}
      </Loaded>
    </div>
  )
}

function HashPanel({
  projectId,
  issue,
  hashes,
}: GroupingTabProps & { readonly hashes: readonly Hash[] }) {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [isMerging, setMerging] = useState(false)
  const groups = hashes.filter(({ count }) => count > 0)
  const selected = groups.filter(({ hash }) => chosen.has(hash))
  const isAll = selected.length === groups.length
  const toggle = (hash: string) => {
    const next = new Set(chosen)
    if (!next.delete(hash)) next.add(hash)
    setChosen(next)
  }
  const split = () => {
    setChosen(new Set())
    void splitHashes({ projectId, issue, hashes: hashesToSplit(hashes, chosen) })
  }
  const mayChange = canWrite.value
  return (
    <Panel
      title={countOf(groups.length, 'group')}
      flush
      actions={
        mayChange && (
          <>
            {groups.length > 1 && (
              <Button
                size="s"
                disabled={selected.length === 0 || isAll}
                title={isAll && selected.length > 0 ? 'One group must stay in the issue.' : ''}
                onClick={split}
              >
                {selected.length > 0 ? `Split off ${selected.length}` : 'Split off the selected'}
              </Button>
            )}
            <Button size="s" icon="merge" onClick={() => setMerging(true)}>
              Merge into another issue
            </Button>
          </>
        )
      }
    >
      <ul class="issue-list" aria-label="Groups of this issue">
        {groups.map((entry) => (
          <li key={entry.hash}>
            {mayChange && groups.length > 1 && (
              <input
                type="checkbox"
                class="check"
                aria-label={`Select the group ${entry.hash.slice(0, 8)}`}
                checked={chosen.has(entry.hash)}
                onChange={() => toggle(entry.hash)}
              />
            )}
            <HashText projectId={projectId} entry={entry} />
            <span class="number">{countOf(entry.count, 'event')}</span>
            <Time at={entry.last_seen} />
          </li>
        ))}
      </ul>
      {hashes.length > groups.length && (
        <p class="issue-groups-rest soft small">
          {countOf(hashes.length - groups.length, 'further hash', 'further hashes')} of the issue
          without events of their own: such events would be added to this issue, too.
        </p>
      )}
      {isMerging && (
        <MergeDialog projectId={projectId} issue={issue} onClose={() => setMerging(false)} />
      )}
    </Panel>
  )
}

function HashText({ projectId, entry }: { readonly projectId: string; readonly entry: Hash }) {
  return (
    <div class="issue-list-text">
      <p>{shortText(entry.title ?? 'Its events have expired', 300)}</p>
      <p class="soft small">
        <code title={entry.hash}>{entry.hash.slice(0, 8)}</code>
        {entry.culprit !== null && entry.culprit !== '' && <> · {shortText(entry.culprit, 160)}</>}
        {' · '}
        {shortText(entry.summary, 400)}
      </p>
      {entry.came_from !== null && (
        <p class="small">
          <Badge tone="info">merged</Badge>{' '}
          <span class="soft">
            Splitting it off gives it back to{' '}
            <a href={`/projects/${projectId}/issues/${entry.came_from.id}`}>
              {entry.came_from.short_id}
            </a>
            .
          </span>
        </p>
      )}
    </div>
  )
}

async function splitHashes({
  projectId,
  issue,
  hashes,
}: GroupingTabProps & { readonly hashes: readonly string[] }): Promise<void> {
  await runChange({
    send: () => splitOff(projectId, issue.id, hashes),
    done: ({ issues }) =>
      `Split off ${countOf(hashes.length, 'group')} into ${issues.map(({ short_id }) => short_id).join(', ')}.`,
    // What was split off comes back by a merge of each issue that it went to.
    undo: async ({ issues }) => {
      for (const { id } of issues) await mergeBack(projectId, id, issue.id)
      forgetIssue()
    },
    refetch: [...readsOfIssues],
  })
  forgetIssue()
}

function mergeBack(projectId: string, issueId: string, into: string) {
  return request('POST /api/v1/projects/{project_id}/issues/{issue_id}/merge', {
    params: { project_id: projectId, issue_id: issueId },
    body: { into },
  })
}
