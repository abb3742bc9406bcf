/**
 * Deletes the events of deleted issues. `issue_deletions` in Postgres identifies their rows in a
 * way that does not change with time, so the job may stop anywhere, run twice or run concurrently.
 * The ids of the last day are stored first: a duplicate of a deleted event must still be recognized
 * as a duplicate.
 */

/**
 * Rows with one of the hashes, up to where each partition was committed when the issue was deleted.
 */
export interface DeletedRows {
  readonly projectId: number
  /** Grouping hashes as UUIDs. */
  readonly hashes: readonly string[]
  readonly committed: readonly {
    readonly partition: number
    readonly generation: number
    readonly committedSeq: number
  }[]
}

export interface IssueDeletion extends DeletedRows {
  readonly id: string
}

export interface DeletionContext {
  /** The oldest unfinished deletions. */
  readonly listUnfinished: (limit: number) => Promise<readonly IssueDeletion[]>
  readonly keepIds: (rows: readonly DeletedRows[]) => Promise<void>
  /** Deletes the rows of the files of these events. */
  readonly deleteAttachments: (rows: readonly DeletedRows[]) => Promise<void>
  /**
   * Resolves when no row is left. Rejects if that takes too long; the deletion continues in the
   * background.
   */
  readonly deleteRows: (rows: readonly DeletedRows[]) => Promise<void>
  readonly finish: (ids: readonly string[]) => Promise<void>
}

const deletionsAtOnce = 50
/** Bounds the length of the query, which contains the hashes. */
const hashesPerQueryMax = 2_000

export async function deleteIssueEvents(ctx: DeletionContext): Promise<void> {
  while (true) {
    const deletions = await ctx.listUnfinished(deletionsAtOnce)
    if (deletions.length === 0) return
    for (const rows of packRows(deletions)) {
      await ctx.keepIds(rows)
      await ctx.deleteAttachments(rows)
      await ctx.deleteRows(rows)
    }
    await ctx.finish(deletions.map(({ id }) => id))
  }
}

/** Packs hashes into queries. An issue with more hashes than fit is split. */
export function packRows(deletions: readonly DeletedRows[]): DeletedRows[][] {
  const packs: DeletedRows[][] = []
  let room = 0
  for (const { projectId, hashes, committed } of deletions) {
    for (let start = 0; start < hashes.length; ) {
      if (room === 0) {
        packs.push([])
        room = hashesPerQueryMax
      }
      const part = hashes.slice(start, start + room)
      packs.at(-1)!.push({ projectId, hashes: part, committed })
      start += part.length
      room -= part.length
    }
  }
  return packs
}
