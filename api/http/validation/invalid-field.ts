import { CodedError, type FieldError } from '#schemas/error-codes.ts'

/** The error of a field that broke a rule which its schema cannot say. The rule goes on from the field's name: "must be …". */
export function invalidField(field: string, rule: string): CodedError {
  return invalidFields([{ field, rule }])
}

/** The sentence is about the first; the details name all. */
export function invalidFields(details: readonly [FieldError, ...FieldError[]]): CodedError {
  const [{ field, rule }] = details
  const end = /[.?!]$/.test(rule) ? '' : '.'
  return new CodedError('validation_failed', { message: `\`${field}\`: ${rule}${end}`, details })
}
