/**
 * Ids of imported ideas. The ending is made of what the row says, so a file that is imported twice finds its ideas again. The first
 * characters are the rank of the row among those with the same time: an export in the order of (created_at, id) lists them as the file
 * does. An id without a rank is as good, and is what rows without a time get.
 */
import { v5 as uuidv5 } from 'uuid'

const rankCharacters = 4
/** Ranks are lower: four hexadecimal digits. */
export const rankMax = 16 ** rankCharacters
export const idEndingCharacters = 36 - rankCharacters

/** @param projectId the namespace: the same row in another project is another idea. */
export function rowId(said: string, projectId: string): string {
  return uuidv5(said, projectId)
}

export function rankedId(id: string, rank: number): string {
  return rank.toString(16).padStart(rankCharacters, '0') + endingOf(id)
}

export function endingOf(id: string): string {
  return id.slice(-idEndingCharacters)
}
