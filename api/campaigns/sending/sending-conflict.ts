import { CodedError } from '#schemas/error-codes.ts'
import type { StoredCampaign } from '../campaign-store.ts'

/**
 * The conflict of a step that the campaign's state does not allow. `wanted`: `paused`, `resumed`
 * and so on.
 */
export function sendingConflict(wanted: string, { state }: Pick<StoredCampaign, 'state'>) {
  return new CodedError('conflict', {
    message: `It cannot be ${wanted}: the campaign is ${state}.`,
  })
}
