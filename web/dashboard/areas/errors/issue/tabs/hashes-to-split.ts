/** Which hashes leave an issue with the groups that a person has selected. */
interface SplitHash {
  readonly hash: string
  readonly count: number
  /** The merged issue that gets the hash back. */
  readonly came_from: { readonly id: string } | null
}

/**
 * The selected ones. When all groups that came from one merged issue are selected, its hashes
 * without events go with them, so that the merge is undone as a whole.
 */
export function hashesToSplit(
  hashes: readonly SplitHash[],
  chosen: ReadonlySet<string>,
): readonly string[] {
  const isLeaving = ({ hash, count, came_from: from }: SplitHash) => {
    if (chosen.has(hash)) return true
    if (count > 0 || from === null) return false
    const siblings = hashes.filter((one) => one.count > 0 && one.came_from?.id === from.id)
    return siblings.length > 0 && siblings.every((one) => chosen.has(one.hash))
  }
  return hashes.filter(isLeaving).map(({ hash }) => hash)
}
