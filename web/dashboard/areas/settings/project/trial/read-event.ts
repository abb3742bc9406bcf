export type ReadEvent =
  | { readonly kind: 'event'; readonly event: Readonly<Record<string, unknown>> }
  | { readonly kind: 'error'; readonly rule: string }

/** The pasted JSON of an event, or an envelope line by line, of which the event is taken. */
export function readEvent(text: string): ReadEvent {
  const whole = parse(text)
  if (isObject(whole)) return { kind: 'event', event: whole }
  const lines = text.split('\n').map(parse)
  const header = lines.findIndex((line) => isObject(line) && line['type'] === 'event')
  const item = header === -1 ? undefined : lines[header + 1]
  if (isObject(item)) return { kind: 'event', event: item }
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
