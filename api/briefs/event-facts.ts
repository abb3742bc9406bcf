/**
 * The parts of a stored payload that tell what went wrong, bounded, and without personal data. The
 * payload is JSON of any shape: parts that do not have the expected form are left out.
 */

export interface FrameFacts {
  readonly place: string
  readonly inApp: boolean
  /** Lines of source around the line of the frame; empty when they are not needed or unknown. */
  readonly source: readonly SourceLine[]
}

export interface SourceLine {
  readonly lineNo: number | undefined
  readonly text: string
  readonly isCurrent: boolean
}

export interface StackFacts {
  /** Type and message of the exception, or what the stack is of. */
  readonly heading: string
  /** The frame of the crash first. */
  readonly frames: readonly FrameFacts[]
  readonly framesLeftOut: number
}

export interface EventFacts {
  readonly message: string | undefined
  /** The exception that reached the handler first, its cause next. */
  readonly stacks: readonly StackFacts[]
  readonly stacksLeftOut: number
  readonly request: readonly string[]
  /** Newest last. */
  readonly breadcrumbs: readonly string[]
}

export const stacksMax = 5
export const framesMax = 8
/** Frames of one stack that are shown with the lines around theirs. */
const framesWithSourceMax = 3
const sourceLinesAround = 3
export const breadcrumbsMax = 12
const dataCharactersMax = 200
/** Headers that tell about the client and not about the person. */
const headersShown: ReadonlySet<string> = new Set([
  'accept',
  'content-length',
  'content-type',
  'host',
  'user-agent',
])

export function factsOf(payload: unknown): EventFacts {
  const event = fieldsOf(payload)
  const exceptions = listOf(fieldsOf(event.exception).values)
  const stacks = exceptions.length > 0 ? exceptions.map(stackOfException) : otherStacks(event)
  const shown = stacks.slice(-stacksMax).reverse()
  const logentry = fieldsOf(event.logentry)
  return {
    message: textOf(logentry.formatted) ?? textOf(logentry.message),
    stacks: shown,
    stacksLeftOut: stacks.length - shown.length,
    request: requestLines(fieldsOf(event.request)),
    breadcrumbs: listOf(fieldsOf(event.breadcrumbs).values).slice(-breadcrumbsMax).map(crumbLine),
  }
}

function stackOfException(value: unknown): StackFacts {
  const exception = fieldsOf(value)
  const type = textOf(exception.type) ?? 'Error'
  const text = textOf(exception.value)
  const handled = fieldsOf(exception.mechanism).handled
  const mark = handled === false ? ' [unhandled]' : ''
  const heading = `${text === undefined ? type : `${type}: ${text}`}${mark}`
  return { heading, ...framesOf(exception.stacktrace) }
}

/** An event without an exception: its own stack, or that of the thread that crashed. */
function otherStacks(event: Fields): StackFacts[] {
  if (event.stacktrace !== undefined) {
    return [{ heading: 'Stack trace', ...framesOf(event.stacktrace) }]
  }
  const threads = listOf(fieldsOf(event.threads).values).map(fieldsOf)
  const thread =
    threads.find(({ crashed }) => crashed === true) ??
    threads.find(({ current }) => current === true)
  if (thread?.stacktrace === undefined) return []
  const name = textOf(thread.name) ?? textOf(thread.id) ?? ''
  return [{ heading: `Thread ${name}`, ...framesOf(thread.stacktrace) }]
}

/** The frames of the application and the frame of the crash; all frames if none is marked. */
function framesOf(stacktrace: unknown): Pick<StackFacts, 'frames' | 'framesLeftOut'> {
  const all = listOf(fieldsOf(stacktrace).frames).map(fieldsOf).reverse()
  const own = all.filter((frame, index) => index === 0 || frame.in_app === true)
  const isMarked = all.some(({ in_app }) => in_app === true)
  const shown = (isMarked ? own : all).slice(0, framesMax)
  let withSource = 0
  const frames = shown.map((frame) => {
    const inApp = frame.in_app === true
    const isNear = (inApp || !isMarked) && withSource < framesWithSourceMax
    if (isNear) withSource += 1
    return { place: placeOf(frame), inApp, source: sourceOf(frame, isNear ? sourceLinesAround : 0) }
  })
  return { frames, framesLeftOut: all.length - shown.length }
}

function placeOf(frame: Fields): string {
  const name = textOf(frame.function) ?? textOf(frame.raw_function) ?? '?'
  const file = textOf(frame.filename) ?? textOf(frame.module) ?? textOf(frame.abs_path)
  const address = textOf(frame.instruction_addr)
  const line = numberOf(frame.lineno)
  const column = numberOf(frame.colno)
  const at = [file ?? address ?? '?', line, column].filter((part) => part !== undefined).join(':')
  return `${name} (${at})`
}

function sourceOf(frame: Fields, around: number): SourceLine[] {
  const current = textOf(frame.context_line)
  if (current === undefined) return []
  const lineNo = numberOf(frame.lineno)
  const lineAt = (offset: number, text: unknown): SourceLine => ({
    lineNo: lineNo === undefined ? undefined : lineNo + offset,
    text: textOf(text) ?? '',
    isCurrent: offset === 0,
  })
  const before = around === 0 ? [] : listOf(frame.pre_context).slice(-around)
  const after = listOf(frame.post_context).slice(0, around)
  return [
    ...before.map((text, index) => lineAt(index - before.length, text)),
    lineAt(0, current),
    ...after.map((text, index) => lineAt(index + 1, text)),
  ]
}

function requestLines(request: Fields): string[] {
  const lines: string[] = []
  const url = textOf(request.url)
  if (url !== undefined) lines.push(`${textOf(request.method) ?? 'GET'} ${url}`)
  const query = textOf(request.query_string)
  if (query !== undefined) lines.push(`query: ${query}`)
  for (const pair of listOf(request.headers)) {
    const [name, value] = listOf(pair).map(textOf)
    if (name === undefined || value === undefined) continue
    if (headersShown.has(name.toLowerCase())) lines.push(`${name}: ${value}`)
  }
  return lines
}

function crumbLine(value: unknown): string {
  const crumb = fieldsOf(value)
  const data =
    crumb.data === undefined ? '' : JSON.stringify(crumb.data).slice(0, dataCharactersMax)
  const parts = [
    textOf(crumb.timestamp),
    textOf(crumb.level),
    textOf(crumb.category) ?? textOf(crumb.type),
    textOf(crumb.message),
    data,
  ]
  return parts.filter((part) => part !== undefined && part !== '').join(' ')
}

/** The fields of a payload that are read here. */
type Fields = Readonly<Partial<Record<FieldName, unknown>>>
type FieldName =
  | 'abs_path'
  | 'breadcrumbs'
  | 'category'
  | 'colno'
  | 'context_line'
  | 'crashed'
  | 'current'
  | 'data'
  | 'exception'
  | 'filename'
  | 'formatted'
  | 'frames'
  | 'function'
  | 'handled'
  | 'headers'
  | 'id'
  | 'in_app'
  | 'instruction_addr'
  | 'level'
  | 'lineno'
  | 'logentry'
  | 'mechanism'
  | 'message'
  | 'method'
  | 'module'
  | 'name'
  | 'post_context'
  | 'pre_context'
  | 'query_string'
  | 'raw_function'
  | 'request'
  | 'stacktrace'
  | 'threads'
  | 'timestamp'
  | 'type'
  | 'url'
  | 'value'
  | 'values'

const nothing: Fields = {}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Fields)
    : nothing
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined
}
