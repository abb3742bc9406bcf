import { CodedError } from '#schemas/error-codes.ts'
import { UsageError } from './usage-error.ts'

/**
 * Runs an action. If it refuses a value, the error names the flag instead of the field. `flags`
 * maps fields of the action's input to flags, as in `{ scheduledAt: '--at' }`.
 */
export async function nameFlags<T>(
  flags: Readonly<Record<string, string>>,
  action: () => Promise<T>,
): Promise<T> {
  try {
    return await action()
  } catch (error) {
    if (!(error instanceof CodedError)) throw error
    const field = error.details?.[0]?.field ?? ''
    const flag = Object.hasOwn(flags, field) ? flags[field] : undefined
    if (flag === undefined) throw error
    const message = error.message
      .replace(`\`${field}\`:`, () => `${flag} is not valid:`)
      .replace(`${field}:`, () => `${flag}:`)
    throw new UsageError(message, { cause: error })
  }
}
