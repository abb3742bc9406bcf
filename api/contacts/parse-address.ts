import { type ParsedEmailAddress, parseEmailAddress } from '#schemas/email-address.ts'
import { invalidField } from '../http/validation/invalid-field.ts'

/** Parses the field `email` of a request, or throws the error that names the rule it broke. */
export function parseAddress(text: string): Extract<ParsedEmailAddress, { kind: 'address' }> {
  const parsed = parseEmailAddress(text)
  if (parsed.kind === 'invalid') throw invalidField('email', parsed.rule)
  return parsed
}
