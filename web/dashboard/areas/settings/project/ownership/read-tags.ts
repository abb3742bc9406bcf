export type ReadTags =
  | { readonly kind: 'tags'; readonly tags: Readonly<Record<string, string>> }
  | { readonly kind: 'error'; readonly rule: string }

/** Tags as they are typed: `component=worker, region=eu`. The first equals sign ends the key. */
export function readTags(text: string): ReadTags {
  const tags = new Map<string, string>()
  for (const part of text.split(/[,\n]/)) {
    const pair = part.trim()
    if (pair === '') continue
    const at = pair.indexOf('=')
    const key = pair.slice(0, Math.max(at, 0)).trim()
    const value = pair.slice(at + 1).trim()
    if (at < 1 || key === '' || value === '') {
      return {
        kind: 'error',
        rule: `write key=value, separated by commas, not "${pair.slice(0, 80)}"`,
      }
    }
    tags.set(key, value)
  }
  return { kind: 'tags', tags: Object.fromEntries(tags) }
}
