/**
 * An error that the user of the command line can fix: one sentence on standard error, exit code 1.
 */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}
