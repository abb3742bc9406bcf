/**
 * Settles an ingest instance that ended without its write-ahead log and will not come back, so that
 * a change of the number of partitions need not wait a day for it. What only that log held is lost.
 */

import { z } from 'zod'
import { CodedError } from '#schemas/error-codes.ts'
import type { Postgres } from '../database.ts'
import { settleSilentInstance, silentSeconds } from './partition-store.ts'

export interface SettledInstance {
  readonly instanceId: string
}

export async function settleInstance(
  pg: Postgres,
  { instanceId }: { readonly instanceId: string },
): Promise<SettledInstance> {
  if (!z.guid().safeParse(instanceId).success) {
    throw new CodedError('validation_failed', {
      message: '`instance` must be an id that `partitions show` lists.',
      details: [{ field: 'instance', rule: 'must be a UUID' }],
    })
  }
  const state = await settleSilentInstance(pg, instanceId)
  if (state === 'settled') return { instanceId }
  if (state === 'unknown') {
    throw new CodedError('not_found', {
      message: `No ingest instance that is not settled has the id ${instanceId}.`,
    })
  }
  throw new CodedError('conflict', {
    message: `Ingest instance ${instanceId} has reported within the last ${silentSeconds} s: restart it instead.`,
  })
}
