/**
 * Ids of imported ideas. The last characters are a hash of the row, so that a repeated import finds
 * its ideas. The first characters are the rank of the row among rows with the same time, so that an
 * export in the order of (created_at, id) keeps the order of the file. A row without a time has no
 * rank.
 */
import { v5 as uuidv5 } from 'uuid'

const rankCharacters = 4
/** Exclusive bound of a rank: four hexadecimal digits. */
export const rankMax = 16 ** rankCharacters
export const idEndingCharacters = 36 - rankCharacters

/** @param projectId namespace: the same row in another project is another idea. */
export function rowId(said: string, projectId: string): string {
  return uuidv5(said, projectId)
}

export function rankedId(id: string, rank: number): string {
  return rank.toString(16).padStart(rankCharacters, '0') + endingOf(id)
}

export function endingOf(id: string): string {
  return id.slice(-idEndingCharacters)
}
