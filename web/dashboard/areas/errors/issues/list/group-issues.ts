/** Loaded issues in groups. The order within a group is that of the list. */
import type { Issue } from '../../../../generated/api.d.ts'
import type { Grouping } from '../issues-state.ts'

export interface GroupedIssue {
  readonly issue: Issue
  /** Set for the first issue of a group. */
  readonly head?: { readonly label: string; readonly count: number } | undefined
}

const levelOrder = ['fatal', 'error', 'warning', 'info', 'debug']
const noRelease = 'No release'

export function groupIssues(issues: readonly Issue[], by: Grouping): readonly GroupedIssue[] {
  if (by === 'none') return issues.map((issue) => ({ issue }))
  const groups = new Map<string, Issue[]>()
  for (const issue of issues) {
    const label = by === 'level' ? issue.level : (issue.last_release ?? noRelease)
    const group = groups.get(label)
    if (group === undefined) groups.set(label, [issue])
    else group.push(issue)
  }
  const rankOf = (label: string) =>
    by === 'level' ? (levelOrder.indexOf(label) + 6) % 6 : Number(label === noRelease)
  return [...groups]
    .sort(([a], [b]) => rankOf(a) - rankOf(b))
    .flatMap(([label, group]) =>
      group.map((issue, index) =>
        index === 0
          ? { issue, head: { label: by === 'level' ? headOf(label) : label, count: group.length } }
          : { issue },
      ),
    )
}

function headOf(label: string): string {
  return label.charAt(0).toUpperCase() + label.slice(1)
}
