import { createHash } from 'node:crypto'
import { monitorSlug } from '../wire/monitor-slug.ts'

/**
 * 16 bytes, equal for all spellings of a monitor's slug: its check-ins are in one partition, in
 * order, and the worker that reads the partition maintains the monitor's clock. Two monitors may
 * share a key.
 */
export function monitorPartitionKey(slug: string): Uint8Array {
  return createHash('sha256')
    .update(monitorSlug(slug) ?? '')
    .digest()
    .subarray(0, 16)
}
