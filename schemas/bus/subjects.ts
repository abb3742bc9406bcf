/** Names on the bus. One stream holds every partition; more streams would only be a mapping from partition to stream. */
export const ingestStream = 'INGEST'

export function ingestSubject(partition: number): string {
  return `ingest.${partition}`
}
