/** Names on the bus. One stream holds every partition, or several share them: platform/nats/stream-of-partition.ts. */
export const ingestStream = 'INGEST'

export function ingestSubject(partition: number): string {
  return `ingest.${partition}`
}
