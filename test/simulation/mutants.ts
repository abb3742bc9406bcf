/**
 * Mistakes that somebody could make, each as a change of one place of the product. What the simulation says of them shows
 * what it is worth (run-mutants.ts).
 */
export interface Mutant {
  readonly name: string
  readonly file: string
  /** Stands exactly once in the file. */
  readonly find: string
  readonly replace: string
}

export const mutants: readonly Mutant[] = [
  {
    name: 'ids enter the window before the range is committed',
    file: 'workers/partitions/digest-partition.ts',
    find: '    const result = await this.#insertAndCommit(owned, range, end)\n',
    replace:
      '    enterAccepted(owned.window, range.found, end.acceptedRecords)\n    const result = await this.#insertAndCommit(owned, range, end)\n',
  },
]
