/** The exceptions in a record's attributes: causes first, the logged exception last. */
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
  /**
   * Newer senders mark a record as an exception by a name of `exception` or one that ends with it.
   */
  readonly eventName: string
}

export function exceptionsOf(
  attributes: TakenAttributes,
  { message, platform, eventName }: ExceptionSurroundings,
): readonly LogException[] {
  const type = attributes.text('exception.type') || attributes.text('error.type')
  const value = attributes.text('exception.message')
  // Not marked as taken: the full text is kept as extra data.
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

/** An exception that escaped its span was not handled there. */
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
  // Java's own SDK sends class and package separately, and the class is what people read.
  const dot = platform === 'java' ? type.lastIndexOf('.') : -1
  return {
    ...(type === '' ? {} : { type: type.slice(dot + 1) }),
    ...(dot <= 0 ? {} : { module: type.slice(0, dot) }),
    ...(value === '' ? {} : { value }),
    mechanism: { type: 'otlp', ...(escaped === undefined ? {} : { handled: !escaped }) },
    ...(frames.length === 0 ? {} : { stacktrace: { frames } }),
  }
}
