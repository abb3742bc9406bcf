/**
 * The number of a text field; null when it is empty. Anything else is sent as typed, so that the
 * API refuses it with the rule of the field.
 */
export function numberOrNull(text: string): number | null {
  const trimmed = text.trim()
  if (trimmed === '') return null
  return /^-?\d{1,15}$/.test(trimmed) ? Number(trimmed) : (trimmed as never)
}
