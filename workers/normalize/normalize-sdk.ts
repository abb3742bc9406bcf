/** Reads the name and version of the SDK that wrote the event. */
import type { Draft } from './draft.ts'
import { extraBounds, fieldCharactersMax } from './field-limits.ts'
import { boundObject } from './values/bound-value.ts'
import { cleanText, cutText } from './values/clean-text.ts'
import type { Notes } from './values/notes.ts'
import { type JsonObject, readObject, readText } from './values/read-value.ts'

export function normalizeSdk(draft: Draft): void {
  const { raw, sent, notes, event, stored } = draft
  const sdk = readObject(sent.sdk) ?? {}
  event.sdk = sdkName(sdk, notes) || clientName(raw.client)
  stored.sdk = boundObject(sent.sdk, extraBounds, { field: 'sdk', notes })
  draft.inferIp = readObject(sdk['settings'])?.['infer_ip']
}

/** `name/version` or `name`; empty when the event does not name its client. */
function sdkName({ name: sentName, version: sentVersion }: JsonObject, notes: Notes): string {
  const name = readText(sentName, {
    field: 'sdk.name',
    charactersMax: fieldCharactersMax.sdkName,
    notes,
  })
  const version = readText(sentVersion, {
    field: 'sdk.version',
    charactersMax: fieldCharactersMax.sdkVersion,
    notes,
  })
  return name === '' || version === '' ? name : `${name}/${version}`
}

/** The name that the client gave when it authenticated. */
function clientName(client: string | undefined): string {
  const charactersMax = fieldCharactersMax.sdkName + fieldCharactersMax.sdkVersion
  return cutText(cleanText(client ?? '').trim(), charactersMax)
}
