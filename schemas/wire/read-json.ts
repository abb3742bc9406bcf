/** Parses the JSON of an item's bytes; undefined when it is not JSON. */
export function readJson(payload: Uint8Array): { readonly value: unknown } | undefined {
  const { buffer, byteOffset, byteLength } = payload
  try {
    return { value: JSON.parse(Buffer.from(buffer, byteOffset, byteLength).toString('utf8')) }
  } catch {
    return undefined
  }
}

export type JsonFields = Readonly<Record<string, unknown>>

/** Also undefined for JSON that is not an object. */
export function readJsonObject(payload: Uint8Array): JsonFields | undefined {
  const json = readJson(payload)
  return json !== undefined && isJsonObject(json.value) ? json.value : undefined
}

export function isJsonObject(value: unknown): value is JsonFields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
