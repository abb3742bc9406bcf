/**
 * Deletes the events of issues that were deleted. Postgres says which rows those are (`issue_deletions`), in a way that time does
 * not change, so the job may stop anywhere, run twice or run beside itself. Ids of the last day are kept first: a copy of a
 * deleted event is a copy all the same, and must not come back as a new one.
 */

/** Rows with one of the hashes, up to where each partition was committed when the issue was deleted. */
export interface DeletedRows {
  readonly projectId: number
  /** As UUIDs. */
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
  /** The oldest that are not finished. */
  readonly listUnfinished: (limit: number) => Promise<readonly IssueDeletion[]>
  readonly keepIds: (rows: readonly DeletedRows[]) => Promise<void>
  /** Resolves when no row is left, and rejects when that takes too long: it goes on by itself. */
  readonly deleteRows: (rows: readonly DeletedRows[]) => Promise<void>
  readonly finish: (ids: readonly string[]) => Promise<void>
}

const deletionsAtOnce = 50
/** They stand in the text of the query. */
const hashesPerQueryMax = 2_000

export async function deleteIssueEvents(ctx: DeletionContext): Promise<void> {
  while (true) {
    const deletions = await ctx.listUnfinished(deletionsAtOnce)
    if (deletions.length === 0) return
    for (const rows of packRows(deletions)) {
      await ctx.keepIds(rows)
      await ctx.deleteRows(rows)
    }
    await ctx.finish(deletions.map(({ id }) => id))
  }
}

/** Each pack in one query. An issue with more hashes than fit goes into several. */
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
