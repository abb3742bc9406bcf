export type ReadEvent =
  | { readonly kind: 'event'; readonly text: string }
  | { readonly kind: 'error'; readonly rule: string }

/**
 * The JSON text of a pasted event, or of the event in an envelope that is pasted line by line. The
 * text is not changed, so that it is tried as an SDK sends it.
 */
export function readEvent(text: string): ReadEvent {
  if (isObject(parse(text))) return { kind: 'event', text }
  const lines = text.split('\n')
  const header = lines.findIndex((line) => {
    const value = parse(line)
    return isObject(value) && value['type'] === 'event'
  })
  const item = header === -1 ? undefined : lines[header + 1]
  if (item !== undefined && isObject(parse(item))) return { kind: 'event', text: item }
  return {
    kind: 'error',
    rule: 'must be a JSON object, the payload of an event, or an envelope with an event',
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
