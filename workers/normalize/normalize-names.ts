/** Attributes of a single short text: platform, level, logger, transaction, server, component. */
import type { Draft } from './draft.ts'
import { fieldCharactersMax } from './field-limits.ts'
import { orAbsent } from './stored-event.ts'
import { cleanText, cutText } from './values/clean-text.ts'
import { readLevel } from './values/read-level.ts'
import { readLenientText } from './values/read-value.ts'

export function normalizePlatform({ sent, event, stored }: Draft): void {
  event.platform = readPlatform(sent.platform) ?? 'other'
  stored.platform = event.platform
}

export function normalizeLevel({ sent, event, stored }: Draft): void {
  event.level = readLevel(sent.level) ?? 'error'
  stored.level = event.level
}

export function normalizeNames({ raw, sent, notes, event, stored }: Draft): void {
  const text = (value: unknown, field: string, charactersMax: number) =>
    readLenientText(value, { field, charactersMax, notes })
  event.logger = text(sent.logger, 'logger', fieldCharactersMax.logger)
  event.transaction = text(sent.transaction, 'transaction', fieldCharactersMax.transaction)
  event.serverName = text(sent.server_name, 'server_name', fieldCharactersMax.serverName)
  event.component = cutText(cleanText(raw.component ?? '').trim(), fieldCharactersMax.component)
  stored.logger = orAbsent(event.logger)
  stored.transaction = orAbsent(event.transaction)
  stored.server_name = orAbsent(event.serverName)
  stored.component = orAbsent(event.component)
}

const platforms: ReadonlySet<string> = new Set(
  `as3 c cfml clojure cocoa csharp dart elixir go groovy haskell java javascript kotlin lua native node objc other
  perl php powershell python ruby rust scala swift`.split(/\s+/),
)

/** The platform in lowercase, or undefined if the protocol does not define it. */
export function readPlatform(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined
  const platform = value.trim().toLowerCase()
  return platforms.has(platform) ? platform : undefined
}
