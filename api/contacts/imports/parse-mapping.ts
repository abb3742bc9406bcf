import { ImportMapping } from '#schemas/rest/email/contact-import.ts'
import { invalidField } from '../../http/validation/invalid-field.ts'
import { checkValue } from '../../http/validation/validation-rules.ts'

/** Parses the JSON that maps columns. Errors name the field, as in `mapping.email`. */
export function parseMapping(text: string | undefined): ImportMapping {
  if (text === undefined) return {}
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    throw invalidField('mapping', 'must be JSON')
  }
  const parsed = checkValue(ImportMapping, json, 'mapping')
  if (parsed.success) return parsed.data
  const [{ field, rule }] = parsed.errors
  throw invalidField(field === 'mapping' ? field : `mapping.${field}`, rule)
}
