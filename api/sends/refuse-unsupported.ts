import type { FieldError } from '#schemas/error-codes.ts'
import { invalidFields } from '../http/validation/invalid-field.ts'

/** Names what a field of another product would have done, before the schema says only that it is unknown. */
export function refuseUnsupported(body: unknown, unsupported: Readonly<Record<string, string>>) {
  if (typeof body !== 'object' || body === null) return
  const details = Object.keys(body)
    .filter((key) => Object.hasOwn(unsupported, key))
    .map((field): FieldError => ({ field, rule: unsupported[field]! }))
  const [first, ...others] = details
  if (first !== undefined) throw invalidFields([first, ...others])
}
