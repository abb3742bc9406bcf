import { CodedError } from '#schemas/error-codes.ts'
import type { StoredCampaign } from './campaign-store.ts'

/**
 * The conflict when a campaign is updated or deleted after its sending was started or scheduled.
 */
export function notADraft({ state }: Pick<StoredCampaign, 'state'>): CodedError {
  const message = `Only a draft can be updated or deleted; this campaign is ${state}.`
  return new CodedError('conflict', { message })
}
