import { useEffect, useMemo, useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { Button } from '../../../design/button.tsx'
import { countOf } from '../../../design/content/format.ts'
import { WindowedList } from '../../../design/content/windowed-list.tsx'
import type { Issue } from '../../../generated/api.d.ts'
import type { Pages } from '../../../http/use-pages.ts'
import { useRead } from '../../../http/use-read.ts'
import { useShortcuts } from '../../../keyboard/shortcuts.ts'
import { canWrite, me } from '../../../session/session.ts'
import { projectPath } from '../../../url/use-project.ts'
import { ChangeDialog, type ChangeKind } from '../changes/change-dialog.tsx'
import { changeIssues, changeMatching, issueCount } from '../changes/change-issues.ts'
import { whatOf } from '../changes/describe-change.ts'
import type { Assignee, IssueChange } from '../changes/issue-after.ts'
import { BulkBar } from './bulk-bar.tsx'
import { DeleteDialog, MergeDialog } from './bulk-dialogs.tsx'
import type { IssuesState } from './issues-state.ts'
import { groupIssues } from './list/group-issues.ts'
import { IssueRow } from './list/issue-row.tsx'
import { ListHead } from './list/list-head.tsx'
import { useSelection } from './list/use-selection.ts'
import { MatchingDialog, whatMatches } from './matching-dialog.tsx'
import { type IssueFilter, wordsOf } from './period.ts'

interface IssueListProps {
  readonly projectId: string
  readonly state: IssuesState
  readonly onState: (change: Partial<IssuesState>) => void
  readonly filter: IssueFilter
  readonly pages: Pages<Issue>
  readonly items: readonly Issue[]
}

const rowHeight = 53
const rowsOnScreen = 10
/** Groups are of what is loaded, so more is loaded before they are shown. */
const groupedMax = 200
/** Each deleted issue is one request. */
const deletedMax = 100

/** Where the person was, for the way back from an issue. */
const lastCurrent = new Map<string, string>()

type Ask =
  | { readonly kind: ChangeKind | 'merge' | 'delete' }
  | { readonly kind: 'matching'; readonly change: IssueChange; readonly assignee?: Assignee }

export function IssueList({ projectId, state, onState, filter, pages, items }: IssueListProps) {
  const { route } = useLocation()
  const [current, setCurrentId] = useState(lastCurrent.get(projectId))
  const [ask, setAsk] = useState<Ask>()
  const selection = useSelection(items)
  const counted = useRead(
    issueCount,
    { params: { project_id: projectId }, query: filter },
    { enabled: selection.isAll },
  )
  const rows = useMemo(() => groupIssues(items, state.group), [items, state.group])
  const chosen = items.filter(({ id }) => selection.ids.has(id))
  const currentIssue = items.find(({ id }) => id === current)
  const targets = chosen.length > 0 ? chosen : currentIssue === undefined ? [] : [currentIssue]
  const canSelect = canWrite.value
  const isGrouped = state.group !== 'none'
  useEffect(() => {
    if (isGrouped && items.length < groupedMax) pages.loadMore()
  }, [isGrouped, items.length, pages.isFetching])

  // Back from an issue: the row that was opened is on the screen.
  useEffect(() => {
    const place = rows.findIndex(({ issue }) => issue.id === current)
    if (place >= rowsOnScreen) window.scrollTo(0, (place - 2) * rowHeight)
  }, [])

  const setCurrent = (id: string | undefined) => {
    setCurrentId(id)
    if (id !== undefined) lastCurrent.set(projectId, id)
  }
  const change = (given: IssueChange, assignee?: Assignee) => {
    if (selection.isAll) {
      setAsk({ kind: 'matching', change: given, ...(assignee === undefined ? {} : { assignee }) })
      return
    }
    if (targets.length === 0) return
    void changeIssues(projectId, targets, given, assignee)
    if (chosen.length === 0)
      setCurrent(
        neighbourOf(
          rows.map(({ issue }) => issue.id),
          current,
        ),
      )
    selection.clear()
  }
  const open = (kind: ChangeKind | 'merge' | 'delete') => {
    if (targets.length > 0) setAsk({ kind })
  }
  const mine = me.value
  useShortcuts(
    canSelect
      ? [
          key('e', 'Resolve', () => change({ status: 'resolved' })),
          key('E', 'Resolve in a release', () => open('resolve')),
          key('i', 'Ignore', () => open('ignore')),
          key('a', 'Assign', () => open('assign')),
          key('A', 'Assign to me', () => {
            if (mine != null) change({ assignee: mine.id }, { ...mine, kind: 'person' })
          }),
          key('m', 'Merge the selected issues', () => {
            if (chosen.length > 1) setAsk({ kind: 'merge' })
          }),
          key('Escape', 'Clear the selection', selection.clear),
        ]
      : [],
  )
  const what = selection.isAll
    ? whatMatches(counted.data)
    : whatOf(targets.map(({ short_id }) => short_id))
  const close = () => setAsk(undefined)
  return (
    <div class={chosen.length > 0 ? 'issue-selecting' : undefined}>
      <ListHead {...{ state, onState, selection, items, canSelect }} />
      {chosen.length > 0 && (
        <BulkBar
          count={chosen.length}
          isAll={selection.isAll}
          matching={counted.data}
          onSelectAll={pages.hasMore ? selection.setAll : undefined}
          onChange={change}
          onDialog={(kind) => setAsk({ kind })}
          onClear={selection.clear}
        />
      )}
      <WindowedList
        label="Issues"
        items={rows}
        keyOf={({ issue }) => issue.id}
        rowHeight={rowHeight}
        current={current}
        onCurrent={setCurrent}
        onOpen={({ issue }) => route(projectPath(projectId, `issues/${issue.id}`))}
        {...(canSelect
          ? { onSelect: ({ issue }: { readonly issue: Issue }) => selection.toggle(issue, false) }
          : {})}
        {...(isGrouped ? {} : { onEnd: pages.loadMore })}
        renderRow={({ issue, head }) => (
          <>
            {head !== undefined && (
              <div class="issue-group">
                {head.label}
                <span class="soft number">{head.count}</span>
              </div>
            )}
            <IssueRow
              issue={issue}
              projectId={projectId}
              columns={state.columns}
              isSelected={selection.ids.has(issue.id)}
              canSelect={canSelect}
              onSelect={(one, isRange) => {
                setCurrent(one.id)
                selection.toggle(one, isRange)
              }}
            />
          </>
        )}
      />
      <div class="issue-end" role="status">
        {pages.isLoadingMore
          ? 'Loading more issues…'
          : !pages.hasMore
            ? `${countOf(items.length, 'issue')} ${wordsOf(state.period)}`
            : isGrouped && (
                <Button size="s" onClick={pages.loadMore}>
                  Load more
                </Button>
              )}
        {!pages.hasMore && state.period !== 'all' && (
          <Button size="s" kind="quiet" onClick={() => onState({ period: 'all' })}>
            Show all time
          </Button>
        )}
      </div>
      {ask?.kind === 'matching' ? (
        <MatchingDialog
          query={state.query}
          period={state.period}
          counted={counted}
          change={ask.change}
          assignee={ask.assignee}
          onConfirm={() => {
            void changeMatching(projectId, filter, ask.change, ask.assignee)
            selection.clear()
          }}
          onClose={close}
        />
      ) : ask?.kind === 'merge' ? (
        <MergeDialog
          projectId={projectId}
          issues={chosen}
          onDone={selection.clear}
          onClose={close}
        />
      ) : ask?.kind === 'delete' ? (
        <DeleteDialog
          projectId={projectId}
          issues={targets.slice(0, deletedMax)}
          onDone={selection.clear}
          onClose={close}
        />
      ) : (
        ask !== undefined && (
          <ChangeDialog
            kind={ask.kind}
            projectId={projectId}
            what={what}
            onChange={change}
            onClose={close}
          />
        )
      )}
    </div>
  )
}

function key(keys: string, label: string, run: () => void) {
  return { keys, label, run, group: 'Issues' }
}

/** The next row, because the present one may leave the list. */
function neighbourOf(ids: readonly string[], id: string | undefined): string | undefined {
  const index = id === undefined ? -1 : ids.indexOf(id)
  return ids[index + 1] ?? ids[index - 1]
}
