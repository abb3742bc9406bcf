/** What can be read out of the text of a stack trace. Names are those of the Sentry event payload, so that frames go into it as they are. */
export interface TextFrame {
  readonly function?: string
  readonly module?: string
  readonly filename?: string
  readonly lineno?: number
  readonly colno?: number
  readonly context_line?: string
}

/** One exception of a chain. Type and value are empty where the text does not say. */
export interface TextException {
  readonly type: string
  readonly value: string
  /** Outermost call first, as in the event payload. */
  readonly frames: readonly TextFrame[]
}

/** The causes first, the exception that was logged last. Empty when nothing was understood. */
export type StackReader = (lines: readonly string[]) => readonly TextException[]

/** `Type: text`, where the type is a word with dots and the like in it. */
export function splitHead(line: string): { type: string; value: string } {
  const match = /^([\w.$\\]{1,256})(?:: ?(.*))?$/s.exec(line.trim())
  return match === null ? { type: '', value: '' } : { type: match[1]!, value: match[2] ?? '' }
}

export function numberOf(digits: string | undefined): { lineno?: number } {
  return digits === undefined ? {} : { lineno: Number(digits) }
}
