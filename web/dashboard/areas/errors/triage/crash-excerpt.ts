/** The part of a stored event that tells most: its exception and the frames of the application. */

export interface ExcerptFrame {
  readonly name: string
  readonly place: string
  readonly isInApp: boolean
  readonly line: string | undefined
}

export interface CrashExcerpt {
  readonly type: string
  readonly value: string
  /** The frame of the crash first. */
  readonly frames: readonly ExcerptFrame[]
  readonly hiddenCount: number
}

const framesMax = 5
const valueCharactersMax = 600

/** Undefined for an event without an exception. Clients send anything, so all is checked. */
export function crashExcerpt(payload: unknown): CrashExcerpt | undefined {
  const values = listOf(recordOf(recordOf(payload)['exception'])['values'])
  const exception = recordOf(values.at(-1))
  if (Object.keys(exception).length === 0) return undefined
  const all = listOf(recordOf(exception['stacktrace'])['frames']).map(recordOf).reverse()
  const own = all.filter((frame) => frame['in_app'] === true)
  const shown = (own.length > 0 ? own : all).slice(0, framesMax)
  return {
    type: textOf(exception['type']) ?? 'Error',
    value: (textOf(exception['value']) ?? '').slice(0, valueCharactersMax),
    frames: shown.map(frameOf),
    hiddenCount: all.length - shown.length,
  }
}

function frameOf(frame: Readonly<Record<string, unknown>>): ExcerptFrame {
  const file = textOf(frame['filename']) ?? textOf(frame['module']) ?? textOf(frame['abs_path'])
  const line = frame['lineno']
  return {
    name: textOf(frame['function']) ?? 'unknown function',
    place: `${file ?? ''}${typeof line === 'number' ? `:${line}` : ''}`,
    isInApp: frame['in_app'] === true,
    line: textOf(frame['context_line'])?.trim(),
  }
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : {}
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}
