import { createHash } from 'node:crypto'
import { monitorSlug } from '../wire/monitor-slug.ts'

/**
 * 16 bytes, the same for every spelling of one monitor's slug: its check-ins meet in one partition, in order, and whoever reads
 * that partition keeps the monitor's clock. That two monitors share a key does no harm.
 */
export function monitorPartitionKey(slug: string): Uint8Array {
  return createHash('sha256')
    .update(monitorSlug(slug) ?? '')
    .digest()
    .subarray(0, 16)
}
