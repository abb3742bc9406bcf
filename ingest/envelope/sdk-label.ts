/** `name/version` of the SDK that a header or an event names. */
const sdkCharactersMax = 128
/**
 * Removes control characters, which could break the terminal or log in which the name is shown.
 */
const controlCharacters = /[\p{Cc}\p{Cs}]/gu

export function sdkLabel(name: unknown, version: unknown): string | undefined {
  if (typeof name !== 'string' || name === '') return undefined
  const label = typeof version === 'string' && version !== '' ? `${name}/${version}` : name
  const clean = label.slice(0, sdkCharactersMax).replace(controlCharacters, '')
  return clean === '' ? undefined : clean
}

/** @param sdk the parsed value of `sdk`, of any type. */
export function sdkOfValue(sdk: unknown): string | undefined {
  if (typeof sdk !== 'object' || sdk === null) return undefined
  const fields = new Map<string, unknown>(Object.entries(sdk))
  return sdkLabel(fields.get('name'), fields.get('version'))
}
