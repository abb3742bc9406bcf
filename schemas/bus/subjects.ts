/**
 * Subjects on the bus. One stream contains all partitions, or several share them
 * (platform/nats/stream-of-partition.ts).
 */
export const ingestStream = 'INGEST'

export function ingestSubject(partition: number): string {
  return `ingest.${partition}`
}
