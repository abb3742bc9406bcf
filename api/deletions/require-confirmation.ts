import { CodedError } from '#schemas/error-codes.ts'

/** @param given undefined when the caller has confirmed in another way. */
export function requireConfirmation(given: string | undefined, name: string): void {
  if (given === undefined || given === name) return
  const rule = 'must be the name of what is deleted, as it is displayed'
  throw new CodedError('validation_failed', {
    message: `\`confirm\`: ${rule}.`,
    details: [{ field: 'confirm', rule }],
  })
}
