import { CodedError, type FieldError } from '#schemas/error-codes.ts'

/** The error for a rule that the schema of the field cannot state. The rule reads "must be …". */
export function invalidField(field: string, rule: string): CodedError {
  return invalidFields([{ field, rule }])
}

/** The message names the first field, the details name all. */
export function invalidFields(details: readonly [FieldError, ...FieldError[]]): CodedError {
  const [{ field, rule }] = details
  const end = /[.?!]$/.test(rule) ? '' : '.'
  return new CodedError('validation_failed', { message: `\`${field}\`: ${rule}${end}`, details })
}
