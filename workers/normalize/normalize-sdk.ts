import type { CanonicalEvent } from './canonical-event.ts'
import { extraBounds, fieldCharactersMax } from './field-limits.ts'
import { boundObject } from './values/bound-value.ts'
import { cleanText, cutText } from './values/clean-text.ts'
import type { Notes } from './values/notes.ts'
import { readObject, readText } from './values/read-value.ts'

export interface ReadSdk {
  /** `name/version`, as far as known. */
  readonly text: string
  readonly canonical: CanonicalEvent['sdk']
  readonly inferIp: unknown
}

/** Which client wrote the event: its own word, otherwise what it called itself when it authenticated. */
export function normalizeSdk(sent: unknown, client: string | undefined, notes: Notes): ReadSdk {
  const sdk = readObject(sent)
  const { name: sentName, version: sentVersion, settings } = sdk ?? {}
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
  const named = version === '' ? name : `${name}/${version}`
  const clientMax = fieldCharactersMax.sdkName + fieldCharactersMax.sdkVersion
  return {
    text: name === '' ? cutText(cleanText(client ?? '').trim(), clientMax) : named,
    canonical: boundObject(sent, extraBounds, { field: 'sdk', notes }),
    inferIp: readObject(settings)?.['infer_ip'],
  }
}
