/** One condition of the search language: `release:"shop@1.4.0"`, `tags[level]:"high"`. */
export function fieldTerm(field: string, value: string): string {
  return `${field}:${quoted(value)}`
}

/** Tags are searched by this form even where a field has the same name. */
export function tagTerm(key: string, value: string): string {
  return `tags[${key}]:${quoted(value)}`
}

function quoted(value: string): string {
  return `"${value.replace(/[\\*]/g, '\\$&').replaceAll('"', '\\"')}"`
}
