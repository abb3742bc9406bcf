/**
 * The result of parsing a stack trace. Fields have the names of the Sentry event payload, so frames
 * are used unchanged.
 */
export interface TextFrame {
  readonly function?: string
  readonly module?: string
  readonly filename?: string
  readonly lineno?: number
  readonly colno?: number
  readonly context_line?: string
}

/** One exception of a chain. Type and value are empty when the text has none. */
export interface TextException {
  readonly type: string
  readonly value: string
  /** Outermost call first, as in the event payload. */
  readonly frames: readonly TextFrame[]
}

/** Causes first, the logged exception last. Empty when the text could not be parsed. */
export type StackReader = (lines: readonly string[]) => readonly TextException[]

/** `Type: text`, where the type is a word that may contain dots and similar separators. */
export function splitHead(line: string): { type: string; value: string } {
  const match = /^([\w.$\\]{1,256})(?:: ?(.*))?$/s.exec(line.trim())
  return match === null ? { type: '', value: '' } : { type: match[1]!, value: match[2] ?? '' }
}

export function numberOf(digits: string | undefined): { lineno?: number } {
  return digits === undefined ? {} : { lineno: Number(digits) }
}
