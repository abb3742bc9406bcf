/** The exceptions that a record carries in its attributes: causes first, the one that was logged last. */
import { readStackText } from './stacks/read-stack-text.ts'
import type { TextFrame } from './stacks/stack-text.ts'
import type { TakenAttributes } from './taken-attributes.ts'

export interface LogException {
  readonly type?: string
  readonly value?: string
  readonly module?: string
  readonly mechanism: { readonly type: 'otlp'; readonly handled?: boolean }
  readonly stacktrace?: { readonly frames: readonly TextFrame[] }
}

export interface ExceptionSurroundings {
  readonly message: string
  readonly platform: string
  /** `exception`, or a name that ends so, is how newer senders say that the record is one. */
  readonly eventName: string
}

export function exceptionsOf(
  attributes: TakenAttributes,
  { message, platform, eventName }: ExceptionSurroundings,
): readonly LogException[] {
  const type = attributes.text('exception.type') || attributes.text('error.type')
  const value = attributes.text('exception.message')
  // Not taken: the text is kept as extra data, whatever can be read out of it.
  const stack = attributes.peek('exception.stacktrace')
  const hasStack = typeof stack === 'string' && stack !== ''
  const isNamed = /(?:^|\.)exception$/.test(eventName)
  if (type === '' && value === '' && !hasStack && !isNamed) return []

  const chain = hasStack ? readStackText(stack, platform) : []
  const last = chain.at(-1)
  const causes = chain.slice(0, -1).map((cause) => exception(cause, platform, undefined))
  const logged = {
    type: type || (last?.type ?? ''),
    value: value || last?.value || message,
    frames: last?.frames ?? [],
  }
  if (logged.type === '' && logged.value === '' && logged.frames.length === 0) return []
  return [...causes, exception(logged, platform, escapedOf(attributes))]
}

/** An exception that left the span it was thrown in was not handled there. */
function escapedOf(attributes: TakenAttributes): boolean | undefined {
  const escaped = attributes.peek('exception.escaped')
  if (escaped === true || escaped === 'true') return true
  return escaped === false || escaped === 'false' ? false : undefined
}

function exception(
  { type, value, frames }: { type: string; value: string; frames: readonly TextFrame[] },
  platform: string,
  escaped: boolean | undefined,
): LogException {
  // Java's own clients send class and package apart, and a person wants to read the class.
  const dot = platform === 'java' ? type.lastIndexOf('.') : -1
  return {
    ...(type === '' ? {} : { type: type.slice(dot + 1) }),
    ...(dot <= 0 ? {} : { module: type.slice(0, dot) }),
    ...(value === '' ? {} : { value }),
    mechanism: { type: 'otlp', ...(escaped === undefined ? {} : { handled: !escaped }) },
    ...(frames.length === 0 ? {} : { stacktrace: { frames } }),
  }
}
