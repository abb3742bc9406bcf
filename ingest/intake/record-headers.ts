/**
 * The JSON header of a record. Component and client are the same for every request of an SDK, so
 * their part of the text is kept and only `sent_at` is put behind it.
 */
const entriesMax = 4096
const componentCharactersMax = 200

export class RecordHeaders {
  readonly #prefixes = new Map<string, string>()

  /** @param sentAt has no character that JSON would escape. */
  json(component: string | undefined, client: string, sentAt: string | undefined): string {
    const cacheKey = component === undefined ? client : `${client}\n${component}`
    let prefix = this.#prefixes.get(cacheKey)
    if (prefix === undefined) {
      prefix = prefixOf(component, client)
      if (this.#prefixes.size >= entriesMax) this.#prefixes.clear()
      this.#prefixes.set(cacheKey, prefix)
    }
    if (sentAt === undefined) return prefix === '' ? '' : `{${prefix}}`
    return prefix === '' ? `{"sent_at":"${sentAt}"}` : `{${prefix},"sent_at":"${sentAt}"}`
  }
}

function prefixOf(component: string | undefined, client: string): string {
  const parts: string[] = []
  if (component !== undefined) {
    parts.push(`"component":${JSON.stringify(component.slice(0, componentCharactersMax))}`)
  }
  if (client !== '') parts.push(`"client":${JSON.stringify(client)}`)
  return parts.join(',')
}
