/** Something the person at the terminal can mend: one sentence on standard error, exit code 1. */
export class UsageError extends Error {
  override readonly name = 'Mistake'
}
