/** The line of the own code that failed, from the payload of an event, which may have any shape. */

export interface CulpritLine {
  /** `src/checkout.ts:42 in chargeCard` */
  readonly place: string
  readonly text: string | undefined
}

const charactersMax = 200

export function culpritLine(event: { readonly payload: unknown }): CulpritLine | undefined {
  const exceptions = listAt(recordOf(event.payload)?.['exception'], 'values')
  const frames = listAt(recordOf(exceptions.at(-1))?.['stacktrace'], 'frames').map(recordOf)
  const frame = frames.findLast((one) => one?.['in_app'] === true) ?? frames.at(-1)
  if (frame === undefined) return undefined
  const file = textOf(frame['filename']) ?? textOf(frame['module']) ?? textOf(frame['abs_path'])
  if (file === undefined) return undefined
  const line = typeof frame['lineno'] === 'number' ? `:${frame['lineno']}` : ''
  const name = textOf(frame['function'])
  return {
    place: `${file}${line}${name === undefined ? '' : ` in ${name}`}`,
    text: textOf(frame['context_line'])?.trim(),
  }
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === 'object' && value !== null
    ? (value as Readonly<Record<string, unknown>>)
    : undefined
}

function listAt(value: unknown, name: string): readonly unknown[] {
  const list = Array.isArray(value) ? value : recordOf(value)?.[name]
  return Array.isArray(list) ? list : []
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value.slice(0, charactersMax) : undefined
}
