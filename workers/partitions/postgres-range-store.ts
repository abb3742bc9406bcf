import type { Pool } from '#platform/postgres.ts'
import type { IngestLayout } from '#schemas/bus/layout.ts'
import type { ProjectId } from '#schemas/ids.ts'
import { AlertRuleCache } from '../alerts/alert-rule-cache.ts'
import type { AlertRules } from '../alerts/alert-rules.ts'
import { readBursts } from '../commit/burst-store.ts'
import { commitRange, rehearseRange } from '../commit/commit-store.ts'
import type { IdWindow } from '../dedup/id-window.ts'
import { itemIdsAmong, readItemIds } from '../dedup/item-id-store.ts'
import type { LateId } from '../dedup/known-ids.ts'
import type { Burst } from '../digest/bursting-kinds.ts'
import type { StoredSettings } from '../digest/project-rules.ts'
import { readSettings } from '../digest/project-settings-store.ts'
import type { IssueRules } from '../issue-owners/issue-rules.ts'
import { readIssueRules } from '../issue-owners/issue-rules-store.ts'
import { beginGeneration, planRangeUnlessHeld, readCursor, takeOverCursor } from './cursor-store.ts'
import type {
  CommitResult,
  Cursor,
  RangeCommit,
  RangePlan,
  RangeStore,
  StreamState,
  TakenPartition,
} from './ports.ts'

export class PostgresRangeStore implements RangeStore {
  readonly #pg: Pool

  readonly #layout: IngestLayout
  readonly #alertRules: AlertRuleCache

  constructor(pg: Pool, layout: IngestLayout = { first: 0, partitions: 1, streams: 1 }) {
    this.#pg = pg
    this.#layout = layout
    this.#alertRules = new AlertRuleCache(pg)
  }

  takeOver(partition: number, stream: StreamState): Promise<TakenPartition> {
    return takeOverCursor(this.#pg, partition, stream)
  }

  beginGeneration(cursor: Cursor, stream: StreamState): Promise<Cursor> {
    return beginGeneration(this.#pg, cursor, stream)
  }

  async readSamplers(
    projectIds: readonly ProjectId[],
  ): Promise<readonly (readonly [ProjectId, number])[]> {
    const { rows } = await this.#pg.query<{ dsn_id: ProjectId; issue_events_per_minute: number }>(
      `select dsn_id, issue_events_per_minute from projects
       where dsn_id = any($1) and issue_events_per_minute is not null order by dsn_id`,
      [projectIds],
    )
    return rows.map((row) => [row.dsn_id, row.issue_events_per_minute])
  }

  readSettings(projectIds: readonly ProjectId[]): Promise<StoredSettings> {
    return readSettings(this.#pg, projectIds)
  }

  readBursts(projectIds: readonly ProjectId[]): Promise<readonly Burst[]> {
    return readBursts(this.#pg, projectIds)
  }

  readIssueRules(projectIds: readonly ProjectId[]): Promise<readonly IssueRules[]> {
    return readIssueRules(this.#pg, projectIds)
  }

  readAlertRules(projectIds: readonly ProjectId[]): Promise<readonly AlertRules[]> {
    return this.#alertRules.read(projectIds)
  }

  plan(cursor: Cursor, plan: RangePlan): Promise<Cursor> {
    return planRangeUnlessHeld(this.#pg, cursor, plan)
  }

  commit(commit: RangeCommit): Promise<CommitResult> {
    return commitRange(this.#pg, commit, this.#layout)
  }

  rehearse(commit: RangeCommit, plan: RangePlan): Promise<void> {
    return rehearseRange(this.#pg, commit, { plan, layout: this.#layout })
  }

  readItemIds(partition: number, window: IdWindow): Promise<void> {
    return readItemIds(this.#pg, { partition, first: this.#layout.first }, window)
  }

  itemIdsAmong(partition: number, ids: readonly LateId[]): Promise<readonly boolean[]> {
    return itemIdsAmong(this.#pg, { partition, first: this.#layout.first }, ids)
  }

  readCursor(partition: number): Promise<Cursor> {
    return readCursor(this.#pg, partition)
  }
}
