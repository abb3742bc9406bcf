/**
 * Lists issues with so many users, without counting the users of all issues: Postgres lists issues
 * in their order, and the users of each step are counted, until the page is full.
 */
import type { ProjectId } from '#schemas/ids.ts'
import type { NumberRange } from '#schemas/search/number-range.ts'
import type { ApiContext } from '../../context.ts'
import { type IssueFilter, listIssues, type StoredIssue, type StoredSort } from '../issue-store.ts'
import { readUserCounts } from '../sums/issue-sums.ts'

interface ListByUsers {
  readonly projectId: ProjectId
  readonly filter: IssueFilter
  /** An issue must have a number of users that is in all of them. */
  readonly users: readonly NumberRange[]
  readonly sort: StoredSort
  readonly after: readonly [position: string | number, id: string] | undefined
  readonly limit: number
}

/** Issues of one step, as many as their hashes usually fit into one query. */
const stepIssues = 250
const stepsMax = 6

/** Undefined if few issues match: then it is faster to count the users of all issues at once. */
export async function listByUsers(
  ctx: ApiContext,
  { users, ...list }: ListByUsers,
): Promise<StoredIssue[] | undefined> {
  const { projectId } = list
  const nowMs = ctx.clock.nowMs()
  const filter = withEnoughEvents(list.filter, users)
  const found: StoredIssue[] = []
  let { after } = list
  for (let step = 1; step <= stepsMax; step += 1) {
    const issues = await listIssues(ctx.pg, { ...list, filter, after, limit: stepIssues })
    const usersOf = await readUserCounts(ctx.clickhouse, { projectId, issues, nowMs })
    const matches = ({ id }: StoredIssue) =>
      users.every(({ from, to }) => from <= usersOf(id) && usersOf(id) <= to)
    found.push(...issues.filter(matches).slice(0, list.limit - found.length))
    if (found.length >= list.limit || issues.length < stepIssues) return found
    if ((found.length / step) * stepsMax < list.limit) return undefined
    const last = issues.at(-1)!
    after = [last.position, last.id]
  }
  return undefined
}

/** An issue has at most as many users as events. */
function withEnoughEvents(filter: IssueFilter, users: readonly NumberRange[]): IssueFilter {
  const from = Math.max(...users.map((range) => range.from))
  if (from <= 1) return filter
  return {
    ...filter,
    search: {
      conditions: (bind) => [
        ...(filter.search?.conditions(bind) ?? []),
        `i.count >= ${bind(from)}`,
      ],
    },
  }
}
