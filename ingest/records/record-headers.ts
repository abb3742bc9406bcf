/**
 * Builds the JSON header of a record. Component, client and SDK are equal in all requests of an
 * SDK, so their part of the text is cached and only `sent_at` is appended.
 */
import type { EventId } from '#schemas/ids.ts'

const entriesMax = 4096
const componentCharactersMax = 200

export class RecordHeaders {
  /**
   * By component, then by client. Both are free text, so no separator could join them into one key.
   */
  readonly #prefixes = new Map<string | undefined, Map<string, Prefix>>()
  #entryCount = 0

  /** @param sentAt contains no character that JSON escapes. */
  json(
    component: string | undefined,
    client: string,
    sdk: string,
    sentAt: string | undefined,
  ): string {
    const known = this.#prefixes.get(component)?.get(client)
    // One client has one SDK, except while its name is counted as `other` in a project.
    const prefix = known?.sdk === sdk ? known.text : this.#keep(component, client, sdk)
    if (sentAt === undefined) return prefix === '' ? '' : `{${prefix}}`
    return prefix === '' ? `{"sent_at":"${sentAt}"}` : `{${prefix},"sent_at":"${sentAt}"}`
  }

  /** The header of a record that names its item type and envelope. */
  itemJson(headerJson: string, item: string | undefined, envelopeId: EventId | undefined): string {
    const fields = headerJson === '' ? [] : [headerJson.slice(1, -1)]
    if (item !== undefined) fields.push(`"item":${JSON.stringify(item)}`)
    if (envelopeId !== undefined) fields.push(`"envelope_id":"${envelopeId}"`)
    return fields.length === 0 ? '' : `{${fields.join(',')}}`
  }

  #keep(component: string | undefined, client: string, sdk: string): string {
    if (this.#entryCount >= entriesMax) {
      this.#prefixes.clear()
      this.#entryCount = 0
    }
    let ofComponent = this.#prefixes.get(component)
    if (ofComponent === undefined) {
      ofComponent = new Map()
      this.#prefixes.set(component, ofComponent)
    }
    const text = prefixOf(component, client, sdk)
    if (!ofComponent.has(client)) this.#entryCount += 1
    ofComponent.set(client, { sdk, text })
    return text
  }
}

interface Prefix {
  readonly sdk: string
  readonly text: string
}

function prefixOf(component: string | undefined, client: string, sdk: string): string {
  const parts: string[] = []
  if (component !== undefined) {
    parts.push(`"component":${JSON.stringify(component.slice(0, componentCharactersMax))}`)
  }
  if (client !== '') parts.push(`"client":${JSON.stringify(client)}`)
  if (sdk !== '') parts.push(`"sdk":${JSON.stringify(sdk)}`)
  return parts.join(',')
}
